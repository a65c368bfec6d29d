/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a gate needs to know of a task or a folio: the effective mode, the
 * values of its workload, and whom to count for.
 *
 * A consult takes no lock and allocates nothing: mostly one compare with the
 * last answer on this CPU, else one look-up by the id of the cpu state and one
 * compare, whatever the number of cgroups and settings. Only after a setting
 * changed it walks up the ancestors, once.
 */
#ifndef NUMAB_VIEW_H
#define NUMAB_VIEW_H

#include <linux/cgroup.h>
#include <linux/mm_types.h>

#include "../decide/tuning.h"
#include "stats.h"

struct numab_group;

/* No more than two registers: a gate gets one for every page. */
struct numab_view {
	int mode;		   /* the effective mode */
	int chain;		   /* the cgroups' opinion, or inherit */
	struct numab_group *group; /* whom to count for; may be NULL */
};

/* With preemption off; valid until it is on again. */
struct numab_view numab_view_of_task(struct task_struct *p);
struct numab_view numab_view_of_folio(struct folio *folio);

/*
 * The same for a scan's beginning, and while it goes on: policies are asked
 * once a scan, not for each of its pages.
 */
struct numab_view numab_view_at_scan(struct task_struct *p);
struct numab_view numab_view_in_scan(struct task_struct *p);

/* Without asking any policy: for whoever may not make them run. */
struct numab_view numab_view_unasked(struct task_struct *p);

/*
 * The value of a knob that holds for the view's cgroup, and for p, whose view
 * it is and whose own values are nearer; 0: the kernel's own. As above.
 */
unsigned int numab_view_value(struct numab_view view, enum numab_knob knob);
unsigned int numab_view_value_for(struct task_struct *p, struct numab_view view,
				  enum numab_knob knob);

/* May p, whose view it is, be gathered on one cache? See ../decide/cache.h. */
int numab_view_cache_for(struct task_struct *p, struct numab_view view);

/* The same of the files alone. Under RCU. */
const struct numab_tuning *numab_view_tuning(struct numab_view view);
int numab_view_cache(struct numab_view view);

/* What the files of a chain say. Under RCU; valid until that ends. */
struct numab_view numab_view_of_css(struct cgroup_subsys_state *css);

/* The opinion of a chain: of css and every ancestor of it. Under RCU. */
int numab_chain_opinion(struct cgroup_subsys_state *css);

/* An opinion changed or a group goes: every answer is to be found anew. */
void numab_views_outdate(void);

/* Add to a counter; preemption is off. */
void numab_count(struct numab_view view, enum numab_counter counter,
		 unsigned long n);

#endif
