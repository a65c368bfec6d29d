// SPDX-License-Identifier: GPL-2.0
/*
 * Context: task work of current, on its way to user space, no locks held;
 * current->mm is there (the gate has looked, and only current itself could
 * drop it). Sleeps: so each entry is counted in frames.c, and unloading waits
 * until nobody is inside. A scan ends by itself: it is bounded by its size.
 *
 * The mmap lock is only tried for, as the kernel does: a process that is
 * changing its mappings is not made to wait for a scan. Of the fields of mm
 * that are written here, numa_next_scan is claimed by compare-and-exchange,
 * the others belong to whoever claimed it.
 */
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "../decide/vma.h"
#include "frames.h"
#include "kernel.h"
#include "points.h"
#include "scan.h"
#include "view.h"
#include "walk.h"

/* Sparse memory is walked faster: this many times the size, at most. */
#define VIRTUAL_FACTOR 8

struct scan {
	struct mm_struct *mm;
	struct vm_area_struct *vma; /* where it stopped; NULL at the end */
	unsigned long at;	    /* address to go on from */
	long pages;		    /* budget of pages with entries to mark */
	long virtual_pages;	    /* budget of address space */
	bool forced;		    /* inactive VMAs are taken too, one */
	bool left_out;		    /* some were inactive */
};

bool numab_scan_is_possible(void)
{
	return numab_points_usable(BIT(POINT_OWN_SCAN));
}

static unsigned long scan_delay(void)
{
	return msecs_to_jiffies(numab_kernel_scan_delay());
}

/* As the kernel does when it finds a period of zero, with the own size. */
static void start_period(struct task_struct *p, unsigned int size_mb)
{
	unsigned long rss_mb = get_mm_rss(p->mm) >> (20 - PAGE_SHIFT);

	if (!p->numa_scan_period)
		p->numa_scan_period = numab_scan_period_start(
			rss_mb, size_mb,
			numab_kernel_knob(KNOB_SCAN_PERIOD_MIN));
}

/* Only one thread of a process scans at a time, at most once in a period. */
static bool claim(struct mm_struct *mm, struct task_struct *p)
{
	unsigned long next, now = jiffies;

	if (!mm->numa_next_scan)
		mm->numa_next_scan = now + scan_delay();
	next = mm->numa_next_scan;
	if (time_before(now, next))
		return false;
	if (!try_cmpxchg(&mm->numa_next_scan, &next,
			 now + msecs_to_jiffies(p->numa_scan_period)))
		return false;
	/* Let another thread win the next time. */
	p->node_stamp += 2 * TICK_NSEC;
	return true;
}

/* The kernel frees this with the VMA. */
static struct vma_numab_state *state_of(struct mm_struct *mm,
					struct vm_area_struct *vma)
{
	struct vma_numab_state *state = vma->numab_state;

	if (state)
		return state;
	state = kzalloc(sizeof(*state), GFP_KERNEL);
	if (!state)
		return NULL;
	state->start_scan_seq = mm->numa_scan_seq;
	state->prev_scan_seq = mm->numa_scan_seq - 1;
	state->next_scan = jiffies + scan_delay();
	state->pids_active_reset = state->next_scan + 4 * scan_delay();
	if (cmpxchg(&vma->numab_state, NULL, state)) {
		kfree(state);
		return NULL;
	}
	return state;
}

/* Forget, now and then, which threads touched an old VMA. */
static void age_activity(struct vma_numab_state *state)
{
	if (!time_after(jiffies, state->pids_active_reset))
		return;
	state->pids_active_reset += 4 * scan_delay();
	state->pids_active[0] = READ_ONCE(state->pids_active[1]);
	state->pids_active[1] = 0;
}

static bool is_touched(struct scan *scan, struct vm_area_struct *vma,
		       const struct vma_numab_state *state)
{
	int sweep = scan->mm->numa_scan_seq;
	unsigned long pids = state->pids_active[0] | state->pids_active[1];
	unsigned int bit = hash_32(current->pid, ilog2(BITS_PER_LONG));

	return numab_vma_is_touched(sweep - state->start_scan_seq,
				    pids & BIT(bit),
				    scan->mm->numa_scan_offset > vma->vm_start,
				    sweep - state->prev_scan_seq,
				    get_nr_threads(current));
}

static enum numab_vma_verdict judge(struct scan *scan,
				    struct vm_area_struct *vma)
{
	int sweep = scan->mm->numa_scan_seq;
	struct numab_vma_facts facts = {
		.suitable = numab_walk_is_suitable(vma),
		.read_only_file = numab_walk_is_read_only_file(vma),
		.accessible = vma_is_accessible(vma),
		.touched = true,
	};
	enum numab_vma_verdict verdict = numab_vma_verdict(facts);
	struct vma_numab_state *state;

	/* The rest of the facts is kept beside the VMA, if it gets that far. */
	if (verdict != VMA_SCANNED)
		return verdict;
	state = state_of(scan->mm, vma);
	if (!state)
		return VMA_NEW;
	if (sweep)
		age_activity(state);
	facts.too_new = sweep && time_before(jiffies, state->next_scan);
	facts.completed = state->prev_scan_seq == sweep;
	facts.touched = scan->forced || is_touched(scan, vma, state);
	return numab_vma_verdict(facts);
}

/* Mark a VMA from where the scan is. False when the budget is used up. */
static bool mark_vma(struct scan *scan, struct vm_area_struct *vma)
{
	unsigned long end;

	scan->at = max(scan->at, vma->vm_start);
	do {
		unsigned long size = (unsigned long)scan->pages << PAGE_SHIFT;
		unsigned long start = scan->at;

		end = min(ALIGN(start + size, HPAGE_SIZE), vma->vm_end);
		/* Without one entry to mark, only address space was spent. */
		if (kernel_change_prot_numa(vma, start, end))
			scan->pages -= (end - start) >> PAGE_SHIFT;
		scan->virtual_pages -= (end - start) >> PAGE_SHIFT;
		scan->at = end;
		if (scan->pages <= 0 || scan->virtual_pages <= 0 ||
		    fatal_signal_pending(current))
			return false;
		cond_resched();
	} while (end != vma->vm_end);
	vma->numab_state->prev_scan_seq = scan->mm->numa_scan_seq;
	return true;
}

static void begin_sweep(struct scan *scan)
{
	WRITE_ONCE(scan->mm->numa_scan_seq,
		   READ_ONCE(scan->mm->numa_scan_seq) + 1);
	scan->mm->numa_scan_offset = 0;
	scan->at = 0;
}

/*
 * From scan->at (behind the last VMA, from the start of the next sweep) to the
 * end, or until the budget is used up.
 */
static void walk(struct scan *scan)
{
	struct vma_iterator iterator;
	struct vm_area_struct *vma;

	if (!find_vma(scan->mm, scan->at))
		begin_sweep(scan);
	vma_iter_init(&iterator, scan->mm, scan->at);
	for (vma = vma_next(&iterator); vma; vma = vma_next(&iterator)) {
		enum numab_vma_verdict verdict = judge(scan, vma);

		if (verdict == VMA_COMPLETED)
			scan->mm->numa_scan_offset = vma->vm_end;
		if (verdict == VMA_INACTIVE)
			scan->left_out = true;
		if (verdict == VMA_SCANNED &&
		    (!mark_vma(scan, vma) || scan->forced))
			break;
	}
	scan->vma = vma;
}

static void scan_mm(struct mm_struct *mm, unsigned int size_mb)
{
	struct scan scan = {
		.mm = mm,
		.at = mm->numa_scan_offset,
		.pages = (long)size_mb << (20 - PAGE_SHIFT),
		.virtual_pages = VIRTUAL_FACTOR * (long)size_mb
				 << (20 - PAGE_SHIFT),
	};

	if (!mmap_read_trylock(mm)) {
		/* Soon again, however long the period. */
		mm->numa_next_scan = jiffies + scan_delay();
		return;
	}
	walk(&scan);
	/* Nothing left but what this thread did not touch: take one of those. */
	if (!scan.vma && scan.left_out) {
		scan.forced = true;
		scan.at = mm->numa_scan_offset;
		walk(&scan);
	}
	if (scan.vma)
		mm->numa_scan_offset = scan.at;
	else
		begin_sweep(&scan);
	mmap_read_unlock(mm);
}

/* In place of task_numa_work(), whose argument the gate has seen to. */
static void scan_work(struct callback_head *work)
{
	struct task_struct *p = current;
	u64 began = p->se.sum_exec_runtime;
	struct numab_view view;
	unsigned int size_mb;

	preempt_disable();
	rcu_read_lock();
	view = numab_view_in_scan(p);
	size_mb = numab_view_value_for(p, view, KNOB_SCAN_SIZE);
	rcu_read_unlock();
	preempt_enable();
	if (!size_mb)
		size_mb = numab_kernel_knob(KNOB_SCAN_SIZE);
	if (size_mb) {
		start_period(p, size_mb);
		if (claim(p->mm, p))
			scan_mm(p->mm, size_mb);
	}
	/* At least 32 times as much time for the task as for its scan. */
	p->node_stamp += 32 * (p->se.sum_exec_runtime - began);
	numab_frames_leave();
}

void numab_scan_redirect(struct ftrace_regs *regs)
{
	numab_frames_enter();
	ftrace_regs_set_instruction_pointer(regs, (unsigned long)scan_work);
}
