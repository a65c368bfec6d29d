// SPDX-License-Identifier: GPL-2.0
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "../decide/cache.h"
#include "../decide/mode.h"
#include "faults.h"
#include "group.h"
#include "groups.h"
#include "kernel.h"
#include "policies.h"
#include "settings.h"
#include "tuning.h"

/* Groups are made this long after the first miss, many misses at a time. */
#define WANT_DELAY (HZ / 10)

/*
 * groups: by css->id, read under RCU. Entries are stored with cgroup_mutex or
 * settings' lock held and erased by numab_groups_release() with cgroup_mutex
 * held; the xarray's own lock orders the two.
 *
 * settings: the groups with an opinion or a value of their own, under
 * settings_list_lock, which nests inside everything else and is taken in
 * process context only.
 */
static DEFINE_XARRAY(groups);
static LIST_HEAD(settings);
static DEFINE_SPINLOCK(settings_list_lock);
static atomic_t count = ATOMIC_INIT(0); /* groups not yet freed */

static struct workqueue_struct *worker;
static void make_groups(struct work_struct *work);
static DECLARE_DELAYED_WORK(make_work, make_groups);

struct numab_group *numab_group_find(struct cgroup_subsys_state *css)
{
	struct numab_group *group = xa_load(&groups, css->id);

	/* An id is reused; a serial number tells whose group this is. */
	if (group && group->serial != css->serial_nr)
		return NULL;
	return group;
}

int numab_own_opinion(struct cgroup_subsys_state *css)
{
	struct numab_group *group = numab_group_find(css);

	return group ? READ_ONCE(group->opinion) : NUMAB_INHERIT;
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
	group->own_cache = group->cache = NUMAB_CACHE_AUTO;
	INIT_LIST_HEAD(&group->with_setting);
	INIT_LIST_HEAD(&group->policies);
	atomic_inc(&count);
	return group;
}

static void work_out_cache(struct numab_group *group)
{
	struct cgroup_subsys_state *css;
	int value = NUMAB_CACHE_AUTO;

	for (css = group->css; css; css = css->parent) {
		struct numab_group *above = numab_group_find(css);

		if (above)
			value = numab_cache_meet(value,
						 READ_ONCE(above->own_cache));
	}
	WRITE_ONCE(group->cache, value);
}

/* One at a time, so that an older sum never overwrites a newer one. */
static void work_out(struct numab_group *group)
{
	rcu_read_lock();
	spin_lock(&settings_list_lock);
	numab_tuning_work_out(group);
	work_out_cache(group);
	spin_unlock(&settings_list_lock);
	rcu_read_unlock();
}

struct numab_group *numab_group_get(struct cgroup_subsys_state *css)
{
	struct numab_group *group, *other;

	rcu_read_lock();
	group = numab_group_find(css);
	rcu_read_unlock();
	if (group)
		return group; /* css pins it */

	group = new_group(css);
	if (!group)
		return NULL;
	other = xa_cmpxchg(&groups, css->id, NULL, group, GFP_KERNEL);
	if (!other) {
		work_out(group);
		return group;
	}
	/* Lost a race, or no memory. */
	free_group(&group->rcu);
	WARN_ON_ONCE(!xa_is_err(other) && other->serial != css->serial_nr);
	return xa_is_err(other) ? NULL : other;
}

static bool needs_gates(const struct numab_group *group)
{
	return group->opinion != NUMAB_INHERIT ||
	       !numab_tuning_is_empty(&group->own);
}

/* settings_list_lock held. */
static void list_setting(struct numab_group *group)
{
	bool has = needs_gates(group) || group->own_cache != NUMAB_CACHE_AUTO;

	if (!has)
		list_del_init(&group->with_setting);
	else if (list_empty(&group->with_setting))
		list_add(&group->with_setting, &settings);
}

int numab_group_set_opinion(struct cgroup_subsys_state *css, int opinion)
{
	struct numab_group *group = numab_group_get(css);

	if (!group)
		return -ENOMEM;
	spin_lock(&settings_list_lock);
	WRITE_ONCE(group->opinion, opinion);
	list_setting(group);
	numab_views_outdate();
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
	struct numab_group *group = numab_group_find(css);

	return group ? group->own : (struct numab_tuning){};
}

static void work_out_below(struct cgroup_subsys_state *css)
{
	struct numab_group *below;
	unsigned long id;

	smp_mb(); /* see tuning.c */
	rcu_read_lock();
	xa_for_each(&groups, id, below)
		if (is_below(below, css))
			work_out(below);
	rcu_read_unlock();
}

bool numab_group_rate_stands(struct cgroup_subsys_state *css)
{
	struct numab_group *group = numab_group_find(css);

	return group && group->rate_stands;
}

int numab_group_set_tuning(struct cgroup_subsys_state *css,
			   const struct numab_tuning *tuning, bool rate_stands)
{
	struct numab_group *group = numab_group_get(css);
	unsigned int i;

	if (!group)
		return -ENOMEM;
	spin_lock(&settings_list_lock);
	for (i = 0; i < NR_KNOBS; i++)
		WRITE_ONCE(group->own.value[i], tuning->value[i]);
	group->rate_stands = rate_stands;
	list_setting(group);
	spin_unlock(&settings_list_lock);
	work_out_below(css);
	return 0;
}

int numab_own_cache(struct cgroup_subsys_state *css)
{
	struct numab_group *group = numab_group_find(css);

	return group ? READ_ONCE(group->own_cache) : NUMAB_CACHE_AUTO;
}

int numab_group_set_cache(struct cgroup_subsys_state *css, int value)
{
	struct numab_group *group = numab_group_get(css);

	if (!group)
		return -ENOMEM;
	spin_lock(&settings_list_lock);
	WRITE_ONCE(group->own_cache, value);
	list_setting(group);
	spin_unlock(&settings_list_lock);
	work_out_below(css);
	return 0;
}

/*
 * What a cgroup's opinion enables is what is left of it after its ancestors':
 * for a mode that an ancestor took away nothing has to run.
 */
void numab_groups_add_needs(struct numab_needs *needs)
{
	struct numab_group *group;

	rcu_read_lock();
	spin_lock(&settings_list_lock);
	list_for_each_entry(group, &settings, with_setting) {
		needs->settings++;
		needs->gates += needs_gates(group);
		needs->lifts |= numab_cache_lifts(group->own_cache,
						  numab_kernel_tolerance());
		if (group->opinion != NUMAB_INHERIT)
			needs->mechanisms |= numab_opinion_meet(
				group->opinion,
				numab_chain_opinion(group->css->parent));
	}
	spin_unlock(&settings_list_lock);
	rcu_read_unlock();
}

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
		group->own = (struct numab_tuning){};
		WRITE_ONCE(group->own_cache, NUMAB_CACHE_AUTO);
		WRITE_ONCE(group->cache, NUMAB_CACHE_AUTO);
		list_del_init(&group->with_setting);
	}
	numab_views_outdate();
	spin_unlock(&settings_list_lock);
}

void numab_groups_sum(struct cgroup_subsys_state *css,
		      struct numab_counters *sum)
{
	struct numab_group *group;
	unsigned long id;

	rcu_read_lock();
	group = numab_group_find(css);
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
		if (!numab_group_get(css))
			break; /* no memory: the next miss asks again */
	mutex_unlock(numab_cgroup_mutex);
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
		heir = numab_group_find(css);
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
	struct numab_group *group = numab_group_find(css);
	bool had_setting;

	if (!group)
		return;
	spin_lock(&settings_list_lock);
	/* Erase before: whoever sees the new generation must not find it. */
	xa_erase(&groups, css->id);
	had_setting = !list_empty(&group->with_setting);
	list_del_init(&group->with_setting);
	had_setting |= numab_policies_orphan(group);
	numab_views_outdate();
	spin_unlock(&settings_list_lock);
	pass_on_counters(group);
	call_rcu(&group->rcu, free_group);
	if (had_setting)
		numab_settings_recheck();
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
	destroy_workqueue(worker);
	xa_for_each(&groups, id, group)
		free_group(&group->rcu);
	xa_destroy(&groups);
	rcu_barrier(); /* free_group() of those released before */
}
