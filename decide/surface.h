/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the effective modes of a task T and a folio F allow: one function for
 * each row of the table of decisions.
 *
 * T's mode is the mode of the task that scans or faults, F's the mode of the
 * memory cgroup that is charged with the folio, whoever touches it.
 *
 * Pure: no locking, no errors. Modes are sets of enum numab_mechanism.
 */
#ifndef NUMAB_DECIDE_SURFACE_H
#define NUMAB_DECIDE_SURFACE_H

#include "mode.h"

/* T scans its address space; pinned: its memory may lie on one node only. */
static inline bool numab_task_scans(int t, bool pinned)
{
	return t != NUMAB_OFF && !pinned;
}

/* T marks a mapping of F so that the next touch is a hint fault. */
static inline bool numab_marks(int t, int f, bool top_tier)
{
	if (top_tier)
		return t & NUMAB_NORMAL;
	return t & f & NUMAB_TIERING;
}

/* T's hint faults feed statistics and task placement. */
static inline bool numab_counts_faults(int t)
{
	return t & NUMAB_NORMAL;
}

/*
 * F, at which T took a hint fault, may leave its node. From a slow tier that
 * is a promotion, which is the folio's own affair; between top-tier nodes
 * task and folio must both want it.
 */
static inline bool numab_moves(int t, int f, bool top_tier)
{
	if (top_tier)
		return t & f & NUMAB_NORMAL;
	return f & NUMAB_TIERING;
}

#endif
