/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The settings as a whole: what the administrator wrote into
 * kernel.numa_balancing, what the cgroups say, and what follows for the
 * kernel: which mode it runs with and whether the gates are hooked.
 *
 * One mutex serialises every change. It is taken with a cgroup file's active
 * reference held, so never with cgroup_mutex held, and nothing under it waits
 * for cgroup_mutex.
 */
#ifndef NUMAB_SETTINGS_H
#define NUMAB_SETTINGS_H

#include <linux/cgroup.h>
#include <linux/compiler.h>

#include "../decide/mode.h"
#include "../decide/tuning.h"
#include "tasks.h"

struct bpf_numab_ops;
struct numab_policy;

/*
 * Where the administrator's value is: ours while the sysctl is ours, the
 * kernel's own otherwise.
 */
extern const int *numab_written;

/* The mode of whoever has no opinion. Any context. */
static inline int numab_system_default(void)
{
	return numab_mode_of_sysctl(READ_ONCE(*numab_written));
}

/*
 * A cgroup's opinion was written through file; the cgroup stays alive.
 * Permission goes by whoever opened the file, not by whoever happens to write
 * to a descriptor that was handed to it. Returns 0; -EPERM (enables more than
 * is free to enable, without CAP_SYS_NICE); -EOPNOTSUPP (the kernel cannot be
 * made to run with this much); -EBUSY (a decision point is held by a
 * livepatch); -ENOMEM. On failure nothing has changed. Sleeps.
 */
int numab_settings_write(struct cgroup_subsys_state *css, int opinion,
			 struct file *file);

/*
 * Own values were written through file: those of the knobs in the set
 * BIT(KNOB_...). What makes balancing heavier than it would be without them
 * needs CAP_SYS_NICE, since scans hold a process's mmap lock and promotions
 * use a node that is everyone's. As above.
 */
int numab_settings_tune(struct cgroup_subsys_state *css, unsigned int knobs,
			const struct numab_tuning *values, struct file *file);

/*
 * A cgroup's word on cache-aware scheduling was written through file; see
 * ../decide/cache.h. -EOPNOTSUPP where the kernel does not schedule by caches
 * or cannot be gated. As above.
 */
int numab_settings_set_cache(struct cgroup_subsys_state *css, int value,
			     struct file *file);

/* The administrator wrote kernel.numa_balancing. As above. */
int numab_settings_write_sysctl(int written);

/* What is to change of a process's own settings. */
struct numab_task_change {
	bool sets_opinion;
	bool sets_cache;
	unsigned int knobs; /* BIT(KNOB_...) */
	struct numab_task_settings values;
};

/*
 * Somebody who may write to process p does; p is pinned. What makes balancing
 * heavier than it would be without needs CAP_SYS_NICE of current. As above, and
 * -EINVAL (a value out of range, or periods that cross), -ESRCH (p has exited).
 */
int numab_settings_write_task(struct task_struct *p,
			      const struct numab_task_change *change);

/* p gains privileges: drop from own what makes balancing heavier. */
void numab_settings_narrow(struct task_struct *p,
			   struct numab_task_settings *own);

/* Is anything set anywhere? Any context. */
bool numab_settings_any(void);

/* Cgroups with a setting. */
unsigned int numab_settings_count(void);

/* A switch of the module has changed. 0, or as numab_settings_write(). */
int numab_settings_update(void);

/* A place with a setting is gone. Any context, from a hook. */
void numab_settings_recheck(void);

/*
 * A policy is attached, detached, or answers with another program (ops) from
 * now on. As numab_settings_write(), and as numab_policy_hang().
 */
int numab_settings_attach(struct numab_policy *policy);
void numab_settings_detach(struct numab_policy *policy);
int numab_settings_replace(struct numab_policy *policy,
			   struct bpf_numab_ops *ops);

/* Policies that are attached. */
unsigned int numab_settings_policies(void);

int numab_settings_init(void);

/*
 * Forget every opinion, make the kernel run with the written value, let go of
 * gates and sysctl. The files are gone already.
 */
void numab_settings_exit(void);

#endif
