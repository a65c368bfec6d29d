// SPDX-License-Identifier: GPL-2.0
/*
 * Asking, and the life of a policy.
 *
 * Asking happens with preemption off and under RCU: from ftrace's callback,
 * perhaps with a page table's lock held, from scans, and for /dev/numab. Each
 * program is entered through the trampoline that BPF made for it, by a pointer
 * in the struct that BPF filled in. BPF frees trampoline, program and struct
 * only after the link has let go of them (unreg(), or update() to others) and a
 * grace period of RCU and one of RCU-tasks have passed. unreg() and update()
 * take the pointer away first, so whoever found it under RCU may call it.
 *
 * A program can not come back into a gate: neither it nor what it may call
 * touches a hooked function.
 *
 * Locks: BPF calls reg(), update() and mostly unreg() with its own mutex held;
 * they take settings' lock, then policies_lock. Nothing under settings' lock
 * takes BPF's mutex; the worker that detaches holds neither.
 */
#include <linux/bpf.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "../decide/policy.h"
#include "faults.h"
#include "group.h"
#include "groups.h"
#include "kernel.h"
#include "points.h"
#include "policies.h"
#include "policy_ops.h"
#include "settings.h"
#include "view.h"

/*
 * How long a policy may run on a CPU: so many ticks in each window. What a
 * run takes is sampled: the ticks that pass in it, which for short runs is
 * none but now and then.
 */
#define WINDOW	    (HZ / 10)
#define WINDOW_RUNS (HZ / 50)

struct budget {
	unsigned long start; /* jiffies: the window began */
	unsigned long spent; /* ticks in it */
};

struct numab_policy {
	struct bpf_numab_ops __rcu *ops;
	struct bpf_link *link;
	struct budget __percpu *budget;
	struct list_head all;	   /* in policies */
	struct list_head in_group; /* read under RCU */
	struct numab_group *group; /* NULL: its cgroup is gone */
	bool detaching;
	struct rcu_head rcu;
};

/*
 * Every policy, and what hangs on which group: under policies_lock, which
 * nests inside everything else.
 */
static LIST_HEAD(policies);
static DEFINE_SPINLOCK(policies_lock);

static void detach_orphans(struct work_struct *work);
static DECLARE_WORK(detach_work, detach_orphans);

/* The last answers on this CPU; of an older generation they are none. */
struct task_answer {
	const struct task_struct *task;
	pid_t pid; /* the struct's memory may be another task's by now */
	int opinion;
	const struct numab_group *nearest;
	u64 generation;
	unsigned long at; /* jiffies */
};
struct folio_answer {
	const struct mem_cgroup *memcg;
	int node;
	int opinion;
	const struct numab_group *nearest;
	u64 generation;
	unsigned long at;
};
static DEFINE_PER_CPU(struct task_answer, last_task_answer);
static DEFINE_PER_CPU(struct folio_answer, last_folio_answer);

static bool has_budget(struct budget *budget)
{
	if (time_after_eq(jiffies, budget->start + WINDOW)) {
		budget->start = jiffies;
		budget->spent = 0;
	}
	return budget->spent < WINDOW_RUNS;
}

static int ask(struct numab_policy *policy, struct numab_group *group,
	       struct task_struct *task, struct folio *folio)
{
	struct bpf_numab_ops *ops = rcu_dereference(policy->ops);
	struct budget *budget = this_cpu_ptr(policy->budget);
	unsigned long began;
	int answer;

	if (!has_budget(budget)) {
		numab_group_count(group, COUNT_POLICY_THROTTLED, 1);
		return NUMAB_INHERIT;
	}
	began = jiffies;
	answer = numab_ops_ask(ops, task, folio);
	budget->spent += jiffies - began;
	numab_group_count(group, COUNT_POLICY_CALLS, 1);
	if (numab_answer_is_bad(answer))
		numab_group_count(group, COUNT_POLICY_BAD_ANSWERS, 1);
	return numab_answer_opinion(answer, numab_ops_may_enable(ops));
}

/* All of them; ret_each: one wants to be asked about each folio. */
static int ask_all(struct numab_asking asking, struct task_struct *task,
		   struct folio *folio, bool *ret_each)
{
	struct numab_group *at = asking.nearest;
	struct numab_policy *policy;
	int opinion = NUMAB_INHERIT;

	for (; at; at = READ_ONCE(at->policies_above)) {
		list_for_each_entry_rcu(policy, &at->policies, in_group)
		{
			opinion = numab_opinion_meet(opinion,
						     ask(policy, asking.group,
							 task, folio));
			*ret_each |= numab_ops_wants_each_folio(
				rcu_dereference(policy->ops));
		}
	}
	return opinion;
}

/*
 * Of current, the answer is kept. Somebody who only wants to know about another
 * task is told, and no decision goes by what a program found out that way: it
 * cannot see as much of a task that does not run.
 */
int numab_policies_ask_task(struct numab_asking asking, struct task_struct *p,
			    enum numab_age age)
{
	struct task_answer *last = this_cpu_ptr(&last_task_answer);
	bool each = false;

	if (p != current)
		return ask_all(asking, p, NULL, &each);
	if (last->task == p && last->pid == p->pid &&
	    last->nearest == asking.nearest &&
	    last->generation == asking.generation &&
	    (long)(jiffies - last->at) <= age)
		return last->opinion;
	*last = (struct task_answer){
		.task = p,
		.pid = p->pid,
		.opinion = ask_all(asking, p, NULL, &each),
		.nearest = asking.nearest,
		.generation = asking.generation,
		.at = jiffies,
	};
	return last->opinion;
}

int numab_policies_ask_folio(struct numab_asking asking, struct folio *folio,
			     const struct mem_cgroup *memcg)
{
	struct folio_answer *last = this_cpu_ptr(&last_folio_answer);
	bool each = false;
	int opinion;

	if (last->memcg == memcg && last->node == folio_nid(folio) &&
	    last->nearest == asking.nearest &&
	    last->generation == asking.generation && last->at == jiffies)
		return last->opinion;
	opinion = ask_all(asking, NULL, folio, &each);
	/* No answer has generation 0. */
	if (each)
		asking.generation = 0;
	*last = (struct folio_answer){
		.memcg = memcg,
		.node = folio_nid(folio),
		.opinion = opinion,
		.nearest = asking.nearest,
		.generation = asking.generation,
		.at = jiffies,
	};
	return opinion;
}

struct numab_group *numab_policies_above(struct cgroup_subsys_state *css)
{
	for (; css; css = css->parent) {
		struct numab_group *group = numab_group_find(css);

		if (group && !list_empty(&group->policies))
			return group;
	}
	return NULL;
}

/*
 * Groups with policies know the next one up, so that asking does not look for
 * it. It outlives them: the kernel releases a cgroup after all below it.
 * Under RCU, policies_lock held.
 */
static void link_groups(void)
{
	struct numab_policy *policy;

	list_for_each_entry(policy, &policies, all)
		if (policy->group)
			WRITE_ONCE(policy->group->policies_above,
				   numab_policies_above(
					   policy->group->css->parent));
}

static void hang(struct numab_policy *policy, struct numab_group *group)
{
	rcu_read_lock();
	spin_lock(&policies_lock);
	policy->group = group;
	list_add(&policy->all, &policies);
	list_add_tail_rcu(&policy->in_group, &group->policies);
	link_groups();
	numab_views_outdate();
	spin_unlock(&policies_lock);
	rcu_read_unlock();
}

/* The cgroup's own cpu state; no other may answer for it. Put it. */
static struct cgroup_subsys_state *get_css(u64 cgroup_id)
{
	struct cgroup_subsys_state *css;
	struct cgroup *cgrp;

	if (!cgroup_id)
		cgroup_id = 1;
	cgrp = cgroup_get_from_id(cgroup_id);
	if (IS_ERR(cgrp))
		return ERR_PTR(-ENOENT);
	rcu_read_lock();
	css = cgroup_id == 1 ? numab_root_css :
			       rcu_dereference_raw(cgrp->subsys[cpu_cgrp_id]);
	if (!css)
		css = ERR_PTR(-ENODEV);
	else if (!css_tryget_online(css))
		css = ERR_PTR(-ENOENT);
	rcu_read_unlock();
	cgroup_put(cgrp);
	return css;
}

/* With the state held the group stays; afterwards it may go any time. */
int numab_policy_hang(struct numab_policy *policy)
{
	u64 id = numab_ops_cgroup(rcu_access_pointer(policy->ops));
	struct cgroup_subsys_state *css = get_css(id);
	struct numab_group *group;

	if (IS_ERR(css))
		return PTR_ERR(css);
	group = numab_group_get(css);
	if (group)
		hang(policy, group);
	css_put(css);
	return group ? 0 : -ENOMEM;
}

void numab_policy_unhang(struct numab_policy *policy)
{
	rcu_read_lock();
	spin_lock(&policies_lock);
	if (policy->group)
		list_del_rcu(&policy->in_group);
	policy->group = NULL;
	list_del(&policy->all);
	link_groups();
	numab_views_outdate();
	spin_unlock(&policies_lock);
	rcu_read_unlock();
}

struct bpf_numab_ops *numab_policy_exchange(struct numab_policy *policy,
					    struct bpf_numab_ops *ops)
{
	struct bpf_numab_ops *old;

	spin_lock(&policies_lock);
	old = rcu_replace_pointer(policy->ops, ops,
				  lockdep_is_held(&policies_lock));
	numab_views_outdate();
	spin_unlock(&policies_lock);
	return old;
}

void numab_policies_add_needs(struct numab_needs *needs)
{
	struct numab_policy *policy;

	rcu_read_lock();
	spin_lock(&policies_lock);
	list_for_each_entry(policy, &policies, all) {
		struct bpf_numab_ops *ops = rcu_dereference(policy->ops);

		if (!policy->group)
			continue;
		needs->policies++;
		needs->mechanisms |= numab_policy_needs(
			numab_ops_may_enable(ops),
			numab_chain_opinion(policy->group->css));
	}
	spin_unlock(&policies_lock);
	rcu_read_unlock();
}

bool numab_policies_orphan(struct numab_group *group)
{
	struct numab_policy *policy;
	bool any = false;

	spin_lock(&policies_lock);
	list_for_each_entry(policy, &policies, all) {
		if (policy->group != group)
			continue;
		list_del_rcu(&policy->in_group);
		policy->group = NULL;
		any = true;
	}
	spin_unlock(&policies_lock);
	if (any)
		schedule_work(&detach_work);
	return any;
}

/*
 * A link whose policy hangs nowhere, with a reference. The link is there
 * while its policy is in the list; when its last reference is gone already,
 * unreg() is on its way.
 */
static struct bpf_link *next_orphan(void)
{
	struct numab_policy *policy;
	struct bpf_link *link = NULL;

	spin_lock(&policies_lock);
	list_for_each_entry(policy, &policies, all) {
		if (policy->group || policy->detaching)
			continue;
		policy->detaching = true;
		link = bpf_link_inc_not_zero(policy->link);
		if (!IS_ERR(link))
			break;
		link = NULL;
	}
	spin_unlock(&policies_lock);
	return link;
}

/*
 * Their cgroup has gone: let the links go of program and map, and so of this
 * module. What is pinned stays, as a link to nothing. detach() calls unreg().
 */
static void detach_orphans(struct work_struct *work)
{
	struct bpf_link *link;

	while ((link = next_orphan())) {
		link->ops->detach(link);
		bpf_link_put(link);
	}
}

static struct numab_policy *find(struct bpf_link *link)
{
	struct numab_policy *policy, *found = NULL;

	spin_lock(&policies_lock);
	list_for_each_entry(policy, &policies, all)
		if (policy->link == link)
			found = policy;
	spin_unlock(&policies_lock);
	return found;
}

static void free_policy(struct rcu_head *rcu)
{
	struct numab_policy *policy =
		container_of(rcu, struct numab_policy, rcu);

	free_percpu(policy->budget);
	kfree(policy);
}

static struct numab_policy *new_policy(struct bpf_numab_ops *ops,
				       struct bpf_link *link)
{
	struct numab_policy *policy;

	if (numab_fault("alloc", "policy"))
		return NULL;
	policy = kzalloc(sizeof(*policy), GFP_KERNEL);
	if (!policy)
		return NULL;
	policy->budget = alloc_percpu(struct budget);
	if (!policy->budget) {
		kfree(policy);
		return NULL;
	}
	RCU_INIT_POINTER(policy->ops, ops);
	policy->link = link;
	return policy;
}

/* Without a link there would be nothing to hold it, pin it or take it off. */
int numab_policy_reg(void *kdata, struct bpf_link *link)
{
	struct numab_policy *policy;
	int err;

	if (!link)
		return -EOPNOTSUPP;
	policy = new_policy(kdata, link);
	if (!policy)
		return -ENOMEM;
	err = numab_settings_attach(policy);
	if (err)
		call_rcu(&policy->rcu, free_policy);
	return err;
}

void numab_policy_unreg(void *kdata, struct bpf_link *link)
{
	struct numab_policy *policy = find(link);

	if (WARN_ON_ONCE(!policy))
		return;
	numab_settings_detach(policy);
	call_rcu(&policy->rcu, free_policy);
}

/* BPF holds its mutex, so the policy cannot be detached meanwhile. */
int numab_policy_update(void *kdata, void *old_kdata, struct bpf_link *link)
{
	struct bpf_numab_ops *ops = kdata, *old = old_kdata;
	struct numab_policy *policy = find(link);

	if (!policy || !READ_ONCE(policy->group))
		return -ENOENT;
	if (numab_ops_cgroup(ops) != numab_ops_cgroup(old))
		return -EINVAL;
	return numab_settings_replace(policy, ops);
}

int numab_policies_init(void)
{
	if (!numab_points_usable(BIT(POINT_POLICY)))
		return 0;
	return numab_policy_ops_init();
}

void numab_policies_exit(void)
{
	cancel_work_sync(&detach_work);
	rcu_barrier(); /* free_policy() */
}
