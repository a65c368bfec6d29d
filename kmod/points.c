// SPDX-License-Identifier: GPL-2.0
#include <linux/binfmts.h>
#include <linux/bpf.h>
#include <linux/bpf_verifier.h>
#include <linux/cacheinfo.h>
#include <linux/cgroup.h>
#include <linux/fs.h>
#include <linux/kernfs.h>
#include <linux/memcontrol.h>
#include <linux/mempolicy.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/topology.h>
#include <linux/slab.h>
#include <linux/sysctl.h>

#include "btf.h"
#include "faults.h"
#include "hook.h"
#include "kernel.h"
#include "points.h"
#include "policy_ops.h"

struct numab_point numab_points[NR_POINTS] = {
	[POINT_SCAN] = {
		.symbol = "task_numa_work",
		.prototype = "void (struct callback_head *)",
		.loss = "scans cannot be stopped",
	},
	[POINT_MARK] = {
		.symbol = "folio_can_map_prot_numa",
		.prototype = "bool (struct folio *, struct vm_area_struct *, bool)",
		.loss = "marking is not filtered per folio, the mode is enforced at the fault; scans for promotion only take place while the kernel runs in mode 2, and leave out what is shared copy on write",
	},
	[POINT_MOVE] = {
		.symbol = "mpol_misplaced",
		.prototype = "int (struct folio *, struct vm_fault *, long unsigned int)",
		.loss = "migration cannot be refused",
	},
	[POINT_FAULT] = {
		.symbol = "task_numa_fault",
		.prototype = "void (int, int, int, int)",
		.loss = "statistics cannot be refused",
	},
	[POINT_SYSCTL] = {
		.symbol = "sysctl_numa_balancing",
		.prototype = "int (const struct ctl_table *, int, void *, size_t *, loff_t *)",
		.loss = "a mode can only narrow what kernel.numa_balancing allows",
	},
	[POINT_CGROUP] = {
		.symbol = "cpu_cgroup_css_released",
		.prototype = "void (struct cgroup_subsys_state *)",
		.loss = "settings of removed cgroups would stay",
	},
	[POINT_FORK] = {
		.symbol = "sched_process_fork",
		.prototype = "void (void *, struct task_struct *, struct task_struct *)",
		.loss = "no process can have settings of its own",
	},
	[POINT_EXEC] = {
		.symbol = "sched_process_exec",
		.prototype = "void (void *, struct task_struct *, pid_t, struct linux_binprm *)",
		.loss = "no process can have settings of its own",
	},
	[POINT_EXIT] = {
		.symbol = "sched_process_exit",
		.prototype = "void (void *, struct task_struct *, bool)",
		.older = "void (void *, struct task_struct *)",
		.loss = "no process can have settings of its own",
	},
	[POINT_PREPARE] = {
		.symbol = "migrate_misplaced_folio_prepare",
		.prototype = "int (struct folio *, struct vm_area_struct *, int)",
		.loss = "program text of several processes is not promoted",
	},
	[POINT_CACHE] = {
		.symbol = "task_cache_work",
		.prototype = "void (struct callback_head *)",
		.loss = "if the kernel schedules by caches, its own check stands alone",
	},
	[POINT_CAPACITY] = {
		.symbol = "exceed_llc_capacity",
		.prototype = "bool (struct sched_cache_group *, int)",
		.loss = "no workload can be gathered beyond the kernel's own check",
	},
	[POINT_OWN_SCAN] = {
		.symbol = "change_prot_numa",
		.prototype = "long unsigned int (struct vm_area_struct *, long unsigned int, long unsigned int)",
		.loss = "no workload can have a scan size of its own, and there are no scans for promotion only",
	},
	[POINT_POLICY] = {
		.symbol = "__register_bpf_struct_ops",
		.prototype = "int (struct bpf_struct_ops *)",
		.loss = "there are no policies",
	},
};

/* clang-format off */
#define MEMBER(type, name, needed_by) \
	{ #type, #name, offsetof(struct type, name), needed_by }
/* clang-format on */

/* Every member that the hooks read or write, and who needs it. */
static const struct {
	const char *type;
	const char *name;
	long offset;
	unsigned int points;
} members[] = {
	MEMBER(callback_head, next, BIT(POINT_SCAN) | BIT(POINT_CACHE)),
	MEMBER(task_struct, flags, BIT(POINT_SCAN) | BIT(POINT_CACHE)),
	MEMBER(task_struct, mm,
	       BIT(POINT_SCAN) | BIT(POINT_FAULT) | BIT(POINT_CACHE)),
	MEMBER(task_struct, mems_allowed, BIT(POINT_SCAN) | BIT(POINT_CACHE)),
	MEMBER(task_struct, numa_scan_period, BIT(POINT_SCAN)),
	MEMBER(task_struct, numa_preferred_nid, BIT(POINT_SCAN)),
	MEMBER(mm_struct, numa_next_scan, BIT(POINT_SCAN)),
	MEMBER(task_struct, cgroups, POINTS_GATES),
	MEMBER(css_set, subsys, POINTS_GATES),
	MEMBER(cgroup_subsys_state, id, POINTS_ALL),
	MEMBER(cgroup_subsys_state, serial_nr, POINTS_ALL),
	MEMBER(cgroup_subsys_state, parent, POINTS_ALL),
	MEMBER(cgroup_subsys_state, cgroup, POINTS_ALL),
	MEMBER(cgroup, self, POINTS_ALL),
	MEMBER(cgroup, subsys, POINTS_ALL),
	MEMBER(mem_cgroup, css,
	       BIT(POINT_MARK) | BIT(POINT_MOVE) | BIT(POINT_PREPARE)),
	MEMBER(folio, memcg_data,
	       BIT(POINT_MARK) | BIT(POINT_MOVE) | BIT(POINT_PREPARE)),
	MEMBER(folio, flags,
	       BIT(POINT_MARK) | BIT(POINT_MOVE) | BIT(POINT_PREPARE)),
	MEMBER(mm_struct, numa_scan_seq,
	       BIT(POINT_OWN_SCAN) | BIT(POINT_CACHE)),
	MEMBER(mm_struct, numa_scan_offset, BIT(POINT_OWN_SCAN)),
	MEMBER(mm_struct, mmap_lock, BIT(POINT_OWN_SCAN)),
	MEMBER(mm_struct, mm_mt, BIT(POINT_OWN_SCAN)),
	MEMBER(task_struct, node_stamp, BIT(POINT_OWN_SCAN)),
	MEMBER(task_struct, pid, BIT(POINT_OWN_SCAN)),
	MEMBER(task_struct, signal, BIT(POINT_OWN_SCAN) | BIT(POINT_CACHE)),
	MEMBER(task_struct, se, BIT(POINT_OWN_SCAN)),
	MEMBER(sched_entity, sum_exec_runtime, BIT(POINT_OWN_SCAN)),
	MEMBER(signal_struct, nr_threads,
	       BIT(POINT_OWN_SCAN) | BIT(POINT_CACHE)),
	MEMBER(vm_area_struct, vm_start, BIT(POINT_OWN_SCAN)),
	MEMBER(vm_area_struct, vm_end, BIT(POINT_OWN_SCAN)),
	MEMBER(vm_area_struct, vm_mm, BIT(POINT_OWN_SCAN)),
	MEMBER(vm_area_struct, vm_flags,
	       BIT(POINT_OWN_SCAN) | BIT(POINT_MARK) | BIT(POINT_PREPARE)),
	MEMBER(vm_area_struct, vm_file, BIT(POINT_OWN_SCAN)),
	MEMBER(vm_area_struct, numab_state, BIT(POINT_OWN_SCAN)),
	MEMBER(vma_numab_state, next_scan, BIT(POINT_OWN_SCAN)),
	MEMBER(vma_numab_state, pids_active_reset, BIT(POINT_OWN_SCAN)),
	MEMBER(vma_numab_state, pids_active, BIT(POINT_OWN_SCAN)),
	MEMBER(vma_numab_state, start_scan_seq, BIT(POINT_OWN_SCAN)),
	MEMBER(vma_numab_state, prev_scan_seq, BIT(POINT_OWN_SCAN)),
	MEMBER(folio, mapping, BIT(POINT_MARK)),
	MEMBER(folio, _mapcount, BIT(POINT_MARK)),
	MEMBER(folio, _refcount, BIT(POINT_MARK)),
	MEMBER(folio, _large_mapcount, BIT(POINT_MARK)),
	MEMBER(folio, _pincount, BIT(POINT_MARK)),
	MEMBER(pglist_data, vm_stat, BIT(POINT_OWN_SCAN)),
	MEMBER(obj_cgroup, memcg, BIT(POINT_MARK) | BIT(POINT_MOVE)),
	MEMBER(bpf_link, ops, BIT(POINT_POLICY)),
	MEMBER(bpf_link_ops, detach, BIT(POINT_POLICY)),
	MEMBER(bpf_prog, len, BIT(POINT_POLICY)),
	MEMBER(bpf_prog, insnsi, BIT(POINT_POLICY)),
	MEMBER(bpf_prog, aux, BIT(POINT_POLICY)),
	MEMBER(bpf_prog_aux, func_info_aux, BIT(POINT_POLICY)),
	MEMBER(bpf_prog_aux, func_info_cnt, BIT(POINT_POLICY)),
	MEMBER(bpf_func_info_aux, linkage, BIT(POINT_POLICY)),
	MEMBER(bpf_verifier_ops, get_func_proto, BIT(POINT_POLICY)),
	MEMBER(bpf_verifier_ops, is_valid_access, BIT(POINT_POLICY)),
	MEMBER(bpf_struct_ops, check_member, BIT(POINT_POLICY)),
	MEMBER(bpf_struct_ops, init_member, BIT(POINT_POLICY)),
	MEMBER(bpf_struct_ops, reg, BIT(POINT_POLICY)),
	MEMBER(bpf_struct_ops, unreg, BIT(POINT_POLICY)),
	MEMBER(bpf_struct_ops, update, BIT(POINT_POLICY)),
	MEMBER(bpf_struct_ops, validate, BIT(POINT_POLICY)),
	MEMBER(btf_member, offset, BIT(POINT_POLICY)),
	MEMBER(mem_cgroup, nodeinfo, BIT(POINT_POLICY)),
	MEMBER(mem_cgroup_per_node, lru_zone_size, BIT(POINT_POLICY)),
	MEMBER(mem_cgroup_per_node, lruvec, BIT(POINT_POLICY)),
#ifdef CONFIG_LRU_GEN
	MEMBER(lruvec, lrugen, BIT(POINT_POLICY)),
	MEMBER(lru_gen_folio, nr_pages, BIT(POINT_POLICY)),
#endif
	MEMBER(mm_struct, rss_stat, BIT(POINT_POLICY)),
	MEMBER(pglist_data, node_present_pages, BIT(POINT_POLICY)),
	MEMBER(cpu_cacheinfo, info_list, BIT(POINT_POLICY)),
	MEMBER(cpu_cacheinfo, num_leaves, BIT(POINT_POLICY)),
	MEMBER(cacheinfo, level, BIT(POINT_POLICY)),
	MEMBER(cacheinfo, size, BIT(POINT_POLICY)),
#ifdef CONFIG_SCHED_CACHE
	MEMBER(task_struct, sched_cache_grp, BIT(POINT_CACHE)),
	MEMBER(task_struct, thread_node, BIT(POINT_CACHE)),
	MEMBER(task_struct, numa_faults, BIT(POINT_CACHE)),
	MEMBER(task_struct, numa_faults_locality, BIT(POINT_CACHE)),
	MEMBER(signal_struct, thread_head, BIT(POINT_CACHE)),
	MEMBER(mm_struct, rss_stat, BIT(POINT_CACHE)),
	MEMBER(sched_cache_group, footprint, BIT(POINT_CACHE)),
	MEMBER(sched_cache_group, next_scan, BIT(POINT_CACHE)),
	MEMBER(sched_cache_group, cpu, BIT(POINT_CACHE)),
	MEMBER(sched_domain, child, BIT(POINT_CACHE)),
	MEMBER(sched_domain, llc_bytes, BIT(POINT_CACHE)),
#endif
	MEMBER(ctl_table, data, BIT(POINT_SYSCTL)),
	MEMBER(ctl_table, maxlen, BIT(POINT_SYSCTL)),
	MEMBER(ctl_table, mode, BIT(POINT_SYSCTL)),
	MEMBER(ctl_table, extra1, BIT(POINT_SYSCTL)),
	MEMBER(ctl_table, extra2, BIT(POINT_SYSCTL)),
	MEMBER(task_struct, trace_recursion, POINTS_ALL),
	MEMBER(task_struct, signal, POINTS_TASKS),
	MEMBER(signal_struct, live, POINTS_TASKS),
	MEMBER(signal_struct, exec_update_lock, POINTS_TASKS),
	MEMBER(task_struct, real_cred, POINTS_TASKS),
	MEMBER(cred, user_ns, POINTS_TASKS),
	MEMBER(task_struct, mempolicy, BIT(POINT_SCAN)),
	MEMBER(mempolicy, mode, BIT(POINT_SCAN)),
	MEMBER(mempolicy, nodes, BIT(POINT_SCAN)),
	MEMBER(task_struct, cpus_mask, BIT(POINT_SCAN)),
	MEMBER(cgroup, ancestors, POINTS_ALL),
	MEMBER(cgroup, level, POINTS_ALL),
	MEMBER(cgroup_root, cgrp, POINTS_ALL),
	MEMBER(cftype, name, POINTS_ALL),
	MEMBER(cftype, flags, POINTS_ALL),
	MEMBER(cftype, ss, POINTS_ALL),
	MEMBER(cftype, kf_ops, POINTS_ALL),
	MEMBER(cftype, seq_show, POINTS_ALL),
	MEMBER(cftype, write, POINTS_ALL),
	MEMBER(kernfs_open_file, file, POINTS_ALL),
	MEMBER(file, f_cred, POINTS_ALL),
};

/* Structs that the kernel walks in arrays of ours, or that we make. */
static const struct {
	const char *type;
	long size;
	unsigned int points;
} sizes[] = {
	{ "cftype", sizeof(struct cftype), POINTS_ALL },
	{ "ctl_table", sizeof(struct ctl_table), BIT(POINT_SYSCTL) },
	{ "vm_area_struct", sizeof(struct vm_area_struct), BIT(POINT_PREPARE) },
	{ "vma_numab_state", sizeof(struct vma_numab_state),
	  BIT(POINT_OWN_SCAN) },
	{ "bpf_struct_ops", sizeof(struct bpf_struct_ops), BIT(POINT_POLICY) },
	{ "bpf_verifier_ops", sizeof(struct bpf_verifier_ops),
	  BIT(POINT_POLICY) },
	{ "bpf_prog", sizeof(struct bpf_prog), BIT(POINT_POLICY) },
	{ "bpf_func_info_aux", sizeof(struct bpf_func_info_aux),
	  BIT(POINT_POLICY) },
	{ "cacheinfo", sizeof(struct cacheinfo), BIT(POINT_POLICY) },
	{ "mem_cgroup_per_node", sizeof(struct mem_cgroup_per_node),
	  BIT(POINT_POLICY) },
};

static const char *const state_names[] = {
	[POINT_IDLE] = "idle",	   [POINT_LIVE] = "live",
	[POINT_ABSENT] = "absent", [POINT_MISMATCH] = "mismatch",
	[POINT_HELD] = "held",
};

const char *numab_point_state_name(enum numab_point_state state)
{
	return state_names[state];
}

static __printf(3, 0) void set_one(struct numab_point *point,
				   enum numab_point_state state,
				   const char *fmt, va_list args)
{
	point->state = state;
	vscnprintf(point->reason, sizeof(point->reason), fmt, args);
	pr_notice("%s %s: %s; %s\n", point->symbol, state_names[state],
		  point->reason, point->loss);
}

/* The first reason stands: what comes after may only be its consequence. */
void numab_points_set_unusable(unsigned int points,
			       enum numab_point_state state, const char *fmt,
			       ...)
{
	unsigned int i;
	va_list args;

	for (i = 0; i < NR_POINTS; i++) {
		if (!(points & BIT(i)) || numab_points[i].state > POINT_LIVE)
			continue;
		va_start(args, fmt);
		set_one(&numab_points[i], state, fmt, args);
		va_end(args);
	}
}

/* Compare one function's prototype with what this module was built for. */
static void check_prototype(const struct numab_btf *btf, const char *symbol,
			    const char *expected, unsigned int points)
{
	char found[128];
	int err;

	err = numab_btf_prototype(btf, symbol, found, sizeof(found));
	if (err)
		numab_points_set_unusable(points, POINT_MISMATCH,
					  "%s has no readable prototype (%d)",
					  symbol, err);
	else if (numab_fault("prototype", symbol) || strcmp(found, expected))
		numab_points_set_unusable(points, POINT_MISMATCH,
					  "%s is now %s", symbol, found);
}

static bool is_older(const struct numab_btf *btf, const char *symbol,
		     const char *older)
{
	char found[128];

	return older &&
	       !numab_btf_prototype(btf, symbol, found, sizeof(found)) &&
	       !strcmp(found, older);
}

/* What describes a tracepoint is the type of its callbacks. */
static void check_point(const struct numab_btf *btf, enum numab_point_id id)
{
	struct numab_point *point = &numab_points[id];
	bool traced = BIT(id) & POINTS_TASKS;
	char symbol[48], typed[48];

	scnprintf(symbol, sizeof(symbol), "%s%s", traced ? "__tracepoint_" : "",
		  point->symbol);
	scnprintf(typed, sizeof(typed), "%s%s", traced ? "btf_trace_" : "",
		  point->symbol);
	point->address = numab_kernel_symbol(symbol);
	if (!point->address)
		numab_points_set_unusable(BIT(id), POINT_ABSENT,
					  "not in this kernel");
	point->is_older = is_older(btf, typed, point->older);
	if (point->address)
		check_prototype(btf, typed,
				point->is_older ? point->older :
						  point->prototype,
				BIT(id));
}

static void check_points(const struct numab_btf *btf)
{
	unsigned int i;

	for (i = 0; i < NR_POINTS; i++)
		check_point(btf, i);
}

/* Not inlined: tools/check-calls knows the call of bind() by this name. */
static noinline void check_calls(const struct numab_btf *btf)
{
	unsigned int i;

	for (i = 0; i < numab_nr_calls; i++) {
		const struct numab_call *call = &numab_calls[i];
		unsigned long address = numab_kernel_symbol(call->symbol);

		if (!address) {
			numab_points_set_unusable(call->points, POINT_MISMATCH,
						  "%s is not in this kernel",
						  call->symbol);
			continue;
		}
		check_prototype(btf, call->symbol, call->prototype,
				call->points);
		call->bind(address);
	}
}

static void check_members(const struct numab_btf *btf)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(members); i++) {
		long offset =
			numab_btf_member(btf, members[i].type, members[i].name);
		char full[64];

		scnprintf(full, sizeof(full), "%s.%s", members[i].type,
			  members[i].name);
		if (numab_fault("member", full))
			offset = -ENOENT;
		if (offset != members[i].offset)
			numab_points_set_unusable(
				members[i].points, POINT_MISMATCH,
				"struct %s is at %ld, not at %ld", full, offset,
				members[i].offset);
	}
}

static void check_sizes(const struct numab_btf *btf)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		long size = numab_btf_size(btf, sizes[i].type);

		if (size != sizes[i].size)
			numab_points_set_unusable(
				sizes[i].points, POINT_MISMATCH,
				"struct %s has %ld bytes, not %ld",
				sizes[i].type, size, sizes[i].size);
	}
}

/* The one bit field that is read; the compiler knows no offset of it. */
static void check_bits(const struct numab_btf *btf)
{
	struct linux_binprm *bprm = kzalloc(sizeof(*bprm), GFP_KERNEL);
	long bit = numab_btf_bit(btf, "linux_binprm", "secureexec");

	if (bprm)
		bprm->secureexec = 1;
	if (!bprm ||
	    bit != find_first_bit((unsigned long *)bprm, 8 * sizeof(*bprm)))
		numab_points_set_unusable(
			POINTS_TASKS, POINT_MISMATCH,
			"struct linux_binprm.secureexec is at bit %ld", bit);
	kfree(bprm);
}

/* The same for the one that policies are refused by. */
static void check_sleepable(const struct numab_btf *btf)
{
	struct bpf_prog *prog = kzalloc(sizeof(*prog), GFP_KERNEL);
	long bit = numab_btf_bit(btf, "bpf_prog", "sleepable");

	if (!prog)
		return;
	prog->sleepable = 1;
	if (bit != find_first_bit((unsigned long *)prog, 8 * sizeof(*prog)))
		numab_points_set_unusable(
			BIT(POINT_POLICY), POINT_MISMATCH,
			"struct bpf_prog.sleepable is at bit %ld", bit);
	kfree(prog);
}

/* Without, BPF knows nothing of the types that this module offers. */
static void check_own_btf(void)
{
	if (!THIS_MODULE->btf_data_size || numab_fault("btf", "own"))
		numab_points_set_unusable(
			BIT(POINT_POLICY), POINT_MISMATCH,
			"numab.ko was built without BTF: pahole and the headers' vmlinux are needed");
}

static int check_types(void)
{
	const char *start = (void *)numab_kernel_symbol("__start_BTF");
	const char *stop = (void *)numab_kernel_symbol("__stop_BTF");
	struct numab_btf btf;
	u32 *offsets;
	int err;

	if (numab_fault("btf", "none"))
		start = NULL;
	err = start && stop ? numab_btf_open(&btf, start, stop - start) :
			      -ENODATA;
	if (err) {
		pr_err("cannot read the kernel's type information (%d): CONFIG_DEBUG_INFO_BTF is needed\n",
		       err);
		return -EOPNOTSUPP;
	}
	offsets = kvmalloc_array(btf.nr_types, sizeof(*offsets), GFP_KERNEL);
	if (!offsets)
		return -ENOMEM;
	numab_btf_index(&btf, offsets);
	check_points(&btf);
	check_calls(&btf);
	check_members(&btf);
	check_sizes(&btf);
	check_bits(&btf);
	check_sleepable(&btf);
	check_own_btf();
	numab_policy_ops_learn(&btf);
	kvfree(offsets);
	return 0;
}

unsigned int numab_points_usable(unsigned int points)
{
	unsigned int i;

	for (i = 0; i < NR_POINTS; i++)
		if (numab_points[i].state > POINT_LIVE)
			points &= ~BIT(i);
	return points;
}

static bool has_minimum(void)
{
	if (numab_points_usable(POINTS_MINIMUM) == POINTS_MINIMUM)
		return true;
	pr_err("this kernel cannot be served: see the decision points above\n");
	return false;
}

int numab_points_verify(void)
{
	int err = check_types();

	if (err)
		return err;
	if (!has_minimum())
		return -EOPNOTSUPP;
	numab_hooks_probe(POINTS_ON_DEMAND);
	return has_minimum() ? 0 : -EOPNOTSUPP;
}
