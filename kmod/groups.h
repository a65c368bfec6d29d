/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What numab keeps for a cgroup: its opinion, a memo of the opinion of the
 * whole chain, and counters. A group belongs to the cgroup's state in the cpu
 * controller, whose files carry the settings; a task or folio of a cgroup
 * without the cpu controller belongs to the nearest one above that has it.
 *
 * Life: a group comes with the first write to its files or, soon after the
 * first time a gate asked for it, from a worker; it goes when the kernel
 * releases the cgroup's state, at the latest when the module goes. No
 * reference to a cgroup is held: nothing here keeps one from dying.
 */
#ifndef NUMAB_GROUPS_H
#define NUMAB_GROUPS_H

#include <linux/cgroup.h>
#include <linux/mm_types.h>
#include <linux/seq_file.h>

#include "../decide/tuning.h"
#include "stats.h"

/* What all opinions together ask for. */
struct numab_needs {
	unsigned int settings;	 /* places with an opinion or a value */
	unsigned int tasks;	 /* of them, processes */
	unsigned int policies;	 /* attached */
	unsigned int gates;	 /* those with more than a word on caches */
	bool lifts;		 /* the kernel's check of sizes must pass */
	unsigned int mechanisms; /* what any of them enables */
};

/* One place's own opinion, NUMAB_INHERIT where there is none. Under RCU. */
int numab_own_opinion(struct cgroup_subsys_state *css);

/*
 * Set it; css is alive, settings' lock held. 0 or -ENOMEM. The next consult
 * anywhere sees it.
 */
int numab_group_set_opinion(struct cgroup_subsys_state *css, int opinion);

/* A place's own values; all 0 where there are none. Under RCU. */
struct numab_tuning numab_own_tuning(struct cgroup_subsys_state *css);

/*
 * Set own values; css is alive, settings' lock held. 0 or -ENOMEM. What holds
 * for every cgroup below is worked out at once. rate_stands: the limit on
 * promotion need not keep the one above it.
 */
int numab_group_set_tuning(struct cgroup_subsys_state *css,
			   const struct numab_tuning *tuning, bool rate_stands);

bool numab_group_rate_stands(struct cgroup_subsys_state *css);

/* A place's own word on its cache, NUMAB_CACHE_AUTO if none. Under RCU. */
int numab_own_cache(struct cgroup_subsys_state *css);

/* Set it, as above. */
int numab_group_set_cache(struct cgroup_subsys_state *css, int value);

/* Add to needs what all cgroups together ask for. */
void numab_groups_add_needs(struct numab_needs *needs);

/* Groups there are, those that wait for RCU to be freed included. */
int numab_groups_count(void);

/* Drop every setting (unloading); settings' lock held. */
void numab_groups_forget(void);

/* Sum over css and all below it, what was below and is gone included. */
void numab_groups_sum(struct cgroup_subsys_state *css,
		      struct numab_counters *sum);

/* Ask for the groups of cgroups that have none yet. Any context. */
void numab_groups_want(void);

/* The kernel releases a cgroup's cpu state; from the hook, cgroup_mutex held. */
void numab_groups_release(struct cgroup_subsys_state *css);

int numab_groups_init(void);

/* Nothing is hooked any more, nobody is inside a file. */
void numab_groups_exit(void);

#endif
