// SPDX-License-Identifier: GPL-2.0
/*
 * Time window: balance between two times of day, say at night, when a batch
 * job may be slowed by moving its memory and nobody waits for answers. Times
 * are minutes after midnight; they may span midnight. The kernel knows
 * coordinated time only: offset is the time zone's, in minutes.
 *
 *	numab policy load at_night.bpf.o --cgroup batch.slice \
 *		--set begin=1320 --set end=360 --set offset=60
 */
#include "numab_bpf.h"

/* To be changed at any time, in the map of them. */
volatile int begin = 22 * 60;
volatile int end = 6 * 60;
volatile int offset;

#define NS_PER_SECOND 1000000000ULL
#define DAY	      (24 * 60)

/* Ahead of coordinated time by half a minute or so, which does not matter. */
static int minute_of_day(void)
{
	__u64 minutes = bpf_ktime_get_tai_ns() / NS_PER_SECOND / 60;

	return (minutes + DAY + offset) % DAY;
}

SEC("struct_ops/mode")
int BPF_PROG(at_night_mode, struct task_struct *task, struct folio *folio)
{
	int now = minute_of_day();
	bool inside = begin <= end ? now >= begin && now < end :
				     now >= begin || now < end;

	return inside ? NUMAB_NO_OPINION : NUMAB_OFF;
}

NUMAB_POLICY(at_night, .mode = (void *)at_night_mode);
