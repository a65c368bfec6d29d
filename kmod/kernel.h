/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's own functions and data that it does not export.
 *
 * Each function stands behind a static_call that numab_points_verify() points
 * at the running kernel, once its prototype is checked: a patched, direct
 * CALL. A call through a pointer would be a control-protection fault on
 * hardware with IBT, since the kernel seals the entries of functions whose
 * address nobody takes.
 *
 * Until bound, calling one is a mistake. Locks and contexts are the kernel's.
 */
#ifndef NUMAB_KERNEL_H
#define NUMAB_KERNEL_H

#include <linux/cgroup.h>
#include <linux/static_call.h>
#include <linux/sysctl.h>

#include "../decide/tuning.h"

/* Only their types count; nothing defines these. */
unsigned long numab_type_kallsyms_lookup_name(const char *name);
int numab_type_cgroup_add_dfl_cftypes(struct cgroup_subsys *ss,
				      struct cftype *files);
int numab_type_cgroup_rm_cftypes(struct cftype *files);
bool numab_type_node_is_toptier(int node);
void numab_type_sched_setnuma(struct task_struct *p, int node);
int numab_type_sysctl_numa_balancing(const struct ctl_table *table, int write,
				     void *buffer, size_t *len, loff_t *pos);

unsigned long numab_type_change_prot_numa(struct vm_area_struct *vma,
					  unsigned long start,
					  unsigned long end);
bool numab_type_vma_migratable(struct vm_area_struct *vma);
bool numab_type_vma_policy_mof(struct vm_area_struct *vma);
int numab_type_folio_xchg_last_cpupid(struct folio *folio, int value);
struct task_struct *numab_type_pidfd_get_task(int pidfd, unsigned int *flags);
bool numab_type_ptrace_may_access(struct task_struct *task, unsigned int mode);
struct cpu_cacheinfo *numab_type_get_cpu_cacheinfo(unsigned int cpu);

DECLARE_STATIC_CALL(numab_cgroup_add_dfl_cftypes,
		    numab_type_cgroup_add_dfl_cftypes);
DECLARE_STATIC_CALL(numab_cgroup_rm_cftypes, numab_type_cgroup_rm_cftypes);
DECLARE_STATIC_CALL(numab_node_is_toptier, numab_type_node_is_toptier);
DECLARE_STATIC_CALL(numab_sched_setnuma, numab_type_sched_setnuma);
DECLARE_STATIC_CALL(numab_sysctl_numa_balancing,
		    numab_type_sysctl_numa_balancing);

DECLARE_STATIC_CALL(numab_change_prot_numa, numab_type_change_prot_numa);
DECLARE_STATIC_CALL(numab_vma_migratable, numab_type_vma_migratable);
DECLARE_STATIC_CALL(numab_vma_policy_mof, numab_type_vma_policy_mof);
DECLARE_STATIC_CALL(numab_folio_xchg_last_cpupid,
		    numab_type_folio_xchg_last_cpupid);
DECLARE_STATIC_CALL(numab_get_cpu_cacheinfo, numab_type_get_cpu_cacheinfo);

DECLARE_STATIC_CALL(numab_pidfd_get_task, numab_type_pidfd_get_task);
DECLARE_STATIC_CALL(numab_ptrace_may_access, numab_type_ptrace_may_access);

/* Add files to every cgroup of a controller; takes cgroup_mutex. */
#define kernel_cgroup_add_dfl_cftypes static_call(numab_cgroup_add_dfl_cftypes)

/* Remove them and wait for whoever is inside one; takes cgroup_mutex. */
#define kernel_cgroup_rm_cftypes static_call(numab_cgroup_rm_cftypes)

/* Is a node in the top tier? Any context. */
#define kernel_node_is_toptier static_call(numab_node_is_toptier)

/* Set a task's preferred node; takes its run queue's lock. */
#define kernel_sched_setnuma static_call(numab_sched_setnuma)

/* The handler of kernel.numa_balancing; may sleep, wants CAP_SYS_ADMIN. */
#define kernel_sysctl_numa_balancing static_call(numab_sysctl_numa_balancing)

/*
 * Mark a range of a VMA for hint faults; the entries that changed. mmap lock
 * read, may sleep.
 */
#define kernel_change_prot_numa static_call(numab_change_prot_numa)

/* Can a VMA's pages migrate; does its policy let them? mmap lock read. */
#define kernel_vma_migratable static_call(numab_vma_migratable)
#define kernel_vma_policy_mof static_call(numab_vma_policy_mof)

/* Replace what a folio remembers of its last access. Any context. */
#define kernel_folio_xchg_last_cpupid static_call(numab_folio_xchg_last_cpupid)

/* The process of a pidfd, with a reference; or an error pointer. */
#define kernel_pidfd_get_task static_call(numab_pidfd_get_task)

/* May current trace a task (PTRACE_MODE_...)? Takes its alloc_lock. */
#define kernel_ptrace_may_access static_call(numab_ptrace_may_access)

/* A CPU's caches, as long as it is there; see policy_ops.c. */
#define kernel_get_cpu_cacheinfo static_call(numab_get_cpu_cacheinfo)

/* What a row of the table of calls needs: where to find, how to bind. */
struct numab_call {
	const char *symbol;
	const char *prototype;
	unsigned int points; /* BIT(POINT_...) of those that need it */
	void (*bind)(unsigned long address);
};

extern const struct numab_call numab_calls[];
extern const unsigned int numab_nr_calls;

/* Data, found by name; valid after numab_kernel_find() returned 0. */
extern struct cgroup_subsys *numab_cpu_cgrp_subsys;
extern int *numab_sysctl_mode;		 /* sysctl_numa_balancing_mode */
extern struct mutex *numab_cgroup_mutex; /* no cgroup comes or goes */

/* Does the kernel itself not scan tasks that are pinned by a cpuset? */
extern bool numab_kernel_skips_pinned;

/* A knob's value for everyone else, or 0 where it cannot be found. */
unsigned int numab_kernel_knob(enum numab_knob knob);

/* The kernel's aggr_tolerance, or 0 where it does not schedule by caches. */
unsigned int numab_kernel_tolerance(void);

/* How long a new process or VMA is left alone, in ms. */
unsigned int numab_kernel_scan_delay(void);

/*
 * The root's state in the cpu controller, as of loading. It is static in the
 * kernel: even when the controller moves to a cgroup v1 tree it stays.
 */
extern struct cgroup_subsys_state *numab_root_css;

/* The address of a symbol, or 0. Needs numab_kernel_find(). */
unsigned long numab_kernel_symbol(const char *name);

/* Find the kernel's symbol table and the data above. 0 or negative errno. */
int numab_kernel_find(void);

#endif
