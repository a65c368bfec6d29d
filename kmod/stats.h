/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters of what numab's gates saw and decided, per cgroup and CPU.
 *
 * What the kernel counts itself (memory.stat) is not counted again. A counter
 * is added to with preemption off and read without any lock: a sum may miss
 * what happens meanwhile.
 */
#ifndef NUMAB_STATS_H
#define NUMAB_STATS_H

#include <linux/percpu.h>
#include <linux/types.h>

enum numab_counter {
	COUNT_SCANS_RUN,	    /* scans that were due and went on */
	COUNT_SCANS_SKIPPED_MODE,   /* scans stopped: the task's mode is off */
	COUNT_SCANS_SKIPPED_PINNED, /* its memory may lie on one node only */
	COUNT_SCANS_SKIPPED_MEMPOLICY, /* the same, by its memory policy */
	COUNT_MARKS_REFUSED_NORMAL,    /* top-tier mappings left alone */
	COUNT_MARKS_REFUSED_TIERING,   /* slow-tier mappings left alone */
	COUNT_HINT_FAULTS_LOCAL,       /* hint faults, by where the folio was */
	COUNT_HINT_FAULTS_REMOTE,
	COUNT_HINT_FAULTS_SLOW,
	COUNT_HINT_FAULTS_UNCOUNTED, /* those kept from the statistics */
	COUNT_MOVES_REFUSED,	     /* folios kept on a top-tier node */
	COUNT_PROMOTIONS_COLD,	     /* not: older than the hot threshold */
	COUNT_PROMOTIONS_LIMITED,    /* not: beyond the promotion rate */
	COUNT_PROMOTIONS_REFUSED,    /* folios kept on a slow node */
	COUNT_POLICY_CALLS,	     /* policies asked about task or folio */
	COUNT_POLICY_BAD_ANSWERS,    /* neither a mode nor "no opinion" */
	COUNT_POLICY_THROTTLED,	     /* not asked: it had run for too long */
	COUNT_PROMOTION_SCANS,	     /* passes for promotion only */
	COUNT_PROMOTION_SCAN_BYTES,  /* of memory they looked at */
	COUNT_PROMOTION_SCAN_USEC,   /* time they took */
	COUNT_PROMOTION_MARKS,	     /* pages marked for promotion only */
	COUNT_GATHERS_REFUSED_RSS,   /* not on one cache: no estimate */
	COUNT_GATHERS_REFUSED_FOOTPRINT, /* the estimate does not fit */
	COUNT_GATHERS_REFUSED_SETTING,	 /* never, or tolerance 0 */
	NR_COUNTERS,
};

struct numab_counters {
	u64 value[NR_COUNTERS];
};

extern const char *const numab_counter_names[NR_COUNTERS];

/* Add the counters of all CPUs to sum. */
void numab_counters_sum(const struct numab_counters __percpu *counters,
			struct numab_counters *sum);

#endif
