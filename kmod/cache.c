// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts, locks and lifetimes:
 *
 * task_cache_work	task work of current on its way to user space, no
 *			locks. Runs from exit_task_work() too, when
 *			current->mm is gone already. At most once a tick for a
 *			thread; what is expensive is done when the kernel is due
 *			to pick, about every 10 ms for a process.
 * exceed_llc_capacity	from every update of a running time (run queue lock
 *			held, interrupts off), from the load balancer and from
 *			task_cache_work(). Knows a group, no task. Nothing here
 *			may lock, wake or print.
 *
 * A sched_cache_group belongs to an mm_struct, which holds it until it is freed
 * itself. An entry of spaces.c holds the mm_struct, so the group that it names
 * is not another's before the entry is gone.
 */
#include <linux/debugfs.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/topology.h>
#include <linux/sysfs.h>

#include "../decide/cache.h"
#include "../decide/surface.h"
#include "cache.h"
#include "faults.h"
#include "gates.h"
#include "groups.h"
#include "hook.h"
#include "kernel.h"
#include "points.h"
#include "settings.h"
#include "spaces.h"
#include "view.h"

/*
 * Threads whose faults are added up: the sum is a lower bound then, and no
 * process keeps a CPU for long.
 */
#define THREADS_MAX 512

static bool gate = true;
module_param_named(cache_gate, gate, bool, 0644);
MODULE_PARM_DESC(
	cache_gate,
	"keep processes that are too big for a cache from being gathered on one");

static struct sched_domain __rcu *__percpu *llcs; /* sd_llc */
static struct dentry *dir;

/* By group: those that the kernel's own check is to pass. */
static DEFINE_HASHTABLE(lifted, 8);
static DEFINE_SPINLOCK(lifted_lock);

static noinline void stop_void(void)
{
}

static noinline bool stop_false(void)
{
	return false;
}

/* The size is kept in the smallest domain, of which sd_llc is a parent. */
static unsigned long llc_bytes(int cpu)
{
	struct sched_domain *sd = rcu_dereference(*per_cpu_ptr(llcs, cpu));

	if (numab_fault("missing", "llc_bytes"))
		return 0;
	while (sd && sd->child)
		sd = sd->child;
	return sd ? READ_ONCE(sd->llc_bytes) : 0;
}

/*
 * The pages of the hint faults that a process's threads took and that the
 * kernel has not brought into its footprint: it does so, for each thread, when
 * a sweep has ended, and begins this sum anew. Under RCU.
 */
static unsigned long pages_in_sweep(struct task_struct *p)
{
	unsigned long sum = 0;
	struct task_struct *t;
	unsigned int n = 0;

	for_each_thread(p, t)
	{
		if (n++ == THREADS_MAX)
			break;
		/* Without it, these are the parent's, copied at fork. */
		if (READ_ONCE(t->numa_faults))
			sum += READ_ONCE(t->numa_faults_locality[0]) +
			       READ_ONCE(t->numa_faults_locality[1]);
	}
	return sum;
}

/*
 * Is there an estimate of what is in use? Only of a process whose hint faults
 * count, that is scanned, and that was scanned once all through.
 */
static bool is_estimated(struct task_struct *p, struct mm_struct *mm, int mode)
{
	return numab_counts_faults(mode & READ_ONCE(*numab_sysctl_mode)) &&
	       nodes_weight(p->mems_allowed) > 1 &&
	       READ_ONCE(mm->numa_scan_seq);
}

/* Under RCU, preemption off; mm is p's and stays. */
static void collect(struct task_struct *p, struct mm_struct *mm,
		    struct sched_cache_group *grp, struct numab_view t,
		    struct numab_cache_facts *facts)
{
	*facts = (struct numab_cache_facts){
		.footprint = READ_ONCE(grp->footprint),
		.in_sweep = pages_in_sweep(p),
		.rss = get_mm_rss(mm),
		.llc = llc_bytes(task_cpu(p)),
		.page_size = PAGE_SIZE,
		.tolerance = numab_kernel_tolerance(),
		.estimated = is_estimated(p, mm, t.mode),
		.asked = numab_view_cache_for(p, t),
	};
}

static struct numab_space *find_lifted(struct sched_cache_group *grp)
{
	struct numab_space *space;

	hash_for_each_possible_rcu(lifted, space, lifted_node,
				   (unsigned long)grp) if (space->lifted ==
							   grp) return space;
	return NULL;
}

void numab_cache_forget(struct numab_space *space)
{
	spin_lock(&lifted_lock);
	if (space->lifted) {
		hash_del_rcu(&space->lifted_node);
		space->lifted = NULL;
	}
	spin_unlock(&lifted_lock);
}

/*
 * A former node may still be walked by a reader when it is added again: that
 * reader may end up in the same bucket's newer entries, and misses or finds
 * one, which is as good.
 */
static void lift(struct mm_struct *mm, struct sched_cache_group *grp)
{
	struct numab_space *space = numab_space_get(mm, GFP_NOWAIT);

	if (!space || READ_ONCE(space->lifted))
		return;
	spin_lock(&lifted_lock);
	if (!space->lifted) {
		space->lifted = grp;
		hash_add_rcu(lifted, &space->lifted_node, (unsigned long)grp);
	}
	spin_unlock(&lifted_lock);
}

static void set_lifted(struct mm_struct *mm, struct sched_cache_group *grp,
		       bool lifts)
{
	struct numab_space *space;

	if (lifts) {
		lift(mm, grp);
		return;
	}
	space = numab_space_find(mm);
	if (space && READ_ONCE(space->lifted))
		numab_cache_forget(space);
}

static enum numab_counter counter_of(enum numab_cache_verdict verdict)
{
	switch (verdict) {
	case CACHE_RSS_EXCEEDS:
		return COUNT_GATHERS_REFUSED_RSS;
	case CACHE_FOOTPRINT_EXCEEDS:
		return COUNT_GATHERS_REFUSED_FOOTPRINT;
	default:
		return COUNT_GATHERS_REFUSED_SETTING;
	}
}

/* Without a setting anywhere nobody has to be asked. */
static struct numab_view view_of(struct task_struct *p)
{
	if (numab_gates_armed() || numab_settings_any())
		return numab_view_of_task(p);
	return (struct numab_view){ .mode = numab_system_default() };
}

/* Single threads are no matter of this: the kernel never gathers them. */
static bool is_due(struct task_struct *p, struct sched_cache_group *grp)
{
	return get_nr_threads(p) > 1 &&
	       !time_before(jiffies, READ_ONCE(grp->next_scan));
}

/* void task_cache_work(struct callback_head *work) */
void numab_gate_cache(struct ftrace_regs *regs)
{
	struct callback_head *work = (void *)ftrace_regs_get_argument(regs, 0);
	struct task_struct *p = current;
	struct sched_cache_group *grp;
	enum numab_cache_verdict verdict;
	struct numab_cache_facts facts;
	struct numab_view t;

	/* The kernel's function ends these cases itself. */
	if (p->flags & (PF_EXITING | PF_KTHREAD) || !p->mm)
		return;
	grp = rcu_dereference(p->sched_cache_grp);
	if (!grp || !is_due(p, grp))
		return;
	t = view_of(p);
	collect(p, p->mm, grp, t, &facts);
	if (!READ_ONCE(gate) && facts.asked == NUMAB_CACHE_AUTO) {
		set_lifted(p->mm, grp, false);
		return;
	}
	verdict = numab_cache_decide(&facts);
	set_lifted(p->mm, grp,
		   numab_cache_gathers(verdict) &&
			   numab_cache_lifts(facts.asked, facts.tolerance));
	if (numab_cache_gathers(verdict))
		return;
	/* What the stopped function would have done: allow the next one. */
	work->next = work;
	if (READ_ONCE(grp->cpu) != -1)
		WRITE_ONCE(grp->cpu, -1);
	numab_count(numab_view_of_task(p), counter_of(verdict), 1);
	ftrace_regs_set_instruction_pointer(regs, (unsigned long)stop_void);
}

/* bool exceed_llc_capacity(struct sched_cache_group *grp, int cpu) */
void numab_gate_capacity(struct ftrace_regs *regs)
{
	struct sched_cache_group *grp =
		(void *)ftrace_regs_get_argument(regs, 0);

	if (find_lifted(grp))
		ftrace_regs_set_instruction_pointer(regs,
						    (unsigned long)stop_false);
}

static void show_facts(struct seq_file *seq, struct task_struct *p,
		       struct sched_cache_group *grp,
		       const struct numab_cache_facts *facts)
{
	bool balancing = READ_ONCE(*numab_sysctl_mode);
	int cpu = READ_ONCE(grp->cpu);

	seq_printf(seq, "pid %d\n", p->tgid);
	seq_printf(seq, "footprint %lu\n", facts->footprint * PAGE_SIZE);
	seq_printf(seq, "in_sweep %lu\n", facts->in_sweep * PAGE_SIZE);
	seq_printf(seq, "rss %lu\n", facts->rss * PAGE_SIZE);
	seq_printf(seq, "llc %lu\n", facts->llc);
	seq_printf(seq, "tolerance %u\n", facts->tolerance);
	seq_printf(seq, "estimated %d\n", facts->estimated);
	seq_printf(seq, "asked %d\n", facts->asked);
	seq_printf(seq, "verdict %s\n",
		   numab_cache_verdict_name(numab_cache_decide(facts)));
	seq_printf(seq, "kernel_refuses %d\n",
		   numab_cache_kernel_refuses(facts, balancing));
	seq_printf(seq, "lifted %d\n",
		   !!(find_lifted(grp) &&
		      numab_hooks_live(BIT(POINT_CAPACITY))));
	seq_printf(seq, "cpu %d\n\n", cpu);
}

/*
 * A process's main thread may be gone before the others: any will do that has
 * the address space. Its lock keeps that, and preemption off.
 */
static bool show_thread(struct seq_file *seq, struct task_struct *p)
{
	struct numab_cache_facts facts;
	struct sched_cache_group *grp;
	bool has_mm;

	task_lock(p);
	has_mm = p->mm;
	grp = has_mm ? rcu_dereference(p->sched_cache_grp) : NULL;
	if (grp) {
		collect(p, p->mm, grp, view_of(p), &facts);
		show_facts(seq, p, grp, &facts);
	}
	task_unlock(p);
	return has_mm;
}

static void show_process(struct seq_file *seq, struct task_struct *leader)
{
	struct task_struct *p;

	for_each_thread(leader, p) if (show_thread(seq, p)) return;
}

static int processes_show(struct seq_file *seq, void *v)
{
	struct task_struct *p;

	rcu_read_lock();
	for_each_process(p) if (!(p->flags & PF_KTHREAD) &&
				get_nr_threads(p) > 1) show_process(seq, p);
	rcu_read_unlock();
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(processes);

int numab_cache_status(char *buf)
{
	unsigned long bytes, min = ULONG_MAX, max = 0;
	int cpu;

	if (!numab_points_usable(BIT(POINT_CACHE)))
		return sysfs_emit(buf, "usable 0\n");
	rcu_read_lock();
	for_each_online_cpu(cpu)
	{
		bytes = llc_bytes(cpu);
		if (!bytes)
			continue; /* isolated, perhaps: nothing to gather on */
		min = min(min, bytes);
		max = max(max, bytes);
	}
	rcu_read_unlock();
	min = min(min, max);
	return sysfs_emit(
		buf,
		"usable 1\ngate %d\nsized %d\nllc_min %lu\nllc_max %lu\ntolerance %u\n",
		READ_ONCE(gate),
		numab_cache_is_plausible(min) && numab_cache_is_plausible(max),
		min, max, numab_kernel_tolerance());
}

/* Without these there is nothing to decide by. */
void numab_cache_find(void)
{
	llcs = (void __percpu *)numab_kernel_symbol("sd_llc");
	if (!llcs || !numab_kernel_symbol("llc_aggr_tolerance"))
		numab_points_set_unusable(
			BIT(POINT_CACHE) | BIT(POINT_CAPACITY), POINT_MISMATCH,
			"%s is not in this kernel",
			llcs ? "llc_aggr_tolerance" : "sd_llc");
}

void numab_cache_init(void)
{
	if (!numab_points_usable(BIT(POINT_CACHE)))
		return;
	dir = debugfs_create_dir("numab", NULL);
	debugfs_create_file("cache", 0400, dir, NULL, &processes_fops);
}

void numab_cache_exit(void)
{
	debugfs_remove(dir);
}
