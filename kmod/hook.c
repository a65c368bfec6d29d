// SPDX-License-Identifier: GPL-2.0
/*
 * ftrace calls numab_hook() at the entry of each hooked function. Taking the
 * recursion bit turns preemption off, so all of it is one RCU read-side
 * section, in which cgroup states, groups and memory cgroups stay. When the
 * bit is taken already (a tracer's own fault), the kernel's function runs as
 * if we were not there: fail open.
 *
 * Stopping the module: unregister_ftrace_function() returns when no CPU is
 * inside this callback (rude grace period) and every task that was preempted
 * in a stub reached through it has left it (RCU-tasks grace period: a stub
 * does not sleep, so the next voluntary switch comes after it).
 * Two targets do sleep; frames.c is about those.
 */
#include <linux/rcupdate.h>
#include <linux/trace_recursion.h>

#include "gates.h"
#include "groups.h"
#include "hook.h"
#include "points.h"
#include "sysctl.h"

/* Is this the entry of a point? The hook sits within its first bytes. */
static bool is_at(enum numab_point_id id, unsigned long ip)
{
	return ip - numab_points[id].address < 16;
}

/* The most frequent first. */
static void dispatch(unsigned long ip, struct ftrace_regs *regs)
{
	if (is_at(POINT_MARK, ip))
		numab_gate_mark(regs);
	else if (is_at(POINT_MOVE, ip))
		numab_gate_move(regs);
	else if (is_at(POINT_FAULT, ip))
		numab_gate_fault(regs);
	else if (is_at(POINT_SCAN, ip))
		numab_gate_scan(regs);
	else if (is_at(POINT_CGROUP, ip))
		numab_groups_release((void *)ftrace_regs_get_argument(regs, 0));
	else if (is_at(POINT_SYSCTL, ip))
		numab_sysctl_redirect(regs);
}

void notrace numab_hook(unsigned long ip, unsigned long parent_ip,
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
