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

struct cgroup_subsys *numab_cpu_cgrp_subsys;
int *numab_sysctl_mode;
struct mutex *numab_cgroup_mutex;
struct cgroup_subsys_state *numab_root_css;

static void bind_add_dfl_cftypes(unsigned long address)
{
	static_call_update(numab_cgroup_add_dfl_cftypes, (void *)address);
}

static void bind_rm_cftypes(unsigned long address)
{
	static_call_update(numab_cgroup_rm_cftypes, (void *)address);
}

static void bind_node_is_toptier(unsigned long address)
{
	static_call_update(numab_node_is_toptier, (void *)address);
}

static void bind_sched_setnuma(unsigned long address)
{
	static_call_update(numab_sched_setnuma, (void *)address);
}

static void bind_sysctl_numa_balancing(unsigned long address)
{
	static_call_update(numab_sysctl_numa_balancing, (void *)address);
}

const struct numab_call numab_calls[] = {
	{ "cgroup_add_dfl_cftypes",
	  "int (struct cgroup_subsys *, struct cftype *)", POINTS_ALL,
	  bind_add_dfl_cftypes },
	{ "cgroup_rm_cftypes", "int (struct cftype *)", POINTS_ALL,
	  bind_rm_cftypes },
	{ "node_is_toptier", "bool (int)", BIT(POINT_MARK) | BIT(POINT_MOVE),
	  bind_node_is_toptier },
	{ "sched_setnuma", "void (struct task_struct *, int)", BIT(POINT_SCAN),
	  bind_sched_setnuma },
	{ "sysctl_numa_balancing",
	  "int (const struct ctl_table *, int, void *, size_t *, loff_t *)",
	  BIT(POINT_SYSCTL), bind_sysctl_numa_balancing },
};
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
	return find_root_css();
}
