// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts, locks and lifetimes (7.3; 6.12 is the same where it has the point):
 *
 * task_numa_work		task work of current on its way to user space, no
 *				locks. Runs from exit_task_work() too, when
 *				current->mm is gone already.
 * folio_can_map_prot_numa	current scans its own address space: mmap_lock
 *				read, page table lock held. Never sleeps.
 * mpol_misplaced		hint fault of current: page table lock held, VMA
 *				or mmap lock read. Never sleeps.
 * task_numa_fault		hint fault of current after the page table lock
 *				was dropped. Also for kernel threads that fault
 *				on a borrowed mm: they have no mode and no
 *				statistics, and are left alone.
 *
 * ftrace calls the callback with the recursion bit taken and so with
 * preemption off: an RCU read-side section, in which cgroup states, groups and
 * memory cgroups stay. When the bit is taken already (a tracer's own fault),
 * the kernel's function runs: fail open. The callback takes no lock but the
 * run queue's inside sched_setnuma(), from task_numa_work, which holds none.
 *
 * Stopping the module: after unregister_ftrace_function() no CPU is inside
 * the callback (rude grace period), and a task that was preempted inside a
 * stub has left it (RCU-tasks grace period: a stub does not sleep, so the next
 * voluntary switch of the task is after it).
 */
#include <linux/ftrace.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/numa_balancing.h>
#include <linux/trace_recursion.h>

#include "../decide/surface.h"
#include "gates.h"
#include "groups.h"
#include "kernel.h"
#include "points.h"

/*
 * A thread whose scan was stopped asks again after this much run time, so
 * that a new mode is in force within a second.
 */
#define RECHECK_MS 500

static bool armed;
static bool hooked; /* settings' lock */

/* Where a stopped function returns from; see the head of this file. */
static noinline void stop_void(void)
{
}

static noinline bool stop_false(void)
{
	return false;
}

static noinline int stop_no_node(void)
{
	return NUMA_NO_NODE;
}

static __always_inline void stop(struct ftrace_regs *regs, void *stub)
{
	ftrace_regs_set_instruction_pointer(regs, (unsigned long)stub);
}

static unsigned long argument(struct ftrace_regs *regs, unsigned int n)
{
	return ftrace_regs_get_argument(regs, n);
}

/*
 * A task that does not want placement must not be steered by what an earlier
 * mode found out.
 */
static void forget_preferred_node(struct task_struct *p)
{
	if (p->numa_preferred_nid != NUMA_NO_NODE)
		kernel_sched_setnuma(p, NUMA_NO_NODE);
}

static bool scan_is_due(const struct mm_struct *mm)
{
	unsigned long next = READ_ONCE(mm->numa_next_scan);

	return next && !time_before(jiffies, next);
}

/* void task_numa_work(struct callback_head *work) */
static void gate_scan(struct ftrace_regs *regs)
{
	struct callback_head *work = (void *)argument(regs, 0);
	struct task_struct *p = current;
	enum numab_counter reason;
	struct numab_view t;
	bool pinned;

	/* The kernel's function ends these cases itself. */
	if (p->flags & (PF_EXITING | PF_KTHREAD) || !p->mm)
		return;

	t = numab_view_of_task(p);
	if (!numab_counts_faults(t.mode))
		forget_preferred_node(p);

	pinned = nodes_weight(p->mems_allowed) == 1;
	if (numab_task_scans(t.mode, pinned)) {
		if (scan_is_due(p->mm))
			numab_count(t, COUNT_SCANS_RUN, 1);
		return;
	}

	/* What the stopped function would have done: allow the next one. */
	work->next = work;
	if (p->numa_scan_period > RECHECK_MS)
		p->numa_scan_period = RECHECK_MS;
	reason = pinned ? COUNT_SCANS_SKIPPED_PINNED : COUNT_SCANS_SKIPPED_MODE;
	numab_count(t, reason, 1);
	stop(regs, stop_void);
}

/*
 * bool folio_can_map_prot_numa(struct folio *folio,
 *				struct vm_area_struct *vma, bool)
 */
static void gate_mark(struct ftrace_regs *regs)
{
	struct folio *folio = (void *)argument(regs, 0);
	struct numab_view t;
	bool top_tier;
	int f = NUMAB_BOTH;

	if (!folio)
		return;
	t = numab_view_of_task(current);
	top_tier = kernel_node_is_toptier(folio_nid(folio));
	/* On top-tier memory the folio has no say: spare the look-up. */
	if (!top_tier)
		f = numab_view_of_folio(folio).mode;
	if (numab_marks(t.mode, f, top_tier))
		return;
	if (top_tier)
		numab_count(t, COUNT_MARKS_REFUSED_NORMAL, 1);
	else
		numab_count(t, COUNT_MARKS_REFUSED_TIERING, 1);
	stop(regs, stop_false);
}

/* int mpol_misplaced(struct folio *folio, struct vm_fault *, unsigned long) */
static void gate_move(struct ftrace_regs *regs)
{
	struct folio *folio = (void *)argument(regs, 0);
	struct numab_view t = numab_view_of_task(current);
	struct numab_view f = numab_view_of_folio(folio);
	bool top_tier = kernel_node_is_toptier(folio_nid(folio));

	if (numab_moves(t.mode, f.mode, top_tier))
		return;
	if (top_tier)
		numab_count(f, COUNT_MOVES_REFUSED, 1);
	else
		numab_count(f, COUNT_PROMOTIONS_REFUSED, 1);
	stop(regs, stop_no_node);
}

static enum numab_counter locality(int node, int flags)
{
	if (!kernel_node_is_toptier(node))
		return COUNT_HINT_FAULTS_SLOW;
	if (flags & TNF_FAULT_LOCAL)
		return COUNT_HINT_FAULTS_LOCAL;
	return COUNT_HINT_FAULTS_REMOTE;
}

/* void task_numa_fault(int last_cpupid, int mem_node, int pages, int flags) */
static void gate_fault(struct ftrace_regs *regs)
{
	int node = argument(regs, 1);
	int pages = argument(regs, 2);
	int flags = argument(regs, 3);
	struct numab_view t;

	if (!current->mm)
		return;
	t = numab_view_of_task(current);
	numab_count(t, locality(node, flags), pages);
	if (numab_counts_faults(t.mode))
		return;
	numab_count(t, COUNT_HINT_FAULTS_UNCOUNTED, pages);
	stop(regs, stop_void);
}

/* Is this the entry of a point? The hook sits within its first bytes. */
static bool is_at(enum numab_point_id id, unsigned long ip)
{
	return ip - numab_points[id].address < 16;
}

static void decide(unsigned long ip, struct ftrace_regs *regs)
{
	if (is_at(POINT_MARK, ip))
		gate_mark(regs);
	else if (is_at(POINT_MOVE, ip))
		gate_move(regs);
	else if (is_at(POINT_FAULT, ip))
		gate_fault(regs);
	else if (is_at(POINT_SCAN, ip))
		gate_scan(regs);
}

static void notrace at_gate(unsigned long ip, unsigned long parent_ip,
			    struct ftrace_ops *ops, struct ftrace_regs *regs)
{
	int bit = ftrace_test_recursion_trylock(ip, parent_ip);

	if (bit < 0)
		return;
	rcu_read_lock();
	if (READ_ONCE(armed))
		decide(ip, regs);
	rcu_read_unlock();
	ftrace_test_recursion_unlock(bit);
}

static struct ftrace_ops gate_ops = {
	.func = at_gate,
	.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_PERMANENT,
};

int numab_gates_hook(void)
{
	int err;

	if (hooked)
		return 0;
	err = numab_points_hook(&gate_ops, POINTS_GATES);
	hooked = !err;
	return err;
}

void numab_gates_unhook(void)
{
	if (hooked)
		numab_points_unhook(&gate_ops, POINTS_GATES);
	hooked = false;
}

bool numab_gates_hooked(void)
{
	return READ_ONCE(hooked);
}

void numab_gates_arm(bool arm)
{
	WRITE_ONCE(armed, arm);
}

void numab_gates_exit(void)
{
	ftrace_free_filter(&gate_ops);
}
