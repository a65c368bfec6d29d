/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of a workload's own in place of the kernel's global knobs, and the
 * rule that combines them: the nearest place that has a value holds.
 *
 * Pure: no locking, callers pass copies. Errors: negative errno.
 */
#ifndef NUMAB_DECIDE_TUNING_H
#define NUMAB_DECIDE_TUNING_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#endif

enum numab_knob {
	KNOB_HOT_THRESHOLD,   /* ms: a slow page older than this is not hot */
	KNOB_SCAN_SIZE,	      /* MB of a task's memory looked at in one scan */
	KNOB_SCAN_PERIOD_MIN, /* ms between scans, at least */
	KNOB_SCAN_PERIOD_MAX, /* ms between scans, at most */
	KNOB_PROMOTE_RATE,    /* MB/s that may be promoted */
	NR_KNOBS,
};

/* 0: no value here, ask the next place up, at last the kernel. */
struct numab_tuning {
	unsigned int value[NR_KNOBS];
};

/* The smallest and largest value that may be set; "max" is the largest. */
struct numab_knob_range {
	const char *name; /* as in cpu.numab.tuning, with the unit */
	unsigned int min;
	unsigned int max;
};
extern const struct numab_knob_range numab_knobs[NR_KNOBS];

/* What holds where own and the values from further up come together. */
void numab_tuning_inherit(struct numab_tuning *own,
			  const struct numab_tuning *above);

bool numab_tuning_is_empty(const struct numab_tuning *tuning);

/*
 * A period within its bounds; where they cross, the minimum holds. 0 is no
 * bound.
 */
static inline unsigned int numab_scan_period_bound(unsigned int period,
						   unsigned int min,
						   unsigned int max)
{
	if (max && period > max)
		period = max;
	return period < min ? min : period;
}

/*
 * The period (ms) at which a process of rss_mb is scanned size_mb at a time,
 * when a whole sweep may take no less than sweep_ms and no more than 2560 MB a
 * second may be scanned: the kernel's rule (task_scan_min()), with the size as
 * an argument. size_mb is not 0.
 */
static inline unsigned int numab_scan_period_start(unsigned long rss_mb,
						   unsigned int size_mb,
						   unsigned int sweep_ms)
{
	unsigned long windows = rss_mb / size_mb + 1;
	unsigned int floor = 1000UL * size_mb / 2560 + 1;
	unsigned int period = sweep_ms / windows;

	return period < floor ? floor : period;
}

/*
 * May these values be written without CAP_SYS_NICE? Whatever makes balancing
 * of this workload no heavier than base, which holds without them: longer
 * periods, and less of the rest. 0 (no own value) always; where base is not
 * known (0), no value is free.
 */
bool numab_tuning_is_free(const struct numab_tuning *own,
			  const struct numab_tuning *base);

/* Does a value make balancing heavier than base does? Neither is 0. */
bool numab_knob_is_heavier(enum numab_knob knob, unsigned int value,
			   unsigned int base);

/* Own values without those that is_free() would refuse. */
void numab_tuning_drop_heavier(struct numab_tuning *own,
			       const struct numab_tuning *base);

/* Is each value 0 or in its range, and the periods in order? */
bool numab_tuning_is_valid(const struct numab_tuning *own);

/*
 * Parse "default", "max" or a decimal number in the knob's range, with white
 * space around it; default is stored as 0. Returns 0 or -EINVAL (not a number,
 * out of range), and then leaves *ret_value alone. buf need not be terminated;
 * a NUL inside is an error.
 */
int numab_knob_parse(enum numab_knob knob, const char *buf, size_t len,
		     unsigned int *ret_value);

/*
 * Parse the two scan periods: "default", "MIN" (the maximum stays default) or
 * "MIN MAX", where either may be "default" and MAX may be "max". Returns 0 or
 * -EINVAL, also when MIN is above MAX, and then leaves the outputs alone.
 */
int numab_scan_period_parse(const char *buf, size_t len, unsigned int *ret_min,
			    unsigned int *ret_max);

#endif
