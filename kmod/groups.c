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
	struct numab_tuning own;
	struct numab_tuning effective;	/* own, else the nearest above */
	struct numab_group *rate_group; /* whose limit on promotion holds */
	unsigned long rate_start;      /* jiffies: the second that is counted */
	atomic_long_t rate_pages;      /* promoted in it */
	struct list_head with_setting; /* in settings, or empty */
	struct rcu_head rcu;
};

#define MEMO_SHIFT 8

/*
 * groups: by css->id, read under RCU. Entries are stored with cgroup_mutex or
 * settings' lock held and erased by numab_groups_release() with cgroup_mutex held; the
 * xarray's own lock orders the two.
 *
 * settings: the groups with an opinion or a value of their own, under
 * settings_list_lock, which nests inside everything else and is taken in
 * process context only.
 *
 * tuning: values are written with settings' lock held, one by one, and read
 * without any: a reader may see the new value of one knob and the old one of
 * another. A new group works out its values after it is in the xarray, and a
 * writer after it has stored its own: one of the two sees the other.
 *
 * generation: moves after every change of an opinion and when a group goes. A
 * memo of an older generation is no memo. Released by the writer after the
 * opinion, acquired by the reader before it, so a memo never claims to be
 * newer than it is.
 */
static DEFINE_XARRAY(groups);
static LIST_HEAD(settings);
static DEFINE_SPINLOCK(settings_list_lock);
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

static const struct numab_tuning no_tuning;

/* A cgroup without a group has no values of its own: the nearest one's hold. */
static struct numab_view view_of(int opinion, struct numab_group *group)
{
	return (struct numab_view){
		.mode = numab_mode_effective(opinion, numab_system_default()),
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
	return view_through(this_cpu_ptr(&last_task),
			    task_css_check(p, cpu_cgrp_id, true));
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
	INIT_LIST_HEAD(&group->with_setting);
	atomic_inc(&count);
	return group;
}

/* Under RCU. */
static void work_out_tuning(struct numab_group *group)
{
	struct numab_group *rate_group = NULL;
	struct numab_tuning sum = {};
	struct cgroup_subsys_state *css;
	unsigned int i;

	for (css = group->css; css; css = css->parent) {
		struct numab_group *above = find(css);

		if (!above)
			continue;
		numab_tuning_inherit(&sum, &above->own);
		if (!rate_group && above->own.value[KNOB_PROMOTE_RATE])
			rate_group = above;
	}
	WRITE_ONCE(group->rate_group, rate_group);
	for (i = 0; i < NR_KNOBS; i++)
		WRITE_ONCE(group->effective.value[i], sum.value[i]);
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
	if (!other) {
		rcu_read_lock();
		work_out_tuning(group);
		rcu_read_unlock();
		return group;
	}
	/* Lost a race, or no memory. */
	free_group(&group->rcu);
	WARN_ON_ONCE(!xa_is_err(other) && other->serial != css->serial_nr);
	return xa_is_err(other) ? NULL : other;
}

/* settings_list_lock held. */
static void list_setting(struct numab_group *group)
{
	bool has = group->opinion != NUMAB_INHERIT ||
		   !numab_tuning_is_empty(&group->own);

	if (!has)
		list_del_init(&group->with_setting);
	else if (list_empty(&group->with_setting))
		list_add(&group->with_setting, &settings);
}

int numab_group_set_opinion(struct cgroup_subsys_state *css, int opinion)
{
	struct numab_group *group = get_group(css);

	if (!group)
		return -ENOMEM;
	spin_lock(&settings_list_lock);
	WRITE_ONCE(group->opinion, opinion);
	list_setting(group);
	smp_store_release(&generation, generation + 1);
	spin_unlock(&settings_list_lock);
	return 0;
}

/* The root's sum is everything, wherever the root's state has moved to. */
static bool is_below(struct numab_group *group, struct cgroup_subsys_state *css)
{
	return !css->parent ||
	       cgroup_is_descendant(group->css->cgroup, css->cgroup);
}

struct numab_tuning numab_own_tuning(struct cgroup_subsys_state *css)
{
	struct numab_group *group = find(css);

	return group ? group->own : no_tuning;
}

int numab_group_set_tuning(struct cgroup_subsys_state *css,
			   const struct numab_tuning *tuning)
{
	struct numab_group *group = get_group(css), *below;
	unsigned long id;
	unsigned int i;

	if (!group)
		return -ENOMEM;
	spin_lock(&settings_list_lock);
	for (i = 0; i < NR_KNOBS; i++)
		WRITE_ONCE(group->own.value[i], tuning->value[i]);
	list_setting(group);
	spin_unlock(&settings_list_lock);
	smp_mb(); /* see tuning at the top */
	rcu_read_lock();
	xa_for_each(&groups, id, below)
		if (is_below(below, css))
			work_out_tuning(below);
	rcu_read_unlock();
	return 0;
}

/*
 * The same coarse way in which the kernel limits a node: so many pages in each
 * second. Two CPUs may both see a new second begin; one of them starts it.
 */
bool numab_group_may_promote(struct numab_view view, unsigned long pages)
{
	unsigned int limit = READ_ONCE(view.tuning->value[KNOB_PROMOTE_RATE]);
	struct numab_group *group =
		view.group ? READ_ONCE(view.group->rate_group) : NULL;
	unsigned long start;

	if (!limit || !group)
		return true;
	start = READ_ONCE(group->rate_start);
	if (time_after(jiffies, start + HZ) &&
	    try_cmpxchg(&group->rate_start, &start, jiffies))
		atomic_long_set(&group->rate_pages, 0);
	return atomic_long_fetch_add(pages, &group->rate_pages) <
	       (long)limit << (20 - PAGE_SHIFT);
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
	spin_lock(&settings_list_lock);
	list_for_each_entry(group, &settings, with_setting) {
		needs.settings++;
		if (group->opinion != NUMAB_INHERIT)
			needs.mechanisms |= numab_opinion_meet(
				group->opinion,
				numab_chain_opinion(group->css->parent));
	}
	spin_unlock(&settings_list_lock);
	rcu_read_unlock();
	return needs;
}

#ifdef NUMAB_TEST
void numab_groups_outdate(void)
{
	spin_lock(&settings_list_lock);
	smp_store_release(&generation, generation + 1);
	spin_unlock(&settings_list_lock);
}
#endif

int numab_groups_count(void)
{
	return atomic_read(&count);
}

void numab_groups_forget(void)
{
	struct numab_group *group, *next;

	spin_lock(&settings_list_lock);
	list_for_each_entry_safe(group, next, &settings, with_setting) {
		WRITE_ONCE(group->opinion, NUMAB_INHERIT);
		group->own = no_tuning;
		list_del_init(&group->with_setting);
	}
	smp_store_release(&generation, generation + 1);
	spin_unlock(&settings_list_lock);
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
	bool had_setting;

	if (!group)
		return;
	spin_lock(&settings_list_lock);
	had_setting = !list_empty(&group->with_setting);
	list_del_init(&group->with_setting);
	smp_store_release(&generation, generation + 1);
	spin_unlock(&settings_list_lock);
	xa_erase(&groups, css->id);
	pass_on_counters(group);
	call_rcu(&group->rcu, free_group);
	if (had_setting)
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
