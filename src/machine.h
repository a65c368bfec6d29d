/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The machine and its kernel as far as NUMA balancing goes, from sysfs and
 * procfs; the module is not needed for any of it.
 *
 * What a file does not say stays -1, NULL or empty: that is no error. Only
 * being out of memory is one.
 */
#ifndef NUMAB_MACHINE_H
#define NUMAB_MACHINE_H

#include "cleanup.h"
#include "text.h"

struct node {
	unsigned int id;
	char *cpus; /* as in cpulist, e.g. "0-3"; empty: a node without CPUs */
	uint64_t total_bytes, free_bytes;
};

/* A memory tier; the lower its number, the faster. */
struct tier {
	unsigned int id;
	char *nodelist;
	struct nodes nodes;
	bool top;
};

enum cache_aware {
	CACHE_AWARE_ABSENT, /* the kernel does not have it */
	CACHE_AWARE_OFF,
	CACHE_AWARE_ON,
	CACHE_AWARE_UNKNOWN, /* debugfs is not there or not readable */
};

struct machine {
	char *release; /* of the kernel */
	bool tested;   /* its version is in lab/kernels */
	size_t node_count, tier_count;
	struct node *nodes;
	struct tier *tiers; /* fastest first */
	int64_t balancing;  /* kernel.numa_balancing; -1: not in this kernel */
	int64_t promote_mbps;
	int demotion; /* 0, 1 or -1 */
	enum cache_aware cache_aware;
	char *cgroup_mount;    /* NULL: cgroup v2 is not mounted */
	bool cpu_is_available; /* the cpu controller, at the root */
	bool cpu_is_enabled;   /* for the root's children */
};

#define AUTO_MACHINE AUTO(machine_release)
void machine_release(struct machine *machine);
int machine_read(struct machine *ret_machine);

/* The versions that numab is tested on, e.g. "7.3 6.12". */
extern const char machine_tested_kernels[];
bool machine_kernel_is_tested(const char *release, const char *tested);

/*
 * Mark the top tier as the kernel's memory tiers do (node_is_toptier()):
 * every tier not slower than the slowest one that has CPUs.
 */
void machine_mark_top_tiers(struct machine *machine);

unsigned int machine_count_memory_nodes(const struct machine *machine);

#endif
