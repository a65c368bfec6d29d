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
 * A gate takes no lock but the run queue's inside sched_setnuma(), from
 * task_numa_work, which holds none. See hook.c for what holds in all of them.
 */
#include <linux/ftrace.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include "../decide/surface.h"
#include "gates.h"
#include "kernel.h"
#include "pinned.h"
#include "promote.h"
#include "scan.h"
#include "tasks.h"
#include "tuning.h"
#include "view.h"

/*
 * A thread whose scan was stopped asks again after this much run time, so
 * that a new mode is in force within a second.
 */
#define RECHECK_MS 500

static bool armed;

/* Where a stopped function returns from; see hook.c. */
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

/* The bounds of a workload's scan period; the kernel's where it has none. */
static void bound_period(struct task_struct *p, struct numab_view t)
{
	unsigned int min = numab_view_value_for(p, t, KNOB_SCAN_PERIOD_MIN);
	unsigned int max = numab_view_value_for(p, t, KNOB_SCAN_PERIOD_MAX);

	if (!min && !max)
		return;
	if (!min)
		min = numab_kernel_knob(KNOB_SCAN_PERIOD_MIN);
	if (!max)
		max = numab_kernel_knob(KNOB_SCAN_PERIOD_MAX);
	p->numa_scan_period =
		numab_scan_period_bound(p->numa_scan_period, min, max);
}

static bool has_own_scan(struct task_struct *p, struct numab_view t)
{
	return (numab_view_value_for(p, t, KNOB_SCAN_SIZE) ||
		numab_pinned_wants_own_scan()) &&
	       numab_scan_is_possible();
}

/*
 * A scan goes on. If its period is what stopping earlier ones left, the kernel
 * (or our own scan) makes one anew, before it uses it, when it finds zero. Only
 * when the scan is due, since otherwise the tick would see the zero.
 */
static void let_scan(struct task_struct *p, struct numab_view t)
{
	if (p->numa_scan_period == RECHECK_MS)
		p->numa_scan_period = 0;
	bound_period(p, t);
	numab_count(t, COUNT_SCANS_RUN, 1);
}

static bool scan_is_due(const struct mm_struct *mm)
{
	unsigned long next = READ_ONCE(mm->numa_next_scan);

	return next && !time_before(jiffies, next);
}

/* Why a task that is due for a scan is not scanned; or that it is. */
static enum numab_counter outcome_of(int mode, enum numab_pin pin)
{
	if (numab_task_scans(mode, pin != PIN_NONE))
		return COUNT_SCANS_RUN;
	if (pin == PIN_CPUSET)
		return COUNT_SCANS_SKIPPED_PINNED;
	if (pin == PIN_MEMPOLICY)
		return COUNT_SCANS_SKIPPED_MEMPOLICY;
	return COUNT_SCANS_SKIPPED_MODE;
}

/* A task may be scanned: by whom, and is there a pass for promotion first? */
static void pass_scan(struct ftrace_regs *regs, struct task_struct *p,
		      struct numab_view t)
{
	struct callback_head *work = (void *)argument(regs, 0);
	bool due = scan_is_due(p->mm);

	/* Memory that may be on one node only is not promoted either. */
	if (due && nodes_weight(p->mems_allowed) > 1 &&
	    numab_promote_is_due(t, p->mm)) {
		numab_promote_redirect(regs);
		return;
	}
	if (due)
		let_scan(p, t);
	if (has_own_scan(p, t)) {
		work->next = work;
		numab_scan_redirect(regs);
	}
}

/*
 * void task_numa_work(struct callback_head *work)
 *
 * Also hooked for pinned tasks alone, on kernels that scan them, and for scans
 * for promotion only: then every task's mode is the system default.
 */
void numab_gate_scan(struct ftrace_regs *regs)
{
	struct callback_head *work = (void *)argument(regs, 0);
	struct task_struct *p = current;
	enum numab_counter outcome;
	struct numab_view t;

	/* The kernel's function ends these cases itself. */
	if (p->flags & (PF_EXITING | PF_KTHREAD) || !p->mm)
		return;

	t = numab_view_at_scan(p);
	if (!numab_counts_faults(t.mode) && numab_gates_armed())
		forget_preferred_node(p);

	outcome = outcome_of(t.mode, numab_pinned_current());
	if (outcome == COUNT_SCANS_RUN) {
		pass_scan(regs, p, t);
		return;
	}

	/* What the stopped function would have done: allow the next one. */
	work->next = work;
	if (!p->numa_scan_period || p->numa_scan_period > RECHECK_MS)
		p->numa_scan_period = RECHECK_MS;
	numab_count(t, outcome, 1);
	stop(regs, stop_void);
}

/* Would the kernel leave it alone, were it shared? See numab_promote_marks(). */
static bool is_copied_on_write(const struct vm_area_struct *vma)
{
	return (vma->vm_flags & (VM_SHARED | VM_MAYWRITE)) == VM_MAYWRITE;
}

/*
 * bool folio_can_map_prot_numa(struct folio *folio,
 *				struct vm_area_struct *vma, bool)
 */
void numab_gate_mark(struct ftrace_regs *regs)
{
	struct folio *folio = (void *)argument(regs, 0);
	struct vm_area_struct *vma = (void *)argument(regs, 1);
	bool armed = numab_gates_armed();
	struct numab_view t;
	bool top_tier;
	int f = NUMAB_BOTH;

	if (!folio)
		return;
	if (numab_promote_is_passing()) {
		numab_promote_redirect_mark(regs);
		return;
	}
	if (!armed && !numab_promote_is_allowed())
		return;
	top_tier = kernel_node_is_toptier(folio_nid(folio));
	if (!armed && top_tier)
		return;
	t = numab_view_in_scan(current);
	/* On top-tier memory the folio has no say: spare the look-up. */
	if (!top_tier)
		f = numab_view_of_folio(folio).mode;
	if (numab_marks(t.mode, f, top_tier)) {
		if (!top_tier && is_copied_on_write(vma) &&
		    numab_promote_is_allowed())
			numab_promote_redirect_mark(regs);
		return;
	}
	if (!armed)
		return;
	if (top_tier)
		numab_count(t, COUNT_MARKS_REFUSED_NORMAL, 1);
	else
		numab_count(t, COUNT_MARKS_REFUSED_TIERING, 1);
	stop(regs, stop_false);
}

/* Where a hint fault found its folio, before anything moves. */
static enum numab_counter locality(const struct folio *folio, bool top_tier)
{
	if (!top_tier)
		return COUNT_HINT_FAULTS_SLOW;
	if (folio_nid(folio) == numa_node_id())
		return COUNT_HINT_FAULTS_LOCAL;
	return COUNT_HINT_FAULTS_REMOTE;
}

/*
 * Is a folio hot, by its workload's own threshold? It remembers when it was
 * marked, in a few bits that wrap around: no threshold reaches half of that.
 * Either way it is stamped anew, as the kernel does when it looks: a hot one
 * so that the kernel's own threshold does not refuse it.
 */
static bool is_hot(struct folio *folio, unsigned int threshold)
{
	unsigned int now = jiffies_to_msecs(jiffies);
	unsigned int then = kernel_folio_xchg_last_cpupid(
		folio, now >> PAGE_ACCESS_TIME_BUCKETS);
	unsigned int age = (now - (then << PAGE_ACCESS_TIME_BUCKETS)) &
			   PAGE_ACCESS_TIME_MASK;

	return age < min(threshold, PAGE_ACCESS_TIME_MASK / 2);
}

/*
 * A folio on a slow node, which may be promoted as far as its mode goes. The
 * values of the process that faults are nearer than those of its cgroups.
 */
static bool is_promotable(struct folio *folio, struct numab_view f)
{
	unsigned int threshold =
		numab_view_value_for(current, f, KNOB_HOT_THRESHOLD);

	if (threshold && !is_hot(folio, threshold)) {
		numab_count(f, COUNT_PROMOTIONS_COLD, 1);
		return false;
	}
	if (!numab_tuning_may_promote(f, folio_nr_pages(folio))) {
		numab_count(f, COUNT_PROMOTIONS_LIMITED, 1);
		return false;
	}
	return true;
}

/*
 * int mpol_misplaced(struct folio *folio, struct vm_fault *, unsigned long)
 *
 * Every hint fault comes by here, so here they are counted: as many as the
 * kernel's own numa_hint_faults, but for the task's cgroup.
 */
void numab_gate_move(struct ftrace_regs *regs)
{
	struct folio *folio = (void *)argument(regs, 0);
	struct numab_view t, f;
	bool top_tier;

	if (!numab_gates_armed())
		return;
	t = numab_view_of_task(current);
	f = numab_view_of_folio(folio);
	top_tier = kernel_node_is_toptier(folio_nid(folio));
	numab_count(t, locality(folio, top_tier), 1);
	if (!numab_moves(t.mode, f.mode, top_tier))
		numab_count(f,
			    top_tier ? COUNT_MOVES_REFUSED :
				       COUNT_PROMOTIONS_REFUSED,
			    1);
	else if (top_tier || is_promotable(folio, f))
		return;
	stop(regs, stop_no_node);
}

/* void task_numa_fault(int last_cpupid, int mem_node, int pages, int flags) */
void numab_gate_fault(struct ftrace_regs *regs)
{
	struct numab_view t;

	if (!current->mm || !numab_gates_armed())
		return;
	t = numab_view_of_task(current);
	if (numab_counts_faults(t.mode)) {
		/* The kernel adapts the period here: bring it back. */
		bound_period(current, t);
		return;
	}
	numab_count(t, COUNT_HINT_FAULTS_UNCOUNTED, 1);
	stop(regs, stop_void);
}

void numab_gates_arm(bool arm)
{
	WRITE_ONCE(armed, arm);
}

bool numab_gates_armed(void)
{
	return READ_ONCE(armed);
}
