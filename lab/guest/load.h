/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A workload whose memory starts in the wrong place: a process of its own, in
 * a cgroup, on the CPUs of one node, that touches every page of memory on
 * other nodes again and again until it is stopped.
 *
 * Memory is put on its node while it is first touched; afterwards the process
 * has the default policy (so the kernel may balance it), or the one asked for.
 */
#ifndef LAB_GUEST_LOAD_H
#define LAB_GUEST_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum load_kind {
	LOAD_ANON,
	LOAD_THP,	/* anonymous, huge pages asked for */
	LOAD_SHMEM,	/* the memfd given */
	LOAD_SHMEM_THP, /* the same, huge pages asked for */
	LOAD_FILE,	/* the file given, shared and writable, never written */
};

#define LOAD_REGIONS 3

struct load {
	/* what to do, set by the caller */
	const char *cgroup;
	const char *name;	/* of the process; NULL: the cgroup's */
	int cpu_node;		/* whose CPUs it runs on; -1: any */
	int threads;		/* that touch; 0 is 1 */
	unsigned long bound_to; /* nodes of its memory policy; 0: default */
	enum load_kind kind;
	struct {
		int node; /* where the memory starts */
		int mb;
		int fd;		/* not anonymous: whose pages */
		bool placed;	/* it is there already: do not touch it first */
	} region[LOAD_REGIONS]; /* as many as have mb */

	/* state, read by the caller */
	pid_t pid;
	struct load_shared *shared;
};

/* Start it, and return when all of its memory is where it starts. */
void load_start(struct load *load);

/* Times it went through all of its memory. */
unsigned long load_passes(const struct load *load);

/* Pages of a region by node, as the kernel says (move_pages). */
void load_where(const struct load *load, int region, long *pages, int nodes);

/* The percentage of a region's pages on a node. */
double load_share(const struct load *load, int region, int node);

/* Move a region's pages to a node, as the administrator may (move_pages). */
void load_move(const struct load *load, int region, int node);

/* Stop and resume touching. Returns when every thread sleeps. */
void load_pause(struct load *load, bool pause);

/* Kill it and wait for it. */
void load_stop(struct load *load);

/* Have the caller run on the CPUs of a node only. */
void load_run_on_node(int node);

/* Poll until cond(arg) is true; false when it is not within seconds. */
bool wait_until(bool (*cond)(void *arg), void *arg, double seconds);

/* Seconds on the monotonic clock. */
double now(void);

#endif
