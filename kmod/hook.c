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
 *
 * Two targets do sleep: the sysctl's handler and our own scan. Each entry to
 * them is counted, from the hook (preemption off) to the end of the function.
 * Letting go means: no new entry (nothing redirects for an RCU grace period),
 * then nobody inside. The last instructions, after the count was dropped, do
 * not sleep: they are covered by the RCU-tasks grace period with which the ops
 * is unregistered afterwards.
 */
#include <linux/rcupdate.h>
#include <linux/trace_recursion.h>
#include <linux/wait_bit.h>

#include "gates.h"
#include "groups.h"
#include "hook.h"
#include "points.h"
#include "sysctl.h"

static atomic_t inside = ATOMIC_INIT(0);

void numab_hook_enter(void)
{
	atomic_inc(&inside);
}

void numab_hook_leave(void)
{
	if (atomic_dec_and_test(&inside))
		wake_up_var(&inside);
}

void numab_hook_wait(void)
{
	synchronize_rcu();
	wait_var_event(&inside, !atomic_read(&inside));
}

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
