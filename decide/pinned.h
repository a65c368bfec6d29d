/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Is a task's memory pinned to one node, so that scanning it is of no use?
 *
 * Pages that may lie on one node only cannot move. But pages that are not
 * scanned do not attract their task either: where it may run both on and off
 * that node's CPUs, scanning could still bring it there. Which is worth more is
 * the administrator's to say.
 *
 * Pure: no locking, no errors.
 */
#ifndef NUMAB_DECIDE_PINNED_H
#define NUMAB_DECIDE_PINNED_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#endif

enum numab_pin {
	PIN_NONE,
	PIN_CPUSET,    /* its cpuset allows memory of one node */
	PIN_MEMPOLICY, /* its memory policy binds it to one node */
};

/* Which pinned tasks are scanned all the same. */
enum numab_pinned_scans {
	PINNED_SCANS_NEVER,
	PINNED_SCANS_MOVABLE, /* who may run on and off the node's CPUs */
	PINNED_SCANS_ALWAYS,
};

struct numab_pin_facts {
	bool one_node_allowed;	/* by the cpuset, also an inherited one */
	bool bound_to_one_node; /* by the task's own memory policy */
	bool runs_on_node;	/* some CPU of that node is allowed */
	bool runs_off_node;	/* and some other CPU */
	enum numab_pinned_scans scans;
};

static inline enum numab_pin numab_pin(struct numab_pin_facts facts)
{
	bool movable = facts.runs_on_node && facts.runs_off_node;

	if (facts.scans == PINNED_SCANS_ALWAYS ||
	    (facts.scans == PINNED_SCANS_MOVABLE && movable))
		return PIN_NONE;
	if (facts.one_node_allowed)
		return PIN_CPUSET;
	return facts.bound_to_one_node ? PIN_MEMPOLICY : PIN_NONE;
}

#endif
