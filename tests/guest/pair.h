/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pairs of a task T and folios F that are charged to another's memory cgroup:
 * T runs on the CPUs of HOME and touches F's pages, half of which lie on
 * REMOTE, half on SLOW. What must follow from the two modes is the table of
 * decisions; what did is asked of the kernel.
 *
 * Everything here ends the case when it fails.
 */
#ifndef TESTS_GUEST_PAIR_H
#define TESTS_GUEST_PAIR_H

#include "test.h"

#define PAIR_MODES 4

/* Modes as sets of mechanisms, for all mode pairs: i / 4 and i % 4. */
enum {
	OFF,
	NORMAL,
	TIERING,
	BOTH
};

/* The word for a set of mechanisms. */
extern const char *const pair_modes[PAIR_MODES];

struct pair_counts {
	long long migrated, promoted, faults; /* the kernel's, of F's cgroup */
	long long moves_refused, promotions_refused;	 /* numab's, the same */
	long long t_moves_refused, t_promotions_refused; /* of T's cgroup */
	long long t_remote_unmarked, t_slow_unmarked;	 /* the same */
	long long scans, skips;				 /* of T's cgroup */
};

struct pair {
	int t, f;	   /* the modes that hold for T and F */
	char toucher[128]; /* T's cgroup */
	char owner[128];   /* the one charged with F; "." is the root */

	struct load load;
	struct pair_counts before;
};

/* What the pages of pairs are. */
struct pair_pages {
	enum load_kind kind; /* LOAD_SHMEM, LOAD_SHMEM_THP or LOAD_FILE */
	int mb;		     /* of each half */
	int threads;
	int (*open)(int mb); /* LOAD_FILE: a new file of that size */
};

/*
 * Set the machine up for pairs: the sysctl is 0, another cgroup's need keeps
 * the kernel in mode 3, whatever the pairs' modes are.
 */
void pairs_begin(void);

/*
 * Have F populated by a process of the owner's cgroup, and T started. Makes
 * the cgroups. Nothing may scan yet; T touches nothing until the first
 * pairs_settle().
 */
void pair_start(struct pair *pair, const struct pair_pages *pages);

/*
 * Put all pages where they start, let T touch them, and wait until everything
 * that the modes t and f promise has come home and every T has scanned (or
 * been kept from it) several times more. Then check that this is all that
 * happened, and whose counters say so. T touches nothing afterwards, so that
 * modes may change before the next call.
 *
 * exact: nothing is left over from an earlier mode.
 */
void pairs_settle(struct pair *pairs, int n, bool exact);

void pairs_stop(struct pair *pairs, int n);

#endif
