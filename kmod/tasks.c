// SPDX-License-Identifier: GPL-2.0
/*
 * Entries are found under RCU and written with the lock held; it is taken in
 * process context only, with preemption off, and nests inside everything else.
 *
 * Nothing leaks. The last thread of a process drops signal->live to 0, a full
 * barrier, and then comes by the exit tracepoint, which looks for an entry
 * without the lock. Whoever adds one does so while that tracepoint is hooked,
 * and looks at signal->live again after a full barrier of its own: so either
 * the exit sees the entry, or we see the exit. A child gets an entry only with
 * the lock held and while its parent has one, so the hooks are still there.
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

static DEFINE_HASHTABLE(tasks, 13);
static DEFINE_SPINLOCK(lock);
unsigned int numab_tasks_count;		   /* entries; written with lock */
static unsigned int modes[NUMAB_BOTH + 1]; /* of them privileged, by opinion */
static unsigned int gated;   /* of them, with more than a word on caches */
static unsigned int lifting; /* of them, with a word that lifts; see cache.c */
static atomic_t lost = ATOMIC_INIT(0); /* children without settings */

static struct numab_task *find(const struct signal_struct *process)
{
	struct numab_task *task;

	hash_for_each_possible_rcu(
		tasks, task, node, (unsigned long)process,
		lockdep_is_held(&lock)) if (task->process ==
					    process) return task;
	return NULL;
}

/*
 * The last answer on this CPU; it holds while no entry comes or goes. The
 * generation moves before a removed entry is given to RCU.
 */
struct last_found {
	const struct signal_struct *process;
	u64 generation;
	struct numab_task *task;
};
static DEFINE_PER_CPU(struct last_found, last_found);
static u64 generation = 1; /* written with lock */

struct numab_task *numab_task_find(const struct task_struct *p)
{
	const struct signal_struct *process = READ_ONCE(p->signal);
	struct last_found *last = this_cpu_ptr(&last_found);
	u64 gen = smp_load_acquire(&generation);

	if (last->process != process || last->generation != gen)
		*last = (struct last_found){ process, gen, find(process) };
	return last->task;
}

unsigned int numab_task_value(const struct numab_task *task,
			      enum numab_knob knob, unsigned int above)
{
	unsigned int own = READ_ONCE(task->own.tuning.value[knob]);

	if (!own || (above && !READ_ONCE(task->own.privileged) &&
		     numab_knob_is_heavier(knob, own, above)))
		return above;
	return own;
}

struct numab_task_settings numab_task_own(const struct task_struct *p)
{
	struct numab_task_settings own = NUMAB_TASK_NOTHING;
	struct numab_task *task;

	rcu_read_lock();
	task = find(READ_ONCE(p->signal));
	if (task)
		own = task->own;
	rcu_read_unlock();
	return own;
}

bool numab_task_settings_are_empty(const struct numab_task_settings *own)
{
	return own->opinion == NUMAB_INHERIT &&
	       own->cache == NUMAB_CACHE_AUTO &&
	       numab_tuning_is_empty(&own->tuning);
}

static bool needs_gates(const struct numab_task_settings *own)
{
	return own->opinion != NUMAB_INHERIT ||
	       !numab_tuning_is_empty(&own->tuning);
}

static bool lifts(const struct numab_task_settings *own)
{
	return own->privileged &&
	       (own->cache == NUMAB_CACHE_ALWAYS || own->cache > 0);
}

bool numab_task_settings_are_equal(const struct numab_task_settings *a,
				   const struct numab_task_settings *b)
{
	return a->opinion == b->opinion && a->cache == b->cache &&
	       a->privileged == b->privileged &&
	       !memcmp(&a->tuning, &b->tuning, sizeof(a->tuning));
}

/* What a process without an entry has, too. */
static bool has(const struct numab_task *task,
		const struct numab_task_settings *own)
{
	return task ? numab_task_settings_are_equal(&task->own, own) :
		      numab_task_settings_are_empty(own);
}

/* The five below: lock held. */
static void count_settings(const struct numab_task_settings *own, int change)
{
	if (own->opinion != NUMAB_INHERIT && own->privileged)
		WRITE_ONCE(modes[own->opinion], modes[own->opinion] + change);
	if (needs_gates(own))
		WRITE_ONCE(gated, gated + change);
	if (lifts(own))
		WRITE_ONCE(lifting, lifting + change);
}

static void outdate(void)
{
	smp_store_release(&generation, generation + 1);
}

static void add(struct numab_task *task)
{
	hash_add_rcu(tasks, &task->node, (unsigned long)task->process);
	count_settings(&task->own, 1);
	WRITE_ONCE(numab_tasks_count, numab_tasks_count + 1);
	outdate();
}

static void remove(struct numab_task *task)
{
	hash_del_rcu(&task->node);
	count_settings(&task->own, -1);
	WRITE_ONCE(numab_tasks_count, numab_tasks_count - 1);
	outdate();
	kfree_rcu(task, rcu);
}

/* Readers may see the new value of one member and the old one of another. */
static void change(struct numab_task *task,
		   const struct numab_task_settings *own)
{
	unsigned int i;

	count_settings(&task->own, -1);
	count_settings(own, 1);
	WRITE_ONCE(task->own.opinion, own->opinion);
	WRITE_ONCE(task->own.cache, own->cache);
	WRITE_ONCE(task->own.privileged, own->privileged);
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

static bool has_exited(const struct signal_struct *process)
{
	smp_mb(); /* see the top */
	return !atomic_read(&process->live);
}

/* Lock held; fresh is for a process that has no entry. */
static int set(const struct signal_struct *process,
	       const struct numab_task_settings *found,
	       const struct numab_task_settings *next,
	       struct numab_task **fresh)
{
	struct numab_task *task = find(process);

	if (!has(task, found))
		return -EAGAIN;
	if (!task && *fresh) {
		task = *fresh;
		*fresh = NULL;
		add(task);
	} else if (task && numab_task_settings_are_empty(next)) {
		remove(task);
		task = NULL;
	} else if (task) {
		change(task, next);
	}
	if (!has_exited(process))
		return 0;
	if (task)
		remove(task);
	return -ESRCH;
}

int numab_task_set(const struct task_struct *p,
		   const struct numab_task_settings *found,
		   const struct numab_task_settings *next)
{
	struct numab_task *fresh = NULL;
	int err;

	if (numab_task_settings_are_empty(found) &&
	    !numab_task_settings_are_empty(next)) {
		fresh = new_task(p->signal, next, GFP_KERNEL);
		if (!fresh)
			return -ENOMEM;
	}
	spin_lock(&lock);
	err = set(p->signal, found, next, &fresh);
	spin_unlock(&lock);
	kfree(fresh);
	return err;
}

void numab_task_settings_add_needs(const struct numab_task_settings *own,
				   struct numab_needs *needs)
{
	needs->settings++;
	needs->tasks++;
	needs->gates += needs_gates(own);
	needs->lifts |= lifts(own);
}

void numab_tasks_add_needs(struct numab_needs *needs)
{
	int mode;

	needs->settings += READ_ONCE(numab_tasks_count);
	needs->gates += READ_ONCE(gated);
	needs->lifts |= READ_ONCE(lifting);
	needs->tasks += READ_ONCE(numab_tasks_count);
	for (mode = 0; mode <= NUMAB_BOTH; mode++)
		if (READ_ONCE(modes[mode]))
			needs->mechanisms |= mode;
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
	struct numab_task *task, *from;

	if (child->signal == parent->signal || !numab_tasks_exist())
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
	/* The parent's may have changed or gone meanwhile, and the hooks. */
	from = find(parent->signal);
	if (from && !find(child->signal)) {
		task->own = from->own;
		add(task);
		task = NULL;
	}
	spin_unlock(&lock);
	kfree(task);
}

/* Was the last of its kind removed? Then less may have to run. Lock held. */
static bool was_last(const struct numab_task_settings *own)
{
	return !numab_tasks_count || (needs_gates(own) && !gated) ||
	       (lifts(own) && !lifting) ||
	       (own->opinion != NUMAB_INHERIT && own->privileged &&
		!modes[own->opinion]);
}

/* False when they are no longer what was found. */
static bool replace(const struct signal_struct *process,
		    const struct numab_task_settings *found,
		    const struct numab_task_settings *next)
{
	struct numab_task *task;
	bool held, last = false;

	spin_lock(&lock);
	task = find(process);
	held = has(task, found);
	if (task && held) {
		if (numab_task_settings_are_empty(next))
			remove(task);
		else
			change(task, next);
		last = was_last(found);
	}
	spin_unlock(&lock);
	if (last)
		numab_settings_recheck();
	return held;
}

/*
 * A program with more privileges than its caller keeps what was taken away,
 * as it keeps a nice value, and drops what was added: the caller was trusted
 * with that, not whoever can write its memory or send it work. See
 * docs/safety.md. Somebody may set it at the same time: theirs is seen, and
 * narrowed as well.
 */
void numab_tasks_exec(void *unused, struct task_struct *p, pid_t old_pid,
		      struct linux_binprm *bprm)
{
	struct numab_task_settings found, own;

	if (!bprm->secureexec || !numab_tasks_exist())
		return;
	do {
		found = own = numab_task_own(p);
		if (numab_task_settings_are_empty(&found))
			return;
		numab_settings_narrow(p, &own);
	} while (!replace(p->signal, &found, &own));
}

static void forget_exited(const struct task_struct *p)
{
	const struct numab_task_settings nothing = NUMAB_TASK_NOTHING;
	struct numab_task_settings found;

	do {
		found = numab_task_own(p);
		if (numab_task_settings_are_empty(&found))
			return;
	} while (!replace(p->signal, &found, &nothing));
}

void numab_tasks_exit_older(void *unused, struct task_struct *p)
{
	if (!atomic_read(&p->signal->live) && numab_tasks_exist())
		forget_exited(p);
}

/* group_dead is of before the tracepoint, as signal->live is. */
void numab_tasks_exit(void *unused, struct task_struct *p, bool group_dead)
{
	numab_tasks_exit_older(unused, p);
}

void numab_tasks_forget(void)
{
	struct hlist_node *next;
	struct numab_task *task;
	unsigned int i;

	for (i = 0; i < HASH_SIZE(tasks); i++) {
		spin_lock(&lock);
		hlist_for_each_entry_safe(task, next, &tasks[i], node)
			remove(task);
		spin_unlock(&lock);
	}
}
