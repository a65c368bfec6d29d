// SPDX-License-Identifier: GPL-2.0
/*
 * Entries are found under RCU and written with the lock held; it is taken in
 * process context only, with preemption off, and nests inside everything else.
 *
 * Nothing leaks: an entry is added with the lock held and the process alive
 * (signal->live, which the last thread drops to 0 before its exit tracepoint),
 * while that tracepoint is hooked. So either we see that the process is
 * exiting, or its exit comes by here later and waits for the lock.
 *
 * A signal_struct is freed only after the exit of its last thread, so a key is
 * never that of another process.
 */
#include <linux/hashtable.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "faults.h"
#include "settings.h"
#include "tasks.h"
#include "view.h"

static DEFINE_HASHTABLE(tasks, 12);
static DEFINE_SPINLOCK(lock);
static unsigned int count;		   /* entries; written with lock */
static unsigned int modes[NUMAB_BOTH + 1]; /* of them, with each opinion */
static atomic_t lost = ATOMIC_INIT(0);	   /* children without settings */

static struct numab_task *find(const struct signal_struct *process)
{
	struct numab_task *task;

	hash_for_each_possible_rcu(
		tasks, task, node, (unsigned long)process,
		lockdep_is_held(&lock)) if (task->process ==
					    process) return task;
	return NULL;
}

struct numab_task *numab_task_find(const struct task_struct *p)
{
	return find(READ_ONCE(p->signal));
}

bool numab_tasks_exist(void)
{
	return READ_ONCE(count);
}

struct numab_task_settings numab_task_own(const struct task_struct *p)
{
	struct numab_task_settings own = { .opinion = NUMAB_INHERIT };
	struct numab_task *task;

	rcu_read_lock();
	task = numab_task_find(p);
	if (task)
		own = task->own;
	rcu_read_unlock();
	return own;
}

bool numab_task_settings_are_empty(const struct numab_task_settings *own)
{
	return own->opinion == NUMAB_INHERIT &&
	       numab_tuning_is_empty(&own->tuning);
}

/* The four below: lock held. */
static void count_opinion(int opinion, int change)
{
	if (opinion != NUMAB_INHERIT)
		WRITE_ONCE(modes[opinion], modes[opinion] + change);
}

static void add(struct numab_task *task)
{
	hash_add_rcu(tasks, &task->node, (unsigned long)task->process);
	count_opinion(task->own.opinion, 1);
	WRITE_ONCE(count, count + 1);
}

static void remove(struct numab_task *task)
{
	hash_del_rcu(&task->node);
	count_opinion(task->own.opinion, -1);
	WRITE_ONCE(count, count - 1);
}

/* Readers may see the new value of one member and the old one of another. */
static void change(struct numab_task *task,
		   const struct numab_task_settings *own)
{
	unsigned int i;

	count_opinion(task->own.opinion, -1);
	count_opinion(own->opinion, 1);
	WRITE_ONCE(task->own.opinion, own->opinion);
	for (i = 0; i < NR_KNOBS; i++)
		WRITE_ONCE(task->own.tuning.value[i], own->tuning.value[i]);
}

static struct numab_task *new_task(const struct signal_struct *process,
				   const struct numab_task_settings *own,
				   gfp_t gfp)
{
	struct numab_task *task = NULL;

	if (!numab_fault("alloc", "task"))
		task = kzalloc(sizeof(*task), gfp);
	if (!task)
		return NULL;
	task->process = process;
	task->own = *own;
	return task;
}

int numab_task_set(const struct task_struct *p,
		   const struct numab_task_settings *own)
{
	bool empty = numab_task_settings_are_empty(own);
	struct numab_task *task, *fresh = NULL;
	int err = 0;

	if (!empty) {
		fresh = new_task(p->signal, own, GFP_KERNEL);
		if (!fresh)
			return -ENOMEM;
	}
	spin_lock(&lock);
	task = find(p->signal);
	if (!atomic_read(&p->signal->live)) {
		err = -ESRCH;
	} else if (task && empty) {
		remove(task);
		kfree_rcu(task, rcu);
	} else if (task) {
		change(task, own);
	} else if (fresh) {
		add(fresh);
		fresh = NULL;
	}
	spin_unlock(&lock);
	kfree(fresh);
	return err;
}

void numab_tasks_add_needs(struct numab_needs *needs)
{
	int mode;

	needs->settings += READ_ONCE(count);
	needs->tasks = READ_ONCE(count);
	for (mode = 0; mode <= NUMAB_BOTH; mode++)
		if (READ_ONCE(modes[mode]))
			needs->mechanisms |= mode;
}

unsigned int numab_tasks_count(void)
{
	return READ_ONCE(count);
}

unsigned int numab_tasks_lost(void)
{
	return atomic_read(&lost);
}

/*
 * The child does not run yet, but is visible: somebody may have set it, and
 * that stands. A thread shares its process's entry.
 */
void numab_tasks_fork(void *unused, struct task_struct *parent,
		      struct task_struct *child)
{
	struct numab_task_settings own;
	struct numab_task *task;

	if (child->signal == parent->signal)
		return;
	own = numab_task_own(parent);
	if (numab_task_settings_are_empty(&own))
		return;
	task = new_task(child->signal, &own, GFP_ATOMIC | __GFP_NOWARN);
	if (!task) {
		atomic_inc(&lost); /* it runs as its cgroup says */
		return;
	}
	spin_lock(&lock);
	if (!find(child->signal)) {
		add(task);
		task = NULL;
	}
	spin_unlock(&lock);
	kfree(task);
}

/* Was the last of its kind removed? Then less may have to run. */
static bool was_last(int opinion)
{
	return !count || (opinion != NUMAB_INHERIT && !modes[opinion]);
}

/* Change or remove an entry. Did the last with its old opinion go? */
static bool replace(const struct signal_struct *process,
		    const struct numab_task_settings *own, int old_opinion)
{
	struct numab_task *task;
	bool last;

	spin_lock(&lock);
	task = find(process);
	if (task && numab_task_settings_are_empty(own)) {
		remove(task);
		kfree_rcu(task, rcu);
	} else if (task) {
		change(task, own);
	}
	last = was_last(old_opinion);
	spin_unlock(&lock);
	return last;
}

/*
 * A program with more privileges than its caller keeps what was taken away,
 * as it keeps a nice value, and drops what was added: the caller was trusted
 * with that, not whoever can write its memory or send it work. See
 * docs/safety.md.
 */
void numab_tasks_exec(void *unused, struct task_struct *p, pid_t old_pid,
		      struct linux_binprm *bprm)
{
	struct numab_task_settings own, before;

	if (!bprm->secureexec || !numab_tasks_exist())
		return;
	before = own = numab_task_own(p);
	if (numab_task_settings_are_empty(&own))
		return;
	numab_settings_narrow(p, &own);
	if (replace(p->signal, &own, before.opinion))
		numab_settings_recheck();
}

void numab_tasks_exit(void *unused, struct task_struct *p)
{
	static const struct numab_task_settings nothing = {
		.opinion = NUMAB_INHERIT,
	};
	struct numab_task_settings own;

	if (atomic_read(&p->signal->live))
		return;
	own = numab_task_own(p);
	if (!numab_task_settings_are_empty(&own) &&
	    replace(p->signal, &nothing, own.opinion))
		numab_settings_recheck();
}

void numab_tasks_forget(void)
{
	struct hlist_node *next;
	struct numab_task *task;
	unsigned int i;

	spin_lock(&lock);
	hash_for_each_safe(tasks, i, next, task, node)
	{
		remove(task);
		kfree_rcu(task, rcu);
	}
	spin_unlock(&lock);
}
