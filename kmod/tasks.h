/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process's own settings: what it (or somebody for it) wrote to /dev/numab.
 *
 * They are kept beside the process's signal_struct, which all of its threads
 * share and which stays over execve(). An entry exists only for a process with
 * a setting; while there is one, the tracepoints of fork, exec and exit are
 * hooked and carry it on, drop what a privileged program may not inherit, and
 * remove it with the last thread.
 */
#ifndef NUMAB_TASKS_H
#define NUMAB_TASKS_H

#include <linux/binfmts.h>
#include <linux/sched.h>

#include "../decide/cache.h"
#include "../decide/mode.h"
#include "../decide/tuning.h"
#include "groups.h"
#include "rate.h"

/*
 * privileged: they stand by themselves, since somebody with CAP_SYS_NICE made
 * them. Others never make balancing heavier than it is without them, also
 * when that changes later.
 */
struct numab_task_settings {
	int opinion;
	int cache; /* see ../decide/cache.h */
	struct numab_tuning tuning;
	bool privileged;
};

/* Those of a process without any. */
#define NUMAB_TASK_NOTHING                 \
	((struct numab_task_settings){     \
		.opinion = NUMAB_INHERIT,  \
		.cache = NUMAB_CACHE_AUTO, \
	})

struct numab_task {
	struct numab_task_settings own;
	struct numab_rate rate; /* of promotion, where it has a limit */
	struct hlist_node node;
	const struct signal_struct *process; /* never followed */
	struct rcu_head rcu;
};

/*
 * A process's entry, or NULL; p is current or pinned. With preemption off and
 * under RCU, and valid until that ends.
 */
struct numab_task *numab_task_find(const struct task_struct *p);

/*
 * The value of a knob that holds for a process with settings, when its cgroups'
 * (or a folio's) is above, or 0 for none. Any context.
 */
unsigned int numab_task_value(const struct numab_task *task,
			      enum numab_knob knob, unsigned int above);

/* How many there are; for reading, in any context. */
extern unsigned int numab_tasks_count;

static inline bool numab_tasks_exist(void)
{
	return READ_ONCE(numab_tasks_count);
}

/* A process's own settings; those of nobody where it has none. */
struct numab_task_settings numab_task_own(const struct task_struct *p);

bool numab_task_settings_are_empty(const struct numab_task_settings *own);

bool numab_task_settings_are_equal(const struct numab_task_settings *a,
				   const struct numab_task_settings *b);

/*
 * Set them to next if they still are what was found; settings' lock held, the
 * tracepoints hooked. 0, -ENOMEM, -ESRCH (the process has exited) or -EAGAIN
 * (they were narrowed by an execve() meanwhile). The next consult of any of
 * its threads sees it.
 */
int numab_task_set(const struct task_struct *p,
		   const struct numab_task_settings *found,
		   const struct numab_task_settings *next);

/*
 * Add to needs what one that is about to be set asks to be hooked, or what all
 * of them together ask for.
 */
void numab_task_settings_add_needs(const struct numab_task_settings *own,
				   struct numab_needs *needs);
void numab_tasks_add_needs(struct numab_needs *needs);

/* Children that went without for want of memory. */
unsigned int numab_tasks_lost(void);

/*
 * The tracepoints, from hook.c. No locks; preemption is off on 6.12, and may be
 * on under 7.3's SRCU.
 */
void numab_tasks_fork(void *unused, struct task_struct *parent,
		      struct task_struct *child);
void numab_tasks_exec(void *unused, struct task_struct *p, pid_t old_pid,
		      struct linux_binprm *bprm);
void numab_tasks_exit(void *unused, struct task_struct *p, bool group_dead);
void numab_tasks_exit_older(void *unused, struct task_struct *p);

/* Drop all; settings' lock held. */
void numab_tasks_forget(void);

#endif
