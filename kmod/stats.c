// SPDX-License-Identifier: GPL-2.0
#include "stats.h"

const char *const numab_counter_names[NR_COUNTERS] = {
	[COUNT_SCANS_RUN] = "scans_run",
	[COUNT_SCANS_SKIPPED_MODE] = "scans_skipped_mode",
	[COUNT_SCANS_SKIPPED_PINNED] = "scans_skipped_pinned",
	[COUNT_SCANS_SKIPPED_MEMPOLICY] = "scans_skipped_mempolicy",
	[COUNT_MARKS_REFUSED_NORMAL] = "marks_refused_normal",
	[COUNT_MARKS_REFUSED_TIERING] = "marks_refused_tiering",
	[COUNT_HINT_FAULTS_LOCAL] = "hint_faults_local",
	[COUNT_HINT_FAULTS_REMOTE] = "hint_faults_remote",
	[COUNT_HINT_FAULTS_SLOW] = "hint_faults_slow",
	[COUNT_HINT_FAULTS_UNCOUNTED] = "hint_faults_uncounted",
	[COUNT_MOVES_REFUSED] = "moves_refused",
	[COUNT_PROMOTIONS_COLD] = "promotions_cold",
	[COUNT_PROMOTIONS_LIMITED] = "promotions_limited",
	[COUNT_PROMOTIONS_REFUSED] = "promotions_refused",
	[COUNT_POLICY_CALLS] = "policy_calls",
	[COUNT_POLICY_BAD_ANSWERS] = "policy_bad_answers",
	[COUNT_POLICY_THROTTLED] = "policy_throttled",
	[COUNT_PROMOTION_SCANS] = "promotion_scans_run",
	[COUNT_PROMOTION_SCAN_BYTES] = "promotion_scan_bytes",
	[COUNT_PROMOTION_SCAN_USEC] = "promotion_scan_usec",
	[COUNT_PROMOTION_MARKS] = "promotion_marks",
	[COUNT_GATHERS_REFUSED_RSS] = "gathers_refused_rss",
	[COUNT_GATHERS_REFUSED_FOOTPRINT] = "gathers_refused_footprint",
	[COUNT_GATHERS_REFUSED_SETTING] = "gathers_refused_setting",
};

void numab_counters_sum(const struct numab_counters __percpu *counters,
			struct numab_counters *sum)
{
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct numab_counters *c = per_cpu_ptr(counters, cpu);

		for (i = 0; i < NR_COUNTERS; i++)
			sum->value[i] += READ_ONCE(c->value[i]);
	}
}
