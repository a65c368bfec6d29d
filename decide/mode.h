/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Modes and opinions: the words of numab and the rule that combines them.
 *
 * Everything here is a pure function over plain values. The module, the tool
 * and the host's unit tests compile the same file.
 *
 * A mode is a set of mechanisms. An opinion is what one place (a cgroup's
 * file, a policy, a task's own setting) says: a mode, or nothing (inherit).
 *
 * Units: none. Locking: none, callers pass copies. Errors: negative errno.
 */
#ifndef NUMAB_DECIDE_MODE_H
#define NUMAB_DECIDE_MODE_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#endif

/* Mechanisms; the values are those of kernel.numa_balancing. */
enum numab_mechanism {
	NUMAB_NORMAL = 1,  /* move tasks and pages between top-tier nodes */
	NUMAB_TIERING = 2, /* promote hot pages from a slow tier */
	NUMAB_BOTH = NUMAB_NORMAL | NUMAB_TIERING,
	NUMAB_OFF = 0,
};

/* An opinion: a mode (0 to 3), or this. */
#define NUMAB_INHERIT (-1)

/* The administrator's value that means "per cgroup": the same default as 0. */
#define NUMAB_SYSCTL_CGROUP 4
#define NUMAB_SYSCTL_MAX    NUMAB_SYSCTL_CGROUP

/* The mode that kernel.numa_balancing, as written, stands for. */
static inline int numab_mode_of_sysctl(int written)
{
	return written & NUMAB_BOTH;
}

/* The opinion of two places of one chain: their intersection. */
int numab_opinion_meet(int a, int b);

/* The mode that holds: the chain's opinion, or the system default. */
static inline int numab_mode_effective(int chain_opinion, int system_default)
{
	return chain_opinion == NUMAB_INHERIT ? system_default : chain_opinion;
}

/*
 * The mode of a process with an opinion of its own. One that is privileged
 * stands for itself as a cgroup's does; another only takes away from what would
 * hold without it.
 */
int numab_mode_of_task(int own, bool privileged, int chain_opinion,
		       int system_default);

/* What the kernel must run with: the administrator's mode and every need. */
int numab_mode_running(int written, int needed);

/*
 * May this opinion be written by someone without CAP_SYS_NICE?
 *
 * Narrowing always; enabling only what the ancestors' opinion (where none has
 * one, the system default) or the present opinion of the same place allows.
 */
bool numab_opinion_is_free(int opinion, int present, int ancestors,
			   int system_default);

/*
 * What is left of a process's own opinion after it executes a program with
 * privileges that it had not. base is the mode that would hold without the
 * opinion: what it takes away from that stays taken away, what it adds goes.
 */
int numab_opinion_after_privilege(int opinion, int base);

/*
 * Parse a word (inherit off normal tiering both) or a digit 0 to 3, with
 * white space around it. Returns 0 and the opinion, or -EINVAL and leaves
 * *ret_opinion alone. buf need not be terminated; a NUL inside is an error.
 */
int numab_opinion_parse(const char *buf, size_t len, int *ret_opinion);

/* The word for an opinion; never NULL. */
const char *numab_opinion_name(int opinion);

#endif
