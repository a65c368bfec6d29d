// SPDX-License-Identifier: GPL-2.0
/*
 * ftrace calls enter() at the entry of each hooked function. Taking the
 * recursion bit turns preemption off, so all of it is one RCU read-side
 * section, in which cgroup states, groups and memory cgroups stay. When the
 * bit is taken already (a tracer's own fault), the kernel's function runs as
 * if we were not there: fail open.
 *
 * Stopping the module: unregister_ftrace_function() returns when no CPU is
 * inside this callback (rude grace period) and every task that was preempted
 * in a stub reached through it has left it (RCU-tasks grace period: a stub
 * does not sleep, so the next voluntary switch comes after it).
 * Three targets do sleep; frames.c is about those.
 */
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/rcupdate.h>
#include <linux/trace_recursion.h>
#include <linux/tracepoint.h>

#include "cache.h"
#include "faults.h"
#include "gates.h"
#include "groups.h"
#include "hook.h"
#include "points.h"
#include "promote.h"
#include "sysctl.h"
#include "tasks.h"

/* Points that were hooked together, by one ftrace_ops. */
static struct hook_set {
	struct ftrace_ops ops;
	unsigned int points; /* 0: free */
} slots[NR_POINTS];

/* Is this the entry of a point? The hook sits within its first bytes. */
static bool is_at(enum numab_point_id id, unsigned long ip)
{
	return ip - numab_points[id].address < 16;
}

/* The most frequent first. */
static void dispatch(unsigned long ip, struct ftrace_regs *regs)
{
	if (is_at(POINT_CAPACITY, ip))
		numab_gate_capacity(regs);
	else if (is_at(POINT_MARK, ip))
		numab_gate_mark(regs);
	else if (is_at(POINT_MOVE, ip))
		numab_gate_move(regs);
	else if (is_at(POINT_FAULT, ip))
		numab_gate_fault(regs);
	else if (is_at(POINT_SCAN, ip))
		numab_gate_scan(regs);
	else if (is_at(POINT_PREPARE, ip))
		numab_gate_prepare(regs);
	else if (is_at(POINT_CACHE, ip))
		numab_gate_cache(regs);
	else if (is_at(POINT_CGROUP, ip))
		numab_groups_release((void *)ftrace_regs_get_argument(regs, 0));
	else if (is_at(POINT_SYSCTL, ip))
		numab_sysctl_redirect(regs);
}

static void notrace enter(unsigned long ip, unsigned long parent_ip,
			  struct ftrace_ops *ops, struct ftrace_regs *regs)
{
	int bit = ftrace_test_recursion_trylock(ip, parent_ip);

	if (bit < 0)
		return;
	rcu_read_lock();
	dispatch(ip, regs);
	rcu_read_unlock();
	ftrace_test_recursion_unlock(bit);
}

static void set_state(unsigned int points, enum numab_point_state state)
{
	unsigned int i;

	for (i = 0; i < NR_POINTS; i++)
		if (points & BIT(i))
			WRITE_ONCE(numab_points[i].state, state);
}

static unsigned int with_state(unsigned int points,
			       enum numab_point_state state)
{
	unsigned int i;

	for (i = 0; i < NR_POINTS; i++)
		if (READ_ONCE(numab_points[i].state) != state)
			points &= ~BIT(i);
	return points;
}

unsigned int numab_hooks_live(unsigned int points)
{
	return with_state(points, POINT_LIVE);
}

static void *callback_of(enum numab_point_id id)
{
	switch (id) {
	case POINT_FORK:
		return numab_tasks_fork;
	case POINT_EXEC:
		return numab_tasks_exec;
	default:
		return numab_points[id].is_older ?
			       (void *)numab_tasks_exit_older :
			       (void *)numab_tasks_exit;
	}
}

static struct tracepoint *tracepoint_of(enum numab_point_id id)
{
	return (struct tracepoint *)numab_points[id].address;
}

/* On return no CPU is in a callback of ours for one of these. */
static void untrace(unsigned int points)
{
	unsigned int i;

	points = numab_hooks_live(points & POINTS_TASKS);
	for (i = 0; i < NR_POINTS; i++)
		if (points & BIT(i))
			tracepoint_probe_unregister(tracepoint_of(i),
						    callback_of(i), NULL);
	if (points)
		tracepoint_synchronize_unregister();
	set_state(points, POINT_IDLE);
}

/* All or none: a process that is born is also seen to go. */
static int trace(unsigned int points)
{
	unsigned int i;
	int err;

	points &= POINTS_TASKS & ~numab_hooks_live(points);
	if (numab_points_usable(points) != points)
		return -EOPNOTSUPP;
	for (i = 0; i < NR_POINTS; i++) {
		if (!(points & BIT(i)))
			continue;
		err = numab_fault("alloc", "tracepoint") ?
			      -ENOMEM :
			      tracepoint_probe_register(tracepoint_of(i),
							callback_of(i), NULL);
		if (err) {
			untrace(points);
			return err;
		}
		set_state(BIT(i), POINT_LIVE);
	}
	return 0;
}

static int set_filter(struct ftrace_ops *ops, unsigned int points)
{
	unsigned long ips[NR_POINTS];
	unsigned int i, n = 0;

	for (i = 0; i < NR_POINTS; i++) {
		if (!(points & BIT(i)))
			continue;
		if (numab_fault("held", numab_points[i].symbol))
			return -EBUSY;
		ips[n++] = numab_points[i].address;
	}
	return ftrace_set_filter_ips(ops, ips, n, 0, 1);
}

static struct hook_set *free_slot(void)
{
	struct hook_set *slot = slots;

	/* There are as many as points, and each holds at least one. */
	while (slot->points)
		slot++;
	return slot;
}

/* A BPF trampoline that is being changed just now says -EAGAIN. */
static int hook(unsigned int points)
{
	struct hook_set *slot = free_slot();
	unsigned int tries;
	int err;

	slot->ops.func = enter;
	slot->ops.flags |= FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_PERMANENT;
	err = set_filter(&slot->ops, points);
	if (err)
		return err;
	for (tries = 0; tries < 20; tries++) {
		err = register_ftrace_function(&slot->ops);
		if (err != -EAGAIN)
			break;
		msleep(5);
	}
	if (!err) {
		slot->points = points;
		set_state(points, POINT_LIVE);
	}
	return err;
}

static int unhook(struct hook_set *slot)
{
	int err = unregister_ftrace_function(&slot->ops);

	if (err) {
		pr_emerg(
			"ftrace refuses to unhook (%d): it has turned itself off\n",
			err);
		return err;
	}
	set_state(slot->points, POINT_IDLE);
	slot->points = 0;
	return 0;
}

static void unhook_all_of(unsigned int points)
{
	unsigned int i;

	for (i = 0; i < NR_POINTS; i++)
		if (slots[i].points & points)
			unhook(&slots[i]);
}

/*
 * Find who of a set is held, one by one, the set as a whole being refused.
 * What fails for another reason (no memory) says nothing about the point.
 */
static void find_held(unsigned int points)
{
	unsigned int i;

	for (i = 0; i < NR_POINTS; i++) {
		int err;

		if (!(points & BIT(i)))
			continue;
		err = hook(BIT(i));
		if (!err)
			unhook_all_of(BIT(i));
		else if (err == -EBUSY)
			numab_points_set_unusable(
				BIT(i), POINT_HELD,
				"a livepatch or the like holds it, or ftrace is off");
		else if (err == -EINVAL)
			numab_points_set_unusable(BIT(i), POINT_MISMATCH,
						  "ftrace cannot hook it");
	}
}

int numab_hooks_add(unsigned int points)
{
	unsigned int usable, live = numab_hooks_live(points);
	int err;

	err = trace(points);
	points &= ~live & ~POINTS_TASKS;
	if (err || !points)
		return err;
	/* Who was held may be free by now. */
	set_state(with_state(points, POINT_HELD), POINT_IDLE);
	usable = numab_points_usable(points);
	/* ftrace takes an empty filter for every function there is. */
	if (!usable)
		return live ? 0 : -EOPNOTSUPP;
	err = hook(usable);
	if (err != -EBUSY && err != -EINVAL)
		return err;
	/* Somebody came since the last look: go on without, or not. */
	find_held(usable);
	usable = numab_points_usable(points);
	if ((points & POINTS_MINIMUM) & ~usable)
		return -EBUSY;
	if (!usable)
		return live ? 0 : -EBUSY;
	return hook(usable);
}

int numab_hooks_trim(unsigned int needed, bool may_part)
{
	unsigned int i, parted = 0;
	int err;

	untrace(~needed);
	for (i = 0; i < NR_POINTS; i++) {
		unsigned int points = slots[i].points;

		if (!points || !(points & ~needed) ||
		    ((points & needed) && !may_part))
			continue;
		err = unhook(&slots[i]);
		if (err)
			return err;
		parted |= points & needed;
	}
	return parted ? numab_hooks_add(parted) : 0;
}

void numab_hooks_probe(unsigned int points)
{
	points = numab_points_usable(points & ~POINTS_TASKS);
	if (!points)
		return;
	if (hook(points))
		find_held(points);
	else
		unhook_all_of(points);
}

/*
 * After ftrace has turned itself off (it found the kernel's text other than
 * it left it), a hook cannot be taken out, and code that may still be reached
 * must not go away: wait here for ever, and leave the machine running.
 */
void numab_hooks_exit(void)
{
	unsigned int i;

	while (numab_hooks_trim(0, true))
		schedule_timeout_idle(3600 * HZ);
	for (i = 0; i < NR_POINTS; i++)
		ftrace_free_filter(&slots[i].ops);
}
