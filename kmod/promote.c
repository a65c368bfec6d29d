// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts: a pass is task work of current in place of one call of
 * task_numa_work(), as in scan.c: no locks held, sleeps, counted in frames.c.
 * It takes the mmap lock for reading, only by trying, and gives it up when
 * somebody waits for it. The kernel's scan is put off, not replaced: its period
 * (numa_next_scan) stays unclaimed, and its work is queued again at the end.
 *
 * Only one thread of a process is in a pass (numab_promote.busy), and the
 * state of the address space belongs to it. The space stays, since current
 * uses it.
 *
 * The folio hooks run under a page table lock, inside change_prot_numa() of
 * current, and learn from a slot that it is a pass of current that called.
 */
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/memcontrol.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/mmap_lock.h>
#include <linux/moduleparam.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/task_work.h>

#include "frames.h"
#include "hook.h"
#include "kernel.h"
#include "points.h"
#include "promote.h"
#include "settings.h"
#include "spaces.h"
#include "sysctl.h"
#include "view.h"
#include "walk.h"

#define QUIET_BITS 8
#define SLOT_BITS  6

/* A pass takes no more than this part of a CPU's time. */
#define TIME_SHARE 64

struct numab_promote {
	atomic_t busy;	     /* somebody is in a pass */
	unsigned long next;  /* jiffies: not before */
	unsigned long last;  /* mm's numa_next_scan, at the last pass */
	int sweep;	     /* the kernel's, when last looked at */
	unsigned int passes; /* since that began */
	struct numab_promote_place place;
	struct numab_quiet quiet[1 << QUIET_BITS];
};

/* Who is in a pass, by a hash of the task; a task whose slot is taken waits. */
static struct pass_slot {
	struct task_struct *task;
	unsigned long seen; /* pages asked about, in this stripe */
	unsigned long slow; /* folios of these, on a slow node */
} ____cacheline_aligned slots[1 << SLOT_BITS];

/* Held for reading while marking, so that allow(false) can wait. */
static DECLARE_RWSEM(marking);
static bool allowed;

/* Without memory, scans go on without a pass for so long. */
static unsigned long retry = INITIAL_JIFFIES;

static bool promotion_scans = true;
static unsigned int promotion_share = 25;

static int set_switch(const char *text, const struct kernel_param *param)
{
	int err = param_set_bool(text, param);

	return err ? err : numab_settings_update();
}

static const struct kernel_param_ops switch_ops = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG,
	.set = set_switch,
	.get = param_get_bool,
};
module_param_cb(promotion_scans, &switch_ops, &promotion_scans, 0644);
MODULE_PARM_DESC(promotion_scans,
		 "Scan for promotion what filters for placement leave out");

static int set_share(const char *text, const struct kernel_param *param)
{
	return param_set_uint_minmax(text, param, 1, 100);
}

static const struct kernel_param_ops share_ops = {
	.set = set_share,
	.get = param_get_uint,
};
module_param_cb(promotion_share, &share_ops, &promotion_share, 0644);
MODULE_PARM_DESC(
	promotion_share,
	"Per cent of the scan size that is scanned for promotion in each period");

void numab_promote_free(struct numab_promote *promote)
{
	kfree(promote);
}

static struct pass_slot *slot_of(struct task_struct *task)
{
	return &slots[hash_ptr(task, SLOT_BITS)];
}

bool numab_promote_is_passing(void)
{
	return READ_ONCE(slot_of(current)->task) == current;
}

static bool has_slow_node(void)
{
	int node;

	for_each_node_state(
		node, N_MEMORY) if (!kernel_node_is_toptier(node)) return true;
	return false;
}

/* Why there are none, when the kernel runs with a mode; NULL: there are. */
static const char *obstacle(int running)
{
	if (!READ_ONCE(promotion_scans))
		return "off: the module's promotion_scans says so";
	if (!numab_points_usable(BIT(POINT_OWN_SCAN)))
		return "off: not possible on this kernel";
	if (!has_slow_node())
		return "off: there is no slow tier";
	if (!(running & NUMAB_TIERING))
		return "off: nobody uses tiering";
	if (running != NUMAB_TIERING && !numab_points_usable(BIT(POINT_MARK)))
		return "off: on this kernel only while nobody uses normal";
	return NULL;
}

bool numab_promote_is_wanted(int running)
{
	return !obstacle(running);
}

const char *numab_promote_state(void)
{
	const char *state = obstacle(numab_sysctl_running());

	if (!state && !numab_promote_is_allowed())
		state = "off: a decision point is held";
	return state ?: "on";
}

void numab_promote_allow(bool allow)
{
	if (allow == READ_ONCE(allowed))
		return;
	down_write(&marking);
	WRITE_ONCE(allowed, allow);
	up_write(&marking);
}

bool numab_promote_is_allowed(void)
{
	return READ_ONCE(allowed);
}

/* Is there anything at all on slow nodes? What CPUs still hold back, is not. */
static bool slow_memory_is_used(void)
{
	int node, list;

	for_each_node_state(node, N_MEMORY)
	{
		struct pglist_data *pgdat = NODE_DATA(node);

		if (kernel_node_is_toptier(node))
			continue;
		for (list = 0; list < NR_LRU_LISTS; list++)
			if (atomic_long_read(
				    &pgdat->vm_stat[NR_LRU_BASE + list]) > 0)
				return true;
	}
	return false;
}

/* Not twice before a scan of the kernel's, or our own, took its period. */
static bool is_due(const struct numab_promote *promote,
		   const struct mm_struct *mm)
{
	return READ_ONCE(promote->last) != READ_ONCE(mm->numa_next_scan) &&
	       !time_before(jiffies, READ_ONCE(promote->next));
}

bool numab_promote_is_due(struct numab_view t, struct mm_struct *mm)
{
	struct numab_promote *promote;
	struct numab_space *space;

	if (!numab_promote_is_allowed() || !(t.mode & NUMAB_TIERING))
		return false;
	space = numab_space_find(mm);
	promote = space ? READ_ONCE(space->promote) : NULL;
	if (!promote)
		return !time_before(jiffies, READ_ONCE(retry));
	return !atomic_read(&promote->busy) && is_due(promote, mm);
}

/* One pass over an address space. */
struct pass {
	struct mm_struct *mm;
	struct numab_promote *promote;
	struct pass_slot *slot;
	struct numab_promote_pass left;
	unsigned long looked; /* bytes */
	unsigned long marked; /* pages */
};

static enum numab_promote_verdict judge(struct pass *pass,
					struct vm_area_struct *vma)
{
	struct vma_numab_state *state = READ_ONCE(vma->numab_state);

	return numab_promote_verdict((struct numab_promote_vma){
		.suitable = numab_walk_is_suitable(vma),
		.accessible = vma_is_accessible(vma),
		.read_only_file = numab_walk_is_read_only_file(vma),
		.left_out = state ? pass->promote->sweep -
					    READ_ONCE(state->prev_scan_seq) :
				    1,
		.passes = pass->promote->passes,
	});
}

/* Does something keep the top tier unmarked: the hook, or the kernel's mode? */
static bool may_mark(void)
{
	return allowed && (numab_hooks_live(BIT(POINT_MARK)) ||
			   numab_sysctl_running() == NUMAB_TIERING);
}

/* Mark a stripe. False when there are to be no passes any more. */
static bool mark(struct pass *pass, struct vm_area_struct *vma,
		 struct numab_stripe stripe, unsigned int id,
		 struct numab_quiet *quiet)
{
	unsigned long length = stripe.end - stripe.start;
	unsigned long marked, memory;

	if (!down_read_trylock(&marking))
		return false;
	if (!may_mark()) {
		up_read(&marking);
		return false;
	}
	pass->slot->seen = 0;
	pass->slot->slow = 0;
	marked = kernel_change_prot_numa(vma, stripe.start, stripe.end);
	up_read(&marking);
	/* Without the hook on folios, what was marked is all that is known. */
	memory = max(pass->slot->seen, marked) << PAGE_SHIFT;
	/* A large folio may be mapped in part. */
	memory = min(memory, length);
	numab_promote_charge(&pass->left, length, memory);
	numab_quiet_note(quiet, id, pass->promote->place.pass,
			 pass->slot->slow || marked);
	pass->marked += marked;
	pass->looked += memory;
	return true;
}

/* It is a mapping's turn. False when the pass ends, before it. */
static bool visit(struct pass *pass, struct vm_area_struct *vma)
{
	struct numab_promote *promote = pass->promote;
	struct numab_stripe stripe =
		numab_promote_stripe(vma->vm_start, vma->vm_end,
				     pass->left.quantum, promote->place.round);
	unsigned int id = stripe.start / NUMAB_PROMOTE_ALIGN + 1;
	struct numab_quiet *quiet = &promote->quiet[hash_32(id, QUIET_BITS)];

	if (numab_promote_is_done(&pass->left, vma->vm_start, stripe.of))
		return true;
	if (!numab_promote_affords(&pass->left, stripe.end - stripe.start))
		return false;
	if (numab_quiet_skips(*quiet, id, promote->place.pass)) {
		numab_promote_charge(&pass->left, 0, 0);
		return true;
	}
	return mark(pass, vma, stripe, id, quiet);
}

/* From where the last pass stopped to the last mapping. False: it ends here. */
static bool walk_round(struct pass *pass)
{
	struct numab_promote_place *place = &pass->promote->place;
	struct vma_iterator iterator;
	struct vm_area_struct *vma;

	vma_iter_init(&iterator, pass->mm, place->at);
	for (vma = vma_next(&iterator); vma; vma = vma_next(&iterator)) {
		place->at = vma->vm_start;
		if (!numab_promote_charge_judgement(&pass->left) ||
		    fatal_signal_pending(current))
			return false;
		if (judge(pass, vma) != PROMOTE_WALK)
			continue;
		if (!visit(pass, vma))
			return false;
		if (mmap_lock_is_contended(pass->mm)) {
			place->at = vma->vm_end;
			return false;
		}
		cond_resched();
	}
	return numab_promote_wrap(&pass->left, place);
}

static void walk(struct pass *pass)
{
	struct numab_promote *promote = pass->promote;
	int sweep = READ_ONCE(pass->mm->numa_scan_seq);

	if (promote->sweep != sweep) {
		promote->sweep = sweep;
		promote->passes = 0;
	} else {
		promote->passes++;
	}
	if (!mmap_read_trylock(pass->mm))
		return;
	promote->place.pass++;
	while (walk_round(pass))
		;
	mmap_read_unlock(pass->mm);
}

static unsigned long budget_of(struct task_struct *p)
{
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
	return numab_promote_budget(size_mb, READ_ONCE(promotion_share));
}

static void count(const struct pass *pass, u64 ns)
{
	struct numab_view t;

	preempt_disable();
	rcu_read_lock();
	t = numab_view_in_scan(current);
	numab_count(t, COUNT_PROMOTION_SCANS, 1);
	numab_count(t, COUNT_PROMOTION_SCAN_BYTES, pass->looked);
	numab_count(t, COUNT_PROMOTION_SCAN_USEC, ns / NSEC_PER_USEC);
	numab_count(t, COUNT_PROMOTION_MARKS, pass->marked);
	rcu_read_unlock();
	preempt_enable();
}

static void make_pass(struct task_struct *p, struct numab_promote *promote)
{
	struct pass pass = {
		.mm = p->mm,
		.promote = promote,
		.slot = slot_of(p),
	};
	unsigned long budget = budget_of(p);
	u64 ran = p->se.sum_exec_runtime, began = ktime_get_ns();

	WRITE_ONCE(promote->last, READ_ONCE(p->mm->numa_next_scan));
	if (!budget || !slow_memory_is_used() ||
	    cmpxchg(&pass.slot->task, NULL, p))
		return;
	numab_promote_begin(&pass.left, budget, promote->place);
	walk(&pass);
	smp_store_release(&pass.slot->task, NULL);
	count(&pass, ktime_get_ns() - began);
	ran = p->se.sum_exec_runtime - ran;
	WRITE_ONCE(promote->next, jiffies + nsecs_to_jiffies(TIME_SHARE * ran));
}

static struct numab_promote *promote_of(struct mm_struct *mm)
{
	struct numab_space *space = numab_space_get(mm, GFP_KERNEL);
	struct numab_promote *promote;

	if (!space)
		return NULL;
	promote = READ_ONCE(space->promote);
	if (promote)
		return promote;
	promote = kzalloc(sizeof(*promote), GFP_KERNEL);
	if (promote && cmpxchg(&space->promote, NULL, promote)) {
		kfree(promote);
		promote = READ_ONCE(space->promote);
	}
	return promote;
}

/*
 * In place of task_numa_work(). While it runs, work is not its own next, so no
 * tick queues it. At the end it is queued anew, for the same thread: that the
 * kernel's filters go by the thread that scans must stay as it is. Then
 * is_due() says no.
 */
static void promote_work(struct callback_head *work)
{
	struct task_struct *p = current;
	struct numab_promote *promote = promote_of(p->mm);

	if (promote && !atomic_cmpxchg(&promote->busy, 0, 1)) {
		if (is_due(promote, p->mm))
			make_pass(p, promote);
		atomic_set_release(&promote->busy, 0);
	}
	if (!promote)
		WRITE_ONCE(retry, jiffies + HZ);
	if (task_work_add(p, work, TWA_RESUME))
		work->next = work;
	numab_frames_leave();
}

void numab_promote_redirect(struct ftrace_regs *regs)
{
	numab_frames_enter();
	ftrace_regs_set_instruction_pointer(regs, (unsigned long)promote_work);
}

/* The mode of a slow folio of current's: it may be marked, or not. RCU. */
static bool wants_promotion(struct folio *folio, bool passing)
{
	struct numab_view t = numab_view_in_scan(current);

	if (!(t.mode & numab_view_of_folio(folio).mode & NUMAB_TIERING))
		return false;
	/* Outside of a pass, the kernel marks what nobody else maps anyway. */
	if (!passing && folio_mapcount(folio) > 1)
		numab_count(t, COUNT_PROMOTION_MARKS, 1);
	return true;
}

/* In place of folio_can_map_prot_numa(); the folio is there. */
static noinline bool can_mark(struct folio *folio, struct vm_area_struct *vma,
			      bool alone)
{
	bool passing = numab_promote_is_passing();
	struct pass_slot *slot = slot_of(current);
	int node = folio_nid(folio);
	struct numab_promote_folio facts = {
		.special = folio_is_zone_device(folio) || folio_test_ksm(folio),
		.top_tier = kernel_node_is_toptier(node),
		.tiering = true,
		.pinned = folio_maybe_dma_pinned(folio),
		.dirty = folio_is_file_lru(folio) && folio_test_dirty(folio),
		.local = alone && node == numa_node_id(),
	};

	if (passing) {
		slot->seen += folio_nr_pages(folio);
		slot->slow += !facts.top_tier;
	}
	if (!numab_promote_marks(facts))
		return false;
	rcu_read_lock();
	facts.tiering = wants_promotion(folio, passing);
	rcu_read_unlock();
	if (!facts.tiering)
		return false;
	/* So that the fault can see how long ago this was. */
	kernel_folio_xchg_last_cpupid(folio, jiffies_to_msecs(jiffies) >>
						     PAGE_ACCESS_TIME_BUCKETS);
	return true;
}

void numab_promote_redirect_mark(struct ftrace_regs *regs)
{
	ftrace_regs_set_instruction_pointer(regs, (unsigned long)can_mark);
}

/* One on each CPU: the kernel's function does not sleep, nor do interrupts. */
static DEFINE_PER_CPU(struct vm_area_struct, plain_vma);

void numab_gate_prepare(struct ftrace_regs *regs)
{
	struct folio *folio = (void *)ftrace_regs_get_argument(regs, 0);
	struct vm_area_struct *vma = (void *)ftrace_regs_get_argument(regs, 1);
	int node = (int)ftrace_regs_get_argument(regs, 2);
	struct vm_area_struct *plain = this_cpu_ptr(&plain_vma);

	if (!(vma->vm_flags & VM_EXEC) || !folio_is_file_lru(folio) ||
	    !numab_promote_is_allowed())
		return;
	if (kernel_node_is_toptier(folio_nid(folio)) ||
	    !kernel_node_is_toptier(node))
		return;
	if (!(numab_view_of_folio(folio).mode & NUMAB_TIERING))
		return;
	/* The mapping is asked for nothing but this flag. */
	memcpy(plain, vma, sizeof(*plain));
	vm_flags_init(plain, vma->vm_flags & ~VM_EXEC);
	arch_ftrace_regs(regs)->regs.si = (unsigned long)plain;
}

/* Memory came or went, and perhaps a node or its tier with it. */
static int memory_changed(struct notifier_block *block, unsigned long action,
			  void *unused)
{
	if (action == MEM_ONLINE || action == MEM_OFFLINE)
		numab_settings_recheck();
	return NOTIFY_OK;
}

static struct notifier_block memory_block = {
	.notifier_call = memory_changed,
};

int numab_promote_init(void)
{
	return register_memory_notifier(&memory_block);
}

void numab_promote_exit(void)
{
	unregister_memory_notifier(&memory_block);
}
