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
 *
 * A consult (numab_view_*) takes no lock and allocates nothing: one look-up
 * by the id of the cpu state and one compare, whatever the number of cgroups
 * and settings. Only after a setting changed it walks up the ancestors, once.
 */
#ifndef NUMAB_GROUPS_H
#define NUMAB_GROUPS_H

#include <linux/cgroup.h>
#include <linux/mm_types.h>
#include <linux/seq_file.h>

#include "../decide/tuning.h"
#include "stats.h"

struct numab_group;

/* What a gate needs to know of a task or a folio. */
struct numab_view {
	int mode;			   /* the effective mode */
	struct numab_group *group;	   /* whom to count for; may be NULL */
	const struct numab_tuning *tuning; /* 0: the kernel's own value */
};

/* What all opinions together ask for. */
struct numab_needs {
	unsigned int settings;	 /* cgroups with an opinion or a value */
	unsigned int mechanisms; /* what any of them enables */
};

/* Under RCU or with preemption off; valid until that ends. */
struct numab_view numab_view_of_task(struct task_struct *p);
struct numab_view numab_view_of_folio(struct folio *folio);
struct numab_view numab_view_of_css(struct cgroup_subsys_state *css);

/* The opinion of a chain: of css and every ancestor of it. Under RCU. */
int numab_chain_opinion(struct cgroup_subsys_state *css);

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
 * for every cgroup below is worked out at once.
 */
int numab_group_set_tuning(struct cgroup_subsys_state *css,
			   const struct numab_tuning *tuning);

/*
 * May this many pages be promoted now, by the rate limit that holds for the
 * view? They are counted if so. Preemption is off.
 */
bool numab_group_may_promote(struct numab_view view, unsigned long pages);

/* Add to a counter; preemption is off. */
void numab_count(struct numab_view view, enum numab_counter counter,
		 unsigned long n);

struct numab_needs numab_groups_needs(void);

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

#ifdef NUMAB_TEST
/* Make every memo stale, as a change of a setting does; for kmod/bench.c. */
void numab_groups_outdate(void);
#endif

int numab_groups_init(void);

/* Nothing is hooked any more, nobody is inside a file. */
void numab_groups_exit(void);

#endif
