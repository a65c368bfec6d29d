/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why something cannot be done with a cgroup, and what to do about it. This
 * finds the words; the command that wanted it prints them.
 */
#ifndef NUMAB_REFUSAL_H
#define NUMAB_REFUSAL_H

#include <sys/types.h>

#include "cleanup.h"
#include "exit_codes.h"

struct refusal {
	enum exit_code code;
	char *why;  /* NULL when out of memory */
	char *hint; /* what to do; NULL: nothing to say */
};

#define AUTO_REFUSAL AUTO(refusal_release)
void refusal_release(struct refusal *refusal);

/* why and hint are the refusal's from now on; see text_format(). */
void refusal_set(struct refusal *refusal, enum exit_code code, char *why,
		 char *hint);

/* A cgroup that somebody named, opened. path and mount as in cgroup.h. */
struct target {
	char *mount;
	char *path;
	int dir;
};

#define AUTO_TARGET AUTO(target_release)
#define TARGET_NONE ((struct target){ .dir = -1 })
void target_release(struct target *target);

/* 0, or -1 and the refusal. */
int target_open(const char *name, struct target *ret_target,
		struct refusal *ret_refusal);

/* A file of the module is not there: not loaded, or no cpu controller. */
void refusal_of_missing_file(const struct target *target, const char *file,
			     struct refusal *ret_refusal);

/* Writing a value to a file of tuning gave error (negative errno). */
void refusal_of_tuning(const struct target *target, const char *file, int error,
		       struct refusal *ret_refusal);

/* Writing opinion to the cgroup's mode gave error (negative errno). */
void refusal_of_write(const struct target *target, int opinion, int error,
		      struct refusal *ret_refusal);

/* A policy of this name: error (negative errno) came of reading or undoing it. */
void refusal_of_policy(const char *name, int error,
		       struct refusal *ret_refusal);

/* What to read or write of a process, and what it had before. */
struct task_wish {
	pid_t pid;	     /* 0: oneself */
	unsigned int fields; /* NUMAB_FIELD_...; 0: reading */
	int mode;
	int present, cgroups; /* opinions, before */
};

/* The device gave error (negative errno), or src/task.h did. */
void refusal_of_task(const struct task_wish *wish, int error,
		     struct refusal *ret_refusal);

#endif
