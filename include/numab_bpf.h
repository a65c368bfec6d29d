/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the authors of policies: BPF programs that say which NUMA balancing a
 * workload gets. A policy is a program and a struct:
 *
 *	#include "numab_bpf.h"
 *
 *	SEC("struct_ops/mode")
 *	int BPF_PROG(my_mode, struct task_struct *task, struct folio *folio)
 *	{
 *		if (task && !bpf_strncmp(task->comm, 5, "redis"))
 *			return NUMAB_OFF;
 *		return NUMAB_NO_OPINION;
 *	}
 *
 *	NUMAB_POLICY(my_policy, .mode = (void *)my_mode);
 *
 * Build it with  clang -O2 -g -target bpf -c  and attach it to a cgroup with
 * numab policy load  (numab(8)).
 *
 * THE QUESTION. One question, about one of two things, the other one being
 * NULL; the verifier insists on the test:
 *
 *	task	may this task be scanned, do its hint faults count, may it be
 *		moved? Asked when the task is to scan, and at its hint faults.
 *	folio	may this memory be moved or promoted? Asked of the policies of
 *		the memory cgroup that is charged with it, whoever touches it.
 *
 * THE ANSWER is a set of mechanisms (NUMAB_OFF to NUMAB_BOTH), or
 * NUMAB_NO_OPINION. Anything else counts as no opinion, and in
 * cpu.numab.stat as policy_bad_answers. Mechanisms that are not in may_enable
 * are cut from it.
 *
 * WHICH MODE HOLDS. All policies of the cgroup and of every cgroup above are
 * asked, and the files there. What holds is the intersection of all opinions;
 * where nobody has one, the system default. So any place can narrow, and none
 * can force on a workload what another one on its way up takes away.
 *
 * HOW OFTEN. An answer about a task holds for the scan that it was asked for,
 * and at faults for the rest of the clock's tick (1/HZ, at most 10 ms). An
 * answer about a folio holds, for the rest of the tick, for all folios of its
 * memory cgroup on the same node; with NUMAB_EACH_FOLIO every folio is
 * asked about. A policy that changes its mind through a map is heard again
 * with the next scan or the next tick.
 *
 * WHERE. Preemption is off, under RCU, and a page table's lock may be held.
 * So programs may not sleep, nor loop for long: bpf_loop(), bpf_for(),
 * can_loop, bpf_for_each_map_elem(), tail calls and functions that are not
 * static are refused; loops whose end the verifier sees are fine. A policy that
 * takes more than a fifth of a CPU is not asked for the rest of the tenth of a
 * second, which cpu.numab.stat counts as policy_throttled.
 */
#ifndef NUMAB_BPF_H
#define NUMAB_BPF_H

#ifndef __VMLINUX_H__
#include <linux/bpf.h>
#include <linux/types.h>
#include <stdbool.h>

/*
 * Those members of the kernel's structs that the policies of numab read; where
 * they lie is found out when a policy is loaded. A policy that reads others
 * includes a vmlinux.h before this file.
 */
#pragma clang attribute push(__attribute__((preserve_access_index)), \
			     apply_to = record)

struct task_struct {
	char comm[16];
	int pid;  /* the thread */
	int tgid; /* the process */
	unsigned long numa_pages_migrated;
	unsigned long numa_faults_locality[3]; /* remote, local, failed */
	unsigned long total_numa_faults;
};

/* For what the functions below say of it. */
struct folio {
	unsigned long private;
};

#pragma clang attribute pop
#endif

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

/* Mechanisms; the values are those of kernel.numa_balancing. */
#define NUMAB_OFF     0
#define NUMAB_NORMAL  1 /* move tasks and pages between top-tier nodes */
#define NUMAB_TIERING 2 /* promote hot pages from a slow tier */
#define NUMAB_BOTH    3

#define NUMAB_NO_OPINION (-1)

/* Flags. */
#define NUMAB_EACH_FOLIO 1 /* ask about each folio: see above */

#define NUMAB_NAME_LEN 32

/* Members that a later numab adds come at the end; 0 is what was before. */
struct bpf_numab_ops {
	int (*mode)(struct task_struct *task, struct folio *folio);
	__u64 cgroup_id;	   /* 0: the root, every workload */
	__u32 may_enable;	   /* mechanisms that it may return */
	__u32 flags;		   /* NUMAB_EACH_FOLIO */
	char name[NUMAB_NAME_LEN]; /* letters, digits, '_' and '-' */
};

/* Define a policy. The tool fills in the cgroup. */
#define NUMAB_POLICY(policy, ...)                                       \
	SEC(".struct_ops.link")                                         \
	struct bpf_numab_ops policy = { .name = #policy, __VA_ARGS__ }; \
	char LICENSE[] SEC("license") = "GPL"

/* ---- what the kernel's own kfuncs do not say ---- */

/* The node a folio lies on; whether a node is in the top tier. */
extern int numab_folio_node(const struct folio *folio) __ksym;
extern bool numab_node_is_top_tier(int node) __ksym;
static inline bool numab_folio_is_top_tier(const struct folio *folio)
{
	return numab_node_is_top_tier(numab_folio_node(folio));
}

/* Memory of a node in bytes, 0 where there is none; nodes are below the count. */
extern __u64 numab_node_bytes(int node) __ksym;
extern int numab_node_count(void) __ksym;

/*
 * The id of the memory cgroup that is charged with a folio, of a task's
 * cgroup: as in bpf_numab_ops, but 1 for the root. 0: charged to nobody.
 */
extern __u64 numab_folio_cgroup_id(const struct folio *folio) __ksym;
extern __u64 numab_task_cgroup_id(const struct task_struct *task) __ksym;

/*
 * Bytes of the memory of a folio's memory cgroup (those below not included)
 * that lie on a node, on the kernel's lists of pages.
 */
extern __u64 numab_folio_cgroup_bytes(const struct folio *folio,
				      int node) __ksym;

/*
 * Resident memory of a task in bytes; may lag by some megabytes. 0 for a task
 * that is not running: `numab task` may ask about one, and goes by it.
 */
extern __u64 numab_task_rss(const struct task_struct *task) __ksym;

/* Size in bytes of the last-level cache of this CPU; 0: unknown. */
extern __u64 numab_llc_bytes(void) __ksym;

#endif
