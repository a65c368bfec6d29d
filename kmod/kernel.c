// SPDX-License-Identifier: GPL-2.0
#include <linux/kprobes.h>

#include "faults.h"
#include "kernel.h"
#include "points.h"

DEFINE_STATIC_CALL_NULL(numab_kallsyms_lookup_name,
			numab_type_kallsyms_lookup_name);
DEFINE_STATIC_CALL_NULL(numab_cgroup_add_dfl_cftypes,
			numab_type_cgroup_add_dfl_cftypes);
DEFINE_STATIC_CALL_NULL(numab_cgroup_rm_cftypes, numab_type_cgroup_rm_cftypes);
DEFINE_STATIC_CALL_NULL(numab_node_is_toptier, numab_type_node_is_toptier);
DEFINE_STATIC_CALL_NULL(numab_sched_setnuma, numab_type_sched_setnuma);
DEFINE_STATIC_CALL_NULL(numab_sysctl_numa_balancing,
			numab_type_sysctl_numa_balancing);

DEFINE_STATIC_CALL_NULL(numab_change_prot_numa, numab_type_change_prot_numa);
DEFINE_STATIC_CALL_NULL(numab_vma_migratable, numab_type_vma_migratable);
DEFINE_STATIC_CALL_NULL(numab_vma_policy_mof, numab_type_vma_policy_mof);
DEFINE_STATIC_CALL_NULL(numab_folio_xchg_last_cpupid,
			numab_type_folio_xchg_last_cpupid);
DEFINE_STATIC_CALL_NULL(numab_pidfd_get_task, numab_type_pidfd_get_task);
DEFINE_STATIC_CALL_NULL(numab_ptrace_may_access, numab_type_ptrace_may_access);
DEFINE_STATIC_CALL_NULL(numab_get_cpu_cacheinfo, numab_type_get_cpu_cacheinfo);

struct cgroup_subsys *numab_cpu_cgrp_subsys;
int *numab_sysctl_mode;
struct mutex *numab_cgroup_mutex;
struct cgroup_subsys_state *numab_root_css;
bool numab_kernel_skips_pinned;

#define BIND(call)                                                 \
	static void bind_##call(unsigned long address)             \
	{                                                          \
		static_call_update(numab_##call, (void *)address); \
	}

BIND(cgroup_add_dfl_cftypes)
BIND(cgroup_rm_cftypes)
BIND(node_is_toptier)
BIND(sched_setnuma)
BIND(sysctl_numa_balancing)
BIND(change_prot_numa)
BIND(vma_migratable)
BIND(vma_policy_mof)
BIND(folio_xchg_last_cpupid)
BIND(pidfd_get_task)
BIND(ptrace_may_access)
BIND(get_cpu_cacheinfo)

/* A function, its prototype as BTF has it, and the points that need it. */
#define CALL(name, type, points)                 \
	{                                        \
#name, type, points, bind_##name \
	}

/* clang-format off */
const struct numab_call numab_calls[] = {
	CALL(cgroup_add_dfl_cftypes,
	     "int (struct cgroup_subsys *, struct cftype *)", POINTS_ALL),
	CALL(cgroup_rm_cftypes, "int (struct cftype *)", POINTS_ALL),
	CALL(node_is_toptier, "bool (int)",
	     BIT(POINT_MARK) | BIT(POINT_MOVE)),
	CALL(sched_setnuma, "void (struct task_struct *, int)",
	     BIT(POINT_SCAN)),
	CALL(folio_xchg_last_cpupid, "int (struct folio *, int)",
	     BIT(POINT_MOVE)),
	CALL(sysctl_numa_balancing,
	     "int (const struct ctl_table *, int, void *, size_t *, loff_t *)",
	     BIT(POINT_SYSCTL)),
	CALL(change_prot_numa,
	     "long unsigned int (struct vm_area_struct *, long unsigned int, long unsigned int)",
	     BIT(POINT_OWN_SCAN)),
	CALL(pidfd_get_task, "struct task_struct * (int, unsigned int *)",
	     POINTS_TASKS),
	CALL(ptrace_may_access, "bool (struct task_struct *, unsigned int)",
	     POINTS_TASKS),
	CALL(vma_migratable, "bool (struct vm_area_struct *)",
	     BIT(POINT_OWN_SCAN)),
	CALL(vma_policy_mof, "bool (struct vm_area_struct *)",
	     BIT(POINT_OWN_SCAN)),
	CALL(get_cpu_cacheinfo, "struct cpu_cacheinfo * (unsigned int)",
	     BIT(POINT_POLICY)),
};
/* clang-format on */
const unsigned int numab_nr_calls = ARRAY_SIZE(numab_calls);

unsigned long numab_kernel_symbol(const char *name)
{
	if (numab_fault("missing", name))
		return 0;
	return static_call(numab_kallsyms_lookup_name)(name);
}

/*
 * The symbol table's own look-up is not exported, but a kprobe may be put on
 * it, and a registered kprobe knows its address.
 */
static int find_kallsyms(void)
{
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };
	int err;

	err = register_kprobe(&probe);
	if (err)
		return err;
	static_call_update(numab_kallsyms_lookup_name, (void *)probe.addr);
	unregister_kprobe(&probe);
	return 0;
}

static void *find_data(const char *name)
{
	void *address = (void *)numab_kernel_symbol(name);

	if (!address)
		pr_err("this kernel has no %s: cgroup v2 with the cpu controller and NUMA balancing are needed\n",
		       name);
	return address;
}

static const char *const knob_symbols[NR_KNOBS] = {
	[KNOB_HOT_THRESHOLD] = "sysctl_numa_balancing_hot_threshold",
	[KNOB_SCAN_SIZE] = "sysctl_numa_balancing_scan_size",
	[KNOB_SCAN_PERIOD_MIN] = "sysctl_numa_balancing_scan_period_min",
	[KNOB_SCAN_PERIOD_MAX] = "sysctl_numa_balancing_scan_period_max",
	[KNOB_PROMOTE_RATE] = "sysctl_numa_balancing_promote_rate_limit",
};
static unsigned int *knobs[NR_KNOBS];
static unsigned int *delay;
static unsigned int *tolerance;

unsigned int numab_kernel_knob(enum numab_knob knob)
{
	return knobs[knob] ? READ_ONCE(*knobs[knob]) : 0;
}

unsigned int numab_kernel_tolerance(void)
{
	return tolerance ? READ_ONCE(*tolerance) : 0;
}

unsigned int numab_kernel_scan_delay(void)
{
	return delay ? READ_ONCE(*delay) : 1000;
}

/* They are only shown, or stand in for one another: none is needed. */
static void find_knobs(void)
{
	unsigned int i;

	for (i = 0; i < NR_KNOBS; i++)
		knobs[i] = (void *)numab_kernel_symbol(knob_symbols[i]);
	delay = (void *)numab_kernel_symbol("sysctl_numa_balancing_scan_delay");
	tolerance = (void *)numab_kernel_symbol("llc_aggr_tolerance");
}

static int find_root_css(void)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT)) {
		pr_err("kernels with PREEMPT_RT are not supported: cgroups are released with a spin lock held that sleeps there\n");
		return -EOPNOTSUPP;
	}
	numab_root_css =
		rcu_dereference_raw(cgrp_dfl_root.cgrp.subsys[cpu_cgrp_id]);
	if (cgroup_subsys_enabled(cpu_cgrp_subsys) && numab_root_css &&
	    numab_root_css->ss == numab_cpu_cgrp_subsys)
		return 0;
	pr_err("the cpu controller is disabled or not on the cgroup v2 tree\n");
	return -EOPNOTSUPP;
}

int numab_kernel_find(void)
{
	int err = find_kallsyms();

	if (err) {
		pr_err("cannot find the kernel's symbols (%d): kprobes and kallsyms are needed\n",
		       err);
		return err;
	}
	numab_cpu_cgrp_subsys = find_data("cpu_cgrp_subsys");
	numab_sysctl_mode = find_data("sysctl_numa_balancing_mode");
	numab_cgroup_mutex = find_data("cgroup_mutex");
	if (!numab_cpu_cgrp_subsys || !numab_sysctl_mode || !numab_cgroup_mutex)
		return -EOPNOTSUPP;
	find_knobs();
	/* Its tracepoint came with it. */
	numab_kernel_skips_pinned =
		numab_kernel_symbol("__tracepoint_sched_skip_cpuset_numa");
	return find_root_css();
}
