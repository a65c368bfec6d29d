/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The decision points: the kernel functions that numab hooks, as a table, and
 * the check of the running kernel against it before anything is changed.
 *
 * A point is usable when its symbol is there, its prototype and every struct
 * member and function it depends on are as compiled, and nobody else (a
 * livepatch) redirects it. All of that is known after numab_points_verify();
 * later only the states idle, live and held change, in hook.c, under settings'
 * lock.
 */
#ifndef NUMAB_POINTS_H
#define NUMAB_POINTS_H

#include <linux/bits.h>
#include <linux/compiler_attributes.h>
#include <linux/types.h>

enum numab_point_id {
	POINT_SCAN,	/* may a task scan its address space? */
	POINT_MARK,	/* may a mapping of a folio be marked? */
	POINT_MOVE,	/* may a folio leave its node at a hint fault? */
	POINT_FAULT,	/* does a hint fault feed the task's statistics? */
	POINT_SYSCTL,	/* what does kernel.numa_balancing say? */
	POINT_CGROUP,	/* a cgroup's cpu state is gone */
	POINT_CACHE,	/* on which cache is a process to be gathered? */
	POINT_CAPACITY, /* does it fit there, as the kernel sees it? */
	POINT_FORK,	/* a process is born (tracepoints from here on) */
	POINT_EXEC,	/* it runs another program */
	POINT_EXIT,	/* a thread goes */
	POINT_PREPARE,	/* may a misplaced folio be isolated to migrate? */
	POINT_OWN_SCAN, /* not hooked but called: a walk of our own */
	POINT_POLICY,	/* the same: policies can be registered */
	NR_POINTS,
};

#define POINTS_ALL (BIT(NR_POINTS) - 1)
/* Hooked while loaded: none is on a scan, fault, fork or tick path. */
#define POINTS_ALWAYS (BIT(POINT_SYSCTL) | BIT(POINT_CGROUP) | BIT(POINT_CACHE))
/* Hooked while a setting exists. */
#define POINTS_GATES \
	(BIT(POINT_SCAN) | BIT(POINT_MARK) | BIT(POINT_MOVE) | BIT(POINT_FAULT))
/* Hooked while a process has a setting; these are tracepoints. */
#define POINTS_TASKS (BIT(POINT_FORK) | BIT(POINT_EXEC) | BIT(POINT_EXIT))
/* Hooked while there are scans for promotion only. */
#define POINTS_PROMOTE (BIT(POINT_SCAN) | BIT(POINT_MARK) | BIT(POINT_PREPARE))
/* Every point that is hooked only while something needs it; see settings.c. */
#define POINTS_ON_DEMAND \
	(POINTS_GATES | POINTS_TASKS | POINTS_PROMOTE | BIT(POINT_CAPACITY))
/* Without these there is nothing to offer: loading fails. */
#define POINTS_MINIMUM                                          \
	(BIT(POINT_SCAN) | BIT(POINT_MOVE) | BIT(POINT_FAULT) | \
	 BIT(POINT_CGROUP))

enum numab_point_state {
	POINT_IDLE,	/* verified, not hooked */
	POINT_LIVE,	/* hooked */
	POINT_ABSENT,	/* this kernel has no such function */
	POINT_MISMATCH, /* it is not what this module was built for */
	POINT_HELD,	/* somebody else redirects it */
};

struct numab_point {
	const char *symbol;
	const char *prototype;
	const char *older;     /* that of an older kernel; may be NULL */
	bool is_older;	       /* it is that one */
	const char *loss;      /* what is lost without it */
	unsigned long address; /* of the function, or of the tracepoint */
	enum numab_point_state state;
	char reason[96]; /* why it is not usable */
};

extern struct numab_point numab_points[NR_POINTS];

/* Check the kernel. 0, or a negative errno with the reason in the log. */
int numab_points_verify(void);

/* Those of a set that are verified and held by nobody else. */
unsigned int numab_points_usable(unsigned int points);

/*
 * Say that some cannot be used, and why. The first reason stands: what comes
 * after may only be its consequence.
 */
__printf(3, 4) void numab_points_set_unusable(unsigned int points,
					      enum numab_point_state state,
					      const char *fmt, ...);

const char *numab_point_state_name(enum numab_point_state state);

#endif
