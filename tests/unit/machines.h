/* SPDX-License-Identifier: GPL-2.0 */
/* Made-up machines for the tests of the machine and of status. */
#ifndef NUMAB_TESTS_UNIT_MACHINES_H
#define NUMAB_TESTS_UNIT_MACHINES_H

#include "fixture.h"

static inline void machine_node(int node, const char *cpus, int mb)
{
	char path[96], text[256];

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist",
		 node);
	fixture_file(path, cpus);
	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/meminfo",
		 node);
	snprintf(text, sizeof(text),
		 "Node %d MemTotal:  %d kB\nNode %d MemFree:  %d kB\n"
		 "Node %d MemUsed:   7 kB\n",
		 node, mb * 1024, node, mb * 512, node);
	fixture_file(path, text);
}

static inline void machine_tier(int tier, const char *nodes)
{
	char path[96];

	snprintf(path, sizeof(path),
		 "/sys/devices/virtual/memory_tiering/memory_tier%d/nodelist",
		 tier);
	fixture_file(path, nodes);
}

static inline void machine_kernel(const char *release)
{
	fixture_file("/proc/sys/kernel/osrelease", release);
	fixture_file("/proc/sys/kernel/numa_balancing", "0\n");
	fixture_file("/proc/sys/kernel/numa_balancing_promote_rate_limit_MBps",
		     "65536\n");
	fixture_file("/sys/kernel/mm/numa/demotion_enabled", "false\n");
	fixture_file("/sys/kernel/debug/sched/features", "\n");
}

/* One node. */
static inline void machine_1s(void)
{
	machine_kernel("7.3.4+deb14-cloud-amd64\n");
	fixture_file("/sys/devices/system/node/online", "0\n");
	machine_node(0, "0-3\n", 2048);
	machine_tier(4, "0\n");
	fixture_cgroup2();
}

/* Two sockets. */
static inline void machine_2s(void)
{
	machine_1s();
	fixture_file("/sys/devices/system/node/online", "0-1\n");
	machine_node(1, "4-7\n", 1024);
	machine_tier(4, "0-1\n");
}

/* Two sockets and a slow node without CPUs. */
static inline void machine_2s_cxl(void)
{
	machine_2s();
	fixture_file("/sys/devices/system/node/online", "0-2\n");
	machine_node(2, "\n", 512);
	machine_tier(22, "2\n");
}

#endif
