/* SPDX-License-Identifier: GPL-2.0 */
/* A limit on promotion: so many pages in each second. */
#ifndef NUMAB_RATE_H
#define NUMAB_RATE_H

#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/mm.h>

struct numab_rate {
	unsigned long start; /* jiffies: the second that is counted */
	atomic_long_t pages; /* promoted in it */
};

/*
 * May this many pages be promoted now? They are counted if so. Any context.
 *
 * The same coarse way in which the kernel limits a node. Two CPUs may both see
 * a new second begin; one of them starts it.
 */
static inline bool numab_rate_allows(struct numab_rate *rate,
				     unsigned int limit_mbps,
				     unsigned long pages)
{
	unsigned long start = READ_ONCE(rate->start);

	if (time_after(jiffies, start + HZ) &&
	    try_cmpxchg(&rate->start, &start, jiffies))
		atomic_long_set(&rate->pages, 0);
	return atomic_long_fetch_add(pages, &rate->pages) <
	       (long)limit_mbps << (20 - PAGE_SHIFT);
}

#endif
