// SPDX-License-Identifier: GPL-2.0
/* Memory that may lie on one node only is not scanned. */
#include <dirent.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "test.h"

/* A workload whose cpuset allows the memory of one node. */
static void start_pinned(struct load *load)
{
	*load = (struct load){ .cgroup = "t/pinned/below",
			       .threads = 2,
			       .region = { { .node = HOME, .mb = 12 } } };
	cgroup_make("t/pinned/below");
	CHECK_EQ(cgroup_write("t", "cgroup.subtree_control", "+cpuset"), 0);
	/* The one below inherits it. */
	CHECK_EQ(cgroup_write("t/pinned", "cpuset.mems", "0"), 0);
	load_start(load);
}

static long long stat_of(const char *key)
{
	return cgroup_value("t/pinned/below", "memory.stat", key);
}

static long long counted(const char *key)
{
	return cgroup_value("t/pinned/below", "cpu.numab.stat", key);
}

/* The kernel's own: marks, faults and CPU time of a sweep or so. */
struct cost {
	long long marks, faults;
};

static struct cost cost_so_far(void)
{
	return (struct cost){ stat_of("numa_pte_updates"),
			      stat_of("numa_hint_faults") };
}

static bool is_marked(void *from)
{
	return stat_of("numa_pte_updates") > *(long long *)from;
}

static bool is_skipped(void *from)
{
	return counted("scans_skipped_pinned") > *(long long *)from;
}

static void expect_marks(const char *when)
{
	long long from = stat_of("numa_pte_updates");
	double began = now();

	CHECK(wait_until(is_marked, &from, 30));
	printf("# %s: scanned after %.1f s\n", when, now() - began);
}

/* It comes up for a scan five times, and nothing is marked. */
static void expect_skips(void)
{
	long long from = counted("scans_skipped_pinned") + 1;
	struct cost before;

	CHECK(wait_until(is_skipped, &from, 30));
	before = cost_so_far();
	from += 4;
	CHECK(wait_until(is_skipped, &from, 60));
	CHECK_EQ(cost_so_far().marks, before.marks);
	CHECK_CMP(cost_so_far().faults - before.faults, <=, 12 * 256);
}

static bool is_idle(void *unused)
{
	return !strcmp(point_state("task_numa_work"), "idle");
}

TEST(pinned_cpuset, "memory pinned by a cpuset is skipped until it is not")
{
	struct load load;

	CHECK_EQ(set_sysctl("1"), 0);
	if (!kernel_skips_pinned()) {
		/* The stock kernel first: it marks and faults for nothing. */
		CHECK_EQ(unload("numab"), 0);
		start_pinned(&load);
		expect_marks("stock, pinned");
		CHECK_EQ(load_numab(""), 0);
		CHECK_EQ(file_write(SCAN_PINNED, "never", 5), 0);
		expect_skips();
		/* Nothing set: for this the scan gate alone is hooked. */
		CHECK_STR(point_state("task_numa_work"), "live");
		CHECK_STR(point_state("mpol_misplaced"), "idle");
		CHECK_STR(point_state("task_numa_fault"), "idle");
	} else {
		start_pinned(&load);
		CHECK(wait_until(is_idle, NULL, 10));
		cgroup_make("t/other");
		set_mode("t/other", "off");
		expect_skips();
	}
	CHECK_EQ(cgroup_write("t/pinned", "cpuset.mems", "0-2"), 0);
	expect_marks("unpinned");
	load_stop(&load);
}

/* Let every thread of a process run on these CPUs. */
static void set_cpus(pid_t pid, unsigned long cpus)
{
	char path[64];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	CHECK(dir);
	while ((entry = readdir(dir))) {
		pid_t tid = atoi(entry->d_name);

		if (tid)
			CHECK_CMP(syscall(SYS_sched_setaffinity, tid,
					  sizeof(cpus), &cpus),
				  >=, 0);
	}
	closedir(dir);
}

TEST(pinned_switch,
     "scan_pinned: movable tasks or all are scanned all the same")
{
	struct load load;

	CHECK_EQ(set_sysctl("1"), 0);
	CHECK_EQ(file_write(SCAN_PINNED, "sometimes", 9), -EINVAL);
	start_pinned(&load); /* on the CPUs of node 0, where its memory is */
	CHECK_EQ(file_write(SCAN_PINNED, "movable", 7), 0);
	expect_skips();
	/* Now it may run on and off that node. */
	set_cpus(load.pid, 0xf);
	expect_marks("movable");
	CHECK_EQ(file_write(SCAN_PINNED, "never", 5), 0);
	if (kernel_skips_pinned())
		set_mode("t/pinned", "normal"); /* somebody who counts */
	expect_skips();
	CHECK_EQ(file_write(SCAN_PINNED, "always", 6), 0);
	expect_marks("always");
	load_stop(&load);
}

static long long skipped_by_policy(void)
{
	return cgroup_value("t/w", "cpu.numab.stat", "scans_skipped_mempolicy");
}

static bool has_skipped(void *unused)
{
	return skipped_by_policy() > 3;
}

static bool has_scanned(void *unused)
{
	return cgroup_value("t/v", "cpu.numab.stat", "scans_run") > 3;
}

TEST(pinned_mempolicy, "a thread that its memory policy binds to one node")
{
	struct load bound = { .cgroup = "t/w",
			      .bound_to = 1ul << HOME,
			      .region = { { .node = HOME, .mb = 12 } } };
	struct load wider = bound;

	/* Where the kernel does not skip, the switch is set to always. */
	CHECK_EQ(file_write(SCAN_PINNED, "never", 5), 0);
	wider.cgroup = "t/v";
	wider.bound_to |= 1ul << REMOTE;
	CHECK_EQ(set_sysctl("0"), 0);
	cgroup_make("t/w");
	cgroup_make("t/v");
	set_mode("t/w", "normal");
	set_mode("t/v", "normal");
	load_start(&bound);
	load_start(&wider);
	CHECK(wait_until(has_skipped, NULL, 60));
	CHECK_EQ(cgroup_value("t/w", "memory.stat", "numa_pte_updates"), 0);
	CHECK(wait_until(has_scanned, NULL, 60));
	load_stop(&bound);
	load_stop(&wider);
}
