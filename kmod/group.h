/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inside of a group, for the files that work on it: groups.c (its life and
 * its settings), view.c (what gates ask) and tuning.c (its values).
 */
#ifndef NUMAB_GROUP_H
#define NUMAB_GROUP_H

#include <linux/cgroup.h>
#include <linux/list.h>

#include "../decide/tuning.h"
#include "rate.h"
#include "stats.h"

struct numab_group {
	struct cgroup_subsys_state *css; /* alive while the group is found */
	u64 serial;			 /* the css's, which is never reused */
	int opinion;
	u64 memo; /* of the chain's opinion; see view.c */
	struct numab_counters __percpu *counters;
	struct numab_tuning own;
	struct numab_tuning effective;	/* own, else the nearest above */
	int own_cache;			/* see ../decide/cache.h */
	int cache;			/* what holds: with all above */
	struct numab_group *rate_group; /* whose limit on promotion holds */
	struct numab_group *rate_next;	/* and whose beside its own, or NULL */
	bool rate_stands; /* its limit was set with CAP_SYS_NICE */
	struct numab_rate rate;
	struct list_head with_setting;	    /* in settings, or empty */
	struct list_head policies;	    /* see policies.c */
	struct numab_group *policies_above; /* the next one up with any */
	struct rcu_head rcu;
};

/* Add to a counter of a group, which may be NULL; preemption is off. */
static inline void numab_group_count(struct numab_group *group,
				     enum numab_counter counter,
				     unsigned long n)
{
	if (group)
		this_cpu_add(group->counters->value[counter], n);
}

/*
 * The group of a cgroup's cpu state, or NULL. Under RCU, and valid until that
 * ends; or with the state kept from being released.
 */
struct numab_group *numab_group_find(struct cgroup_subsys_state *css);

/* Find or make; css cannot be released meanwhile. NULL: no memory. Sleeps. */
struct numab_group *numab_group_get(struct cgroup_subsys_state *css);

#endif
