/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Policies: BPF programs that hang on cgroups and are asked for the mode of a
 * task or a folio. include/numab_bpf.h is written for their authors.
 *
 * A policy comes and goes with its struct_ops link. It hangs on the group of
 * its cgroup, and leaves it with the link or with the cgroup, whichever goes
 * first. While a policy's map or program exists it holds a reference to this
 * module, so none is left when the module goes.
 */
#ifndef NUMAB_POLICIES_H
#define NUMAB_POLICIES_H

#include <linux/cgroup.h>
#include <linux/jiffies.h>
#include <linux/mm_types.h>
#include <linux/sched.h>

struct bpf_numab_ops;
struct numab_group;
struct numab_needs;
struct numab_policy;

/* Whom to ask, for whom to count, and since which change: see view.c. */
struct numab_asking {
	struct numab_group *nearest; /* with policies, at or above */
	struct numab_group *group;   /* may be NULL */
	u64 generation;
};

/* How old an answer about a task may be, in jiffies. */
enum numab_age {
	AGE_UNASKED = -2, /* not to be asked at all */
	AGE_ANEW = -1,	  /* a scan begins */
	AGE_TICK = 0,	  /* a hint fault */
	AGE_SECOND = HZ,  /* what was asked when this scan began */
};

/* The nearest group with policies at or above css, or NULL. Under RCU. */
struct numab_group *numab_policies_above(struct cgroup_subsys_state *css);

/*
 * The common opinion of all policies, NUMAB_INHERIT for none. Preemption is
 * off, under RCU; not from interrupts. Runs BPF programs.
 */
int numab_policies_ask_task(struct numab_asking asking, struct task_struct *p,
			    enum numab_age age);
int numab_policies_ask_folio(struct numab_asking asking, struct folio *folio,
			     const struct mem_cgroup *memcg);

/*
 * Hang it on its cgroup, take it off, and answer with another program from
 * now on (returns the one of before). Settings' lock.
 * -ENOENT: there is no such cgroup; -ENODEV: it lacks the cpu controller.
 */
int numab_policy_hang(struct numab_policy *policy);
void numab_policy_unhang(struct numab_policy *policy);
struct bpf_numab_ops *numab_policy_exchange(struct numab_policy *policy,
					    struct bpf_numab_ops *ops);

/* Add what they may enable and how many there are. */
void numab_policies_add_needs(struct numab_needs *needs);

/*
 * A group is about to go: what hangs on it, hangs nowhere from now on, and is
 * detached by a worker. Any there? Preemption is off.
 */
bool numab_policies_orphan(struct numab_group *group);

/*
 * Offer the type to BPF, if the kernel can have it; why not stands in the
 * points then. 0 or negative errno. There is nothing to undo but the exit:
 * the type goes with the module's BTF.
 */
int numab_policies_init(void);

/* No policy is left; wait for the worker. */
void numab_policies_exit(void);

#endif
