// SPDX-License-Identifier: GPL-2.0
/*
 * The generation moves after every change of an opinion, when a policy comes,
 * changes or goes, and before a group is given to RCU. Those who move it hold
 * different locks, so it is atomic. An answer of an older generation is no
 * answer. It is released by the writer after the change and acquired by the
 * reader before it looks, so an answer never claims to be newer than it is.
 */
#include <linux/memcontrol.h>
#include <linux/rcupdate.h>

#include "../decide/cache.h"
#include "../decide/mode.h"
#include "group.h"
#include "groups.h"
#include "kernel.h"
#include "policies.h"
#include "settings.h"
#include "tasks.h"
#include "view.h"

/*
 * A memo: generation << MEMO_SHIFT, chain opinion + 1, and whether there are
 * policies on the chain, which are to be asked each time; 0 is no memo.
 */
#define MEMO_SHIFT    8
#define MEMO_POLICIES 0x80

static atomic64_t generation = ATOMIC64_INIT(1);

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
	struct numab_group *nearest; /* with policies; mostly NULL */
	int opinion;		     /* of the files */
};
static DEFINE_PER_CPU(struct last_answer, last_task);
static DEFINE_PER_CPU(struct last_answer, last_folio);

void numab_views_outdate(void)
{
	(void)atomic64_inc_return_release(&generation);
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
	return (int)(memo & (MEMO_POLICIES - 1)) - 1;
}

/*
 * Walk up until the root or a memo that holds. The root has no opinion, but
 * perhaps policies.
 */
static int walk_up(struct cgroup_subsys_state *css, u64 gen, bool *ret_policies)
{
	int opinion = NUMAB_INHERIT;

	*ret_policies = false;
	for (; css; css = css->parent) {
		struct numab_group *group = numab_group_find(css);
		u64 memo;

		if (!group)
			continue;
		memo = READ_ONCE(group->memo);
		if (memo_holds(memo, gen)) {
			*ret_policies |= memo & MEMO_POLICIES;
			return numab_opinion_meet(opinion, memo_opinion(memo));
		}
		*ret_policies |= !list_empty(&group->policies);
		opinion =
			numab_opinion_meet(opinion, READ_ONCE(group->opinion));
	}
	return opinion;
}

/*
 * The opinion of the chain's files, the nearest group (to count for) and the
 * nearest one with policies.
 */
static int consult(struct cgroup_subsys_state *css, u64 gen,
		   struct numab_group **ret_group,
		   struct numab_group **ret_nearest)
{
	struct numab_group *group = numab_group_find(css);
	bool policies;
	int opinion;

	if (likely(group)) {
		u64 memo = READ_ONCE(group->memo);

		if (likely(memo_holds(memo, gen))) {
			opinion = memo_opinion(memo);
			policies = memo & MEMO_POLICIES;
		} else {
			opinion = walk_up(css, gen, &policies);
			memo = policies ? MEMO_POLICIES : 0;
			WRITE_ONCE(group->memo, memo_of(gen, opinion) | memo);
		}
	} else {
		numab_groups_want();
		opinion = walk_up(css, gen, &policies);
	}
	*ret_nearest = policies ? numab_policies_above(css) : NULL;
	while (!group && css->parent) {
		css = css->parent;
		group = numab_group_find(css);
	}
	*ret_group = group;
	return opinion;
}

int numab_chain_opinion(struct cgroup_subsys_state *css)
{
	struct numab_group *group, *nearest;

	return consult(css, atomic64_read_acquire(&generation), &group,
		       &nearest);
}

static struct numab_view view_of(int opinion, struct numab_group *group)
{
	return (struct numab_view){
		.mode = numab_mode_effective(opinion, numab_system_default()),
		.chain = opinion,
		.group = group,
	};
}

struct numab_view numab_view_of_css(struct cgroup_subsys_state *css)
{
	struct numab_group *group, *nearest;
	int opinion = consult(css, atomic64_read_acquire(&generation), &group,
			      &nearest);

	return view_of(opinion, group);
}

/* Is it the answer, with no policy to ask? Mostly. */
static __always_inline bool is_answer(const struct last_answer *last,
				      const struct cgroup_subsys_state *css)
{
	return likely(last->css == css &&
		      last->generation == atomic64_read_acquire(&generation) &&
		      !last->nearest);
}

/* The answer of the files; whoever calls asks the policies. */
static struct last_answer find_answer(struct last_answer *last,
				      struct cgroup_subsys_state *css)
{
	u64 gen = atomic64_read_acquire(&generation);
	struct last_answer answer = { .css = css, .generation = gen };

	if (last->css == css && last->generation == gen)
		return *last;
	answer.opinion = consult(css, gen, &answer.group, &answer.nearest);
	if (answer.group && answer.group->css == css)
		*last = answer;
	return answer;
}

static struct numab_asking asking_of(const struct last_answer *answer)
{
	return (struct numab_asking){
		.nearest = answer->nearest,
		.group = answer->group,
		.generation = answer->generation,
	};
}

/* Apart, so that the short way has no stack to set up. */
static noinline struct numab_view find_task(struct last_answer *last,
					    struct cgroup_subsys_state *css,
					    struct task_struct *p,
					    enum numab_age age)
{
	struct last_answer answer = find_answer(last, css);

	if (answer.nearest && age != AGE_UNASKED)
		answer.opinion = numab_opinion_meet(
			answer.opinion,
			numab_policies_ask_task(asking_of(&answer), p, age));
	return view_of(answer.opinion, answer.group);
}

static noinline struct numab_view find_folio(struct last_answer *last,
					     struct cgroup_subsys_state *css,
					     struct folio *folio,
					     struct mem_cgroup *memcg)
{
	struct last_answer answer = find_answer(last, css);

	if (answer.nearest)
		answer.opinion = numab_opinion_meet(
			answer.opinion,
			numab_policies_ask_folio(asking_of(&answer), folio,
						 memcg));
	return view_of(answer.opinion, answer.group);
}

static noinline struct numab_view with_own_mode(struct task_struct *p,
						struct numab_view view)
{
	struct numab_task *task = numab_task_find(p);

	if (task)
		view.mode =
			numab_mode_of_task(READ_ONCE(task->own.opinion),
					   READ_ONCE(task->own.privileged),
					   view.chain, numab_system_default());
	return view;
}

static __always_inline struct numab_view view_of_task(struct task_struct *p,
						      enum numab_age age)
{
	struct cgroup_subsys_state *css = task_css_check(p, cpu_cgrp_id, true);
	struct last_answer *last = this_cpu_ptr(&last_task);
	struct numab_view view = is_answer(last, css) ?
					 view_of(last->opinion, last->group) :
					 find_task(last, css, p, age);

	return unlikely(numab_tasks_exist()) ? with_own_mode(p, view) : view;
}

struct numab_view numab_view_of_task(struct task_struct *p)
{
	return view_of_task(p, AGE_TICK);
}

struct numab_view numab_view_at_scan(struct task_struct *p)
{
	return view_of_task(p, AGE_ANEW);
}

struct numab_view numab_view_in_scan(struct task_struct *p)
{
	return view_of_task(p, AGE_SECOND);
}

struct numab_view numab_view_unasked(struct task_struct *p)
{
	return view_of_task(p, AGE_UNASKED);
}

/* A cgroup without a group has no values of its own: the nearest one's hold. */
const struct numab_tuning *numab_view_tuning(struct numab_view view)
{
	static const struct numab_tuning nothing;

	return view.group ? &view.group->effective : &nothing;
}

unsigned int numab_view_value(struct numab_view view, enum numab_knob knob)
{
	return view.group ? READ_ONCE(view.group->effective.value[knob]) : 0;
}

unsigned int numab_view_value_for(struct task_struct *p, struct numab_view view,
				  enum numab_knob knob)
{
	unsigned int value = numab_view_value(view, knob);
	struct numab_task *task =
		unlikely(numab_tasks_exist()) ? numab_task_find(p) : NULL;

	return task ? numab_task_value(task, knob, value) : value;
}

int numab_view_cache(struct numab_view view)
{
	return view.group ? READ_ONCE(view.group->cache) : NUMAB_CACHE_AUTO;
}

int numab_view_cache_for(struct task_struct *p, struct numab_view view)
{
	int own, cache = numab_view_cache(view);
	struct numab_task *task =
		unlikely(numab_tasks_exist()) ? numab_task_find(p) : NULL;

	if (!task)
		return cache;
	own = READ_ONCE(task->own.cache);
	if (!READ_ONCE(task->own.privileged) &&
	    !numab_cache_is_free(own, cache, numab_kernel_tolerance()))
		return cache;
	return numab_cache_meet(own, cache);
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
	struct cgroup_subsys_state *css =
		memcg ? cpu_css_of(memcg->css.cgroup) : numab_root_css;
	struct last_answer *last = this_cpu_ptr(&last_folio);

	return is_answer(last, css) ? view_of(last->opinion, last->group) :
				      find_folio(last, css, folio, memcg);
}

void numab_count(struct numab_view view, enum numab_counter counter,
		 unsigned long n)
{
	if (view.group)
		this_cpu_add(view.group->counters->value[counter], n);
}
