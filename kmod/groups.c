// SPDX-License-Identifier: GPL-2.0
#include <linux/memcontrol.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "../decide/mode.h"
#include "faults.h"
#include "groups.h"
#include "kernel.h"
#include "settings.h"

/* Groups are made this long after the first miss, many misses at a time. */
#define WANT_DELAY (HZ / 10)

struct numab_group {
	struct cgroup_subsys_state *css; /* alive while the group is found */
	u64 serial;			 /* the css's, which is never reused */
	int opinion;
	/* Generation << MEMO_SHIFT | chain opinion + 1; 0 is no memo. */
	u64 memo;
	struct numab_counters __percpu *counters;
	struct list_head with_opinion; /* in opinions, or empty */
	struct rcu_head rcu;
};

#define MEMO_SHIFT 8

/*
 * groups: by css->id, read under RCU. Entries are stored with cgroup_mutex or
 * settings' lock held and erased by numab_groups_release() with cgroup_mutex held; the
 * xarray's own lock orders the two.
 *
 * opinions: the groups that have one, under opinions_lock, which nests inside
 * everything else and is taken in process context only.
 *
 * generation: moves after every change of an opinion. A memo of an older
 * generation is no memo. Released by the writer after the opinion, acquired
 * by the reader before it, so a memo never claims to be newer than it is.
 */
static DEFINE_XARRAY(groups);
static LIST_HEAD(opinions);
static DEFINE_SPINLOCK(opinions_lock);
static u64 generation = 1;
static atomic_t count = ATOMIC_INIT(0); /* groups not yet freed */

static struct workqueue_struct *worker;
static void make_groups(struct work_struct *work);
static DECLARE_DELAYED_WORK(make_work, make_groups);
static void tell_gone(struct work_struct *work);
static DECLARE_WORK(gone_work, tell_gone);

static struct numab_group *find(struct cgroup_subsys_state *css)
{
	struct numab_group *group = xa_load(&groups, css->id);

	/* An id is reused; a serial number tells whose group this is. */
	if (group && group->serial != css->serial_nr)
		return NULL;
	return group;
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
		struct numab_group *group = find(css);
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
	struct numab_group *group = find(css);
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
		group = find(css);
	}
	*ret_group = group;
	return opinion;
}

int numab_chain_opinion(struct cgroup_subsys_state *css)
{
	struct numab_group *group;

	return consult(css, &group);
}

int numab_own_opinion(struct cgroup_subsys_state *css)
{
	struct numab_group *group = find(css);

	return group ? READ_ONCE(group->opinion) : NUMAB_INHERIT;
}

struct numab_view numab_view_of_css(struct cgroup_subsys_state *css)
{
	struct numab_view view;
	int opinion = consult(css, &view.group);

	view.mode = numab_mode_effective(opinion, numab_system_default());
	return view;
}

struct numab_view numab_view_of_task(struct task_struct *p)
{
	return numab_view_of_css(task_css_check(p, cpu_cgrp_id, true));
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

	return numab_view_of_css(memcg ? cpu_css_of(memcg->css.cgroup) :
					 numab_root_css);
}

void numab_count(struct numab_view view, enum numab_counter counter,
		 unsigned long n)
{
	if (view.group)
		this_cpu_add(view.group->counters->value[counter], n);
}

static void free_group(struct rcu_head *rcu)
{
	struct numab_group *group = container_of(rcu, struct numab_group, rcu);

	free_percpu(group->counters);
	kfree(group);
	atomic_dec(&count);
}

static struct numab_group *new_group(struct cgroup_subsys_state *css)
{
	struct numab_group *group;

	if (numab_fault("alloc", "group"))
		return NULL;
	group = kzalloc(sizeof(*group), GFP_KERNEL);
	if (!group)
		return NULL;
	if (!numab_fault("alloc", "counters"))
		group->counters = alloc_percpu(struct numab_counters);
	if (!group->counters) {
		kfree(group);
		return NULL;
	}
	group->css = css;
	group->serial = css->serial_nr;
	group->opinion = NUMAB_INHERIT;
	INIT_LIST_HEAD(&group->with_opinion);
	atomic_inc(&count);
	return group;
}

/* Find or make; css cannot be released meanwhile. NULL: no memory. */
static struct numab_group *get_group(struct cgroup_subsys_state *css)
{
	struct numab_group *group, *other;

	rcu_read_lock();
	group = find(css);
	rcu_read_unlock();
	if (group)
		return group; /* css pins it */

	group = new_group(css);
	if (!group)
		return NULL;
	other = xa_cmpxchg(&groups, css->id, NULL, group, GFP_KERNEL);
	if (!other)
		return group;
	/* Lost a race, or no memory. */
	free_group(&group->rcu);
	WARN_ON_ONCE(!xa_is_err(other) && other->serial != css->serial_nr);
	return xa_is_err(other) ? NULL : other;
}

int numab_group_set_opinion(struct cgroup_subsys_state *css, int opinion)
{
	struct numab_group *group = get_group(css);

	if (!group)
		return -ENOMEM;
	spin_lock(&opinions_lock);
	WRITE_ONCE(group->opinion, opinion);
	if (opinion == NUMAB_INHERIT)
		list_del_init(&group->with_opinion);
	else if (list_empty(&group->with_opinion))
		list_add(&group->with_opinion, &opinions);
	smp_store_release(&generation, generation + 1);
	spin_unlock(&opinions_lock);
	return 0;
}

/*
 * What a cgroup's opinion enables is what is left of it after its ancestors':
 * for a mode that an ancestor took away nothing has to run.
 */
struct numab_needs numab_groups_needs(void)
{
	struct numab_needs needs = {};
	struct numab_group *group;

	rcu_read_lock();
	spin_lock(&opinions_lock);
	list_for_each_entry(group, &opinions, with_opinion) {
		needs.settings++;
		needs.mechanisms |= numab_chain_opinion(group->css);
	}
	spin_unlock(&opinions_lock);
	rcu_read_unlock();
	return needs;
}

#ifdef NUMAB_TEST
void numab_groups_outdate(void)
{
	spin_lock(&opinions_lock);
	smp_store_release(&generation, generation + 1);
	spin_unlock(&opinions_lock);
}
#endif

int numab_groups_count(void)
{
	return atomic_read(&count);
}

void numab_groups_forget(void)
{
	struct numab_group *group, *next;

	spin_lock(&opinions_lock);
	list_for_each_entry_safe(group, next, &opinions, with_opinion) {
		WRITE_ONCE(group->opinion, NUMAB_INHERIT);
		list_del_init(&group->with_opinion);
	}
	smp_store_release(&generation, generation + 1);
	spin_unlock(&opinions_lock);
}

/* The root's sum is everything, wherever the root's state has moved to. */
static bool is_below(struct numab_group *group, struct cgroup_subsys_state *css)
{
	return !css->parent ||
	       cgroup_is_descendant(group->css->cgroup, css->cgroup);
}

void numab_groups_sum(struct cgroup_subsys_state *css,
		      struct numab_counters *sum)
{
	struct numab_group *group;
	unsigned long id;

	rcu_read_lock();
	group = find(css);
	if (list_empty(&css->children)) {
		if (group)
			numab_counters_sum(group->counters, sum);
	} else {
		xa_for_each(&groups, id, group)
			if (is_below(group, css))
				numab_counters_sum(group->counters, sum);
	}
	rcu_read_unlock();
}

void numab_groups_want(void)
{
	queue_delayed_work(worker, &make_work, WANT_DELAY);
}

/*
 * cgroup_mutex keeps every state on the tree from being released while we
 * sleep for memory. Never wait for this work with a file of ours open: the
 * removal of a file holds cgroup_mutex and waits for those inside.
 */
static void make_groups(struct work_struct *work)
{
	struct cgroup_subsys_state *css;

	mutex_lock(numab_cgroup_mutex);
	css_for_each_descendant_pre(css, numab_root_css)
		if (!get_group(css))
			break; /* no memory: the next miss asks again */
	mutex_unlock(numab_cgroup_mutex);
}

static void tell_gone(struct work_struct *work)
{
	numab_settings_cgroup_gone();
}

/*
 * The nearest ancestor that has a group inherits what was counted, so that
 * its own sum does not shrink. Preemption is off.
 */
static void pass_on_counters(struct numab_group *group)
{
	struct cgroup_subsys_state *css = group->css;
	struct numab_group *heir = NULL;
	struct numab_counters sum = {};
	unsigned int i;

	while (!heir && css->parent) {
		css = css->parent;
		heir = find(css);
	}
	if (!heir)
		return;
	numab_counters_sum(group->counters, &sum);
	for (i = 0; i < NR_COUNTERS; i++)
		this_cpu_add(heir->counters->value[i], sum.value[i]);
}

/*
 * The kernel releases a cgroup's cpu state: cgroup_mutex is held, preemption
 * is off (we are called from the hook), nobody can reach the state any more but
 * under RCU. Its id stays taken until after this, so the group that is found
 * is its own.
 */
void numab_groups_release(struct cgroup_subsys_state *css)
{
	struct numab_group *group = find(css);
	bool had_opinion;

	if (!group)
		return;
	xa_erase(&groups, css->id);
	spin_lock(&opinions_lock);
	had_opinion = !list_empty(&group->with_opinion);
	list_del_init(&group->with_opinion);
	spin_unlock(&opinions_lock);
	pass_on_counters(group);
	call_rcu(&group->rcu, free_group);
	if (had_opinion)
		queue_work(worker, &gone_work);
}

int numab_groups_init(void)
{
	worker = alloc_workqueue("numab", WQ_UNBOUND, 0);
	return worker ? 0 : -ENOMEM;
}

void numab_groups_exit(void)
{
	struct numab_group *group;
	unsigned long id;

	cancel_delayed_work_sync(&make_work);
	cancel_work_sync(&gone_work);
	destroy_workqueue(worker);
	xa_for_each(&groups, id, group)
		free_group(&group->rcu);
	xa_destroy(&groups);
	rcu_barrier(); /* free_group() of those released before */
}
