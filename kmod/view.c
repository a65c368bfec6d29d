// SPDX-License-Identifier: GPL-2.0
/*
 * The generation moves after every change of an opinion and when a group goes,
 * with groups.c's list of settings locked. An answer of an older generation is
 * no answer. It is released by the writer after the opinion and acquired by
 * the reader before it, so an answer never claims to be newer than it is.
 */
#include <linux/memcontrol.h>
#include <linux/rcupdate.h>

#include "../decide/mode.h"
#include "group.h"
#include "groups.h"
#include "kernel.h"
#include "settings.h"
#include "tasks.h"
#include "view.h"

/* A memo: generation << MEMO_SHIFT | chain opinion + 1; 0 is no memo. */
#define MEMO_SHIFT 8

static u64 generation = 1;

/*
 * The last answer on this CPU for a task and for a folio: most consults in a
 * row are about the same cgroup. It holds while the generation does, which
 * moves when a group goes, too. Only of cgroups that have a group. Used with
 * preemption off, never from interrupts.
 */
struct last_answer {
	struct cgroup_subsys_state *css;
	u64 generation;
	struct numab_group *group;
	int opinion;
};
static DEFINE_PER_CPU(struct last_answer, last_task);
static DEFINE_PER_CPU(struct last_answer, last_folio);

void numab_views_outdate(void)
{
	smp_store_release(&generation, generation + 1);
}

static u64 memo_of(u64 gen, int opinion)
{
	return gen << MEMO_SHIFT | (u64)(opinion + 1);
}

static bool memo_holds(u64 memo, u64 gen)
{
	return memo >> MEMO_SHIFT == gen;
}

static int memo_opinion(u64 memo)
{
	return (int)(memo & (BIT(MEMO_SHIFT) - 1)) - 1;
}

/* Walk up until the root or a memo that holds. The root has no opinion. */
static int walk_up(struct cgroup_subsys_state *css, u64 gen)
{
	int opinion = NUMAB_INHERIT;

	for (; css->parent; css = css->parent) {
		struct numab_group *group = numab_group_find(css);
		u64 memo;

		if (!group)
			continue;
		memo = READ_ONCE(group->memo);
		if (memo_holds(memo, gen))
			return numab_opinion_meet(opinion, memo_opinion(memo));
		opinion =
			numab_opinion_meet(opinion, READ_ONCE(group->opinion));
	}
	return opinion;
}

/* The chain's opinion, and the nearest group (to count for) in *ret_group. */
static int consult(struct cgroup_subsys_state *css,
		   struct numab_group **ret_group)
{
	u64 gen = smp_load_acquire(&generation);
	struct numab_group *group = numab_group_find(css);
	int opinion;

	if (likely(group)) {
		u64 memo = READ_ONCE(group->memo);

		*ret_group = group;
		if (likely(memo_holds(memo, gen)))
			return memo_opinion(memo);
		opinion = walk_up(css, gen);
		WRITE_ONCE(group->memo, memo_of(gen, opinion));
		return opinion;
	}

	numab_groups_want();
	opinion = walk_up(css, gen);
	while (!group && css->parent) {
		css = css->parent;
		group = numab_group_find(css);
	}
	*ret_group = group;
	return opinion;
}

int numab_chain_opinion(struct cgroup_subsys_state *css)
{
	struct numab_group *group;

	return consult(css, &group);
}

static const struct numab_tuning no_tuning;

/* A cgroup without a group has no values of its own: the nearest one's hold. */
static struct numab_view view_of(int opinion, struct numab_group *group)
{
	return (struct numab_view){
		.mode = numab_mode_effective(opinion, numab_system_default()),
		.chain = opinion,
		.group = group,
		.tuning = group ? &group->effective : &no_tuning,
	};
}

struct numab_view numab_view_of_css(struct cgroup_subsys_state *css)
{
	struct numab_group *group;
	int opinion = consult(css, &group);

	return view_of(opinion, group);
}

static __always_inline struct numab_view view_through(
	struct last_answer *last, struct cgroup_subsys_state *css)
{
	u64 gen = smp_load_acquire(&generation);

	if (unlikely(last->css != css || last->generation != gen)) {
		struct numab_group *group;
		int opinion = consult(css, &group);

		if (!group || group->css != css)
			return view_of(opinion, group);
		*last = (struct last_answer){ css, gen, group, opinion };
	}
	return view_of(last->opinion, last->group);
}

struct numab_view numab_view_of_task(struct task_struct *p)
{
	struct numab_view view = view_through(
		this_cpu_ptr(&last_task), task_css_check(p, cpu_cgrp_id, true));

	if (unlikely(numab_tasks_exist()))
		view.task = numab_task_find(p);
	if (view.task) {
		int own = READ_ONCE(view.task->own.opinion);

		view.mode = numab_mode_effective(numab_opinion_meet(own,
								    view.chain),
						 numab_system_default());
	}
	return view;
}

unsigned int numab_view_value(const struct numab_view *view,
			      enum numab_knob knob)
{
	unsigned int value = 0;

	if (view->task)
		value = READ_ONCE(view->task->own.tuning.value[knob]);
	return value ?: READ_ONCE(view->tuning->value[knob]);
}

/* A cgroup's cpu state, or that of the nearest ancestor that has one. */
static struct cgroup_subsys_state *cpu_css_of(struct cgroup *cgrp)
{
	struct cgroup_subsys_state *css;

	for (; cgrp; cgrp = cgroup_parent(cgrp)) {
		css = rcu_dereference_raw(cgrp->subsys[cpu_cgrp_id]);
		if (css)
			return css;
	}
	return numab_root_css;
}

/*
 * The binding of folio and memory cgroup may change while we look, since the
 * folio is neither locked nor isolated: good enough to decide by, and RCU
 * keeps whatever we see alive. A folio charged to nobody answers as the root,
 * one whose cgroup is gone as the nearest ancestor that is not.
 */
struct numab_view numab_view_of_folio(struct folio *folio)
{
	struct mem_cgroup *memcg = folio_memcg(folio);

	return view_through(this_cpu_ptr(&last_folio),
			    memcg ? cpu_css_of(memcg->css.cgroup) :
				    numab_root_css);
}

void numab_count(struct numab_view view, enum numab_counter counter,
		 unsigned long n)
{
	if (view.group)
		this_cpu_add(view.group->counters->value[counter], n);
}
