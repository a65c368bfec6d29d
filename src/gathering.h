/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the module knows of a process in cache-aware scheduling, from
 * /sys/kernel/debug/numab/cache: the facts of ../decide/cache.h, and what
 * follows.
 */
#ifndef NUMAB_GATHERING_H
#define NUMAB_GATHERING_H

#include <stdbool.h>
#include <stdint.h>

#define GATHERING_FILE "/sys/kernel/debug/numab/cache"

struct gathering {
	int pid;
	uint64_t footprint, in_sweep, rss, llc; /* bytes */
	int tolerance;				/* the kernel's */
	int asked;				/* see ../decide/cache.h */
	bool estimated;	     /* footprint and in_sweep say something */
	int verdict;	     /* enum numab_cache_verdict, or -1: a newer one */
	bool kernel_refuses; /* the kernel's own check would */
	bool lifted;	     /* that check is made to pass */
	int cpu;	     /* where it is gathered, or -1 */
};

/* The block of a process in what the file holds. 0 or -ENOENT. */
int gathering_parse(const char *text, int pid, struct gathering *ret_gathering);

/*
 * 0; -ENOENT (it has one thread, or is gone); -ENODATA (no module, or the
 * kernel does not schedule by caches); -EACCES (root is needed); -ENOMEM.
 */
int gathering_read(int pid, struct gathering *ret_gathering);

/* A bound of sizes as the verdict has it: the cache, scaled. 0: none. */
uint64_t gathering_bound(const struct gathering *gathering);

#endif
