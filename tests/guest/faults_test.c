// SPDX-License-Identifier: GPL-2.0
/*
 * Kernels that lack what numab needs, allocations that fail: with a build of
 * the module that can pretend (fault=).
 */
#include <unistd.h>

#include "test.h"

#define PARAMETER "/sys/module/numab/parameters/fault"

static const char *const hooked[] = {
	"task_numa_work",	 "mpol_misplaced",
	"task_numa_fault",	 "folio_can_map_prot_numa",
	"sysctl_numa_balancing", "cpu_cgroup_css_released"
};

static void check_untouched(const char *fault)
{
	for (int i = 0; i < 6; i++)
		if (is_traced(hooked[i]))
			test_fail(__FILE__, __LINE__, "%s: %s is hooked", fault,
				  hooked[i]);
	CHECK(!cgroup_has("t", "cpu.numab.mode"));
	CHECK(access(STATUS, F_OK));
	CHECK_EQ(file_number(SYSCTL), 1);
}

static void reload_faulty(const char *fault, int expected)
{
	char parameters[256];
	int err;

	snprintf(parameters, sizeof(parameters), "fault=%s", fault);
	err = unload("numab");
	if (err && err != -ENOENT)
		CHECK_EQ(err, 0);
	CHECK_EQ(load_faulty(parameters), expected, "with %s", fault);
}

TEST(faults_refused,
     "without the minimum set loading fails, says why, and hooks nothing")
{
	static const char *const faults[][2] = {
		{ "missing:task_numa_work", "task_numa_work absent" },
		{ "missing:mpol_misplaced", "mpol_misplaced absent" },
		{ "missing:task_numa_fault", "task_numa_fault absent" },
		{ "missing:cpu_cgroup_css_released",
		  "cpu_cgroup_css_released absent" },
		{ "missing:cpu_cgrp_subsys", "has no cpu_cgrp_subsys" },
		{ "missing:cgroup_add_dfl_cftypes",
		  "cgroup_add_dfl_cftypes is not in this kernel" },
		{ "missing:node_is_toptier", "node_is_toptier is not in" },
		{ "prototype:task_numa_work", "task_numa_work is now void" },
		{ "prototype:cgroup_rm_cftypes", "cgroup_rm_cftypes is now" },
		{ "member:task_struct.numa_scan_period",
		  "task_struct.numa_scan_period is at" },
		{ "member:cgroup_subsys_state.id", "cgroup_subsys_state.id" },
		{ "held:mpol_misplaced", "mpol_misplaced held" },
		{ "btf:none", "CONFIG_DEBUG_INFO_BTF is needed" },
		{ "missing:__start_BTF", "CONFIG_DEBUG_INFO_BTF is needed" },
	};

	cgroup_make("t");
	for (unsigned int i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		reload_faulty(faults[i][0], -EOPNOTSUPP);
		if (!log_has(faults[i][1]))
			test_fail(__FILE__, __LINE__,
				  "%s: no \"%s\" in the log", faults[i][0],
				  faults[i][1]);
		check_untouched(faults[i][0]);
	}
}

TEST(faults_reduced_mark, "without the marking point the rest works")
{
	if (!strcmp(point_state("folio_can_map_prot_numa"), "absent"))
		test_skip("this kernel has no such point to lose");
	reload_faulty("prototype:folio_can_map_prot_numa", 0);
	CHECK_STR(point_state("folio_can_map_prot_numa"), "mismatch");
	cgroup_make("t/a");
	set_mode("t/a", "off");
	expect_hooks("live");
	CHECK(!is_traced("folio_can_map_prot_numa"));
	CHECK_EQ(unload("numab"), 0);
}

TEST(faults_reduced_sysctl,
     "without the sysctl's handler modes can only narrow")
{
	reload_faulty("missing:sysctl_numa_balancing", 0);
	CHECK_STR(point_state("sysctl_numa_balancing"), "absent");
	CHECK(!is_traced("sysctl_numa_balancing"));
	cgroup_make("t/a");
	CHECK_EQ(cgroup_write("t/a", "cpu.numab.mode", "both"), -EOPNOTSUPP);
	CHECK_STR(cgroup_text("t/a", "cpu.numab.mode"), "inherit");
	set_mode("t/a", "off");
	CHECK_EQ(set_sysctl("3"), 0); /* the kernel's own */
	CHECK_EQ(status_number("written"), 3);
	CHECK_EQ(status_number("running"), 3);
	set_mode("t/a", "both");
	CHECK_EQ(unload("numab"), 0);
	CHECK_EQ(file_number(SYSCTL), 3);
}

TEST(faults_no_memory,
     "a failing allocation fails the write and changes nothing")
{
	static const char *const faults[] = { "alloc:group", "alloc:counters" };

	CHECK_EQ(unload("numab"), 0);
	CHECK_EQ(load_faulty(""), 0);
	cgroup_make("t/a");
	for (int i = 0; i < 2; i++) {
		CHECK_EQ(file_write(PARAMETER, faults[i], strlen(faults[i])),
			 0);
		CHECK_EQ(cgroup_write("t/a", "cpu.numab.mode", "both"),
			 -ENOMEM);
		CHECK_STR(cgroup_text("t/a", "cpu.numab.mode"), "inherit");
		CHECK_EQ(status_number("settings"), 0);
		CHECK_EQ(status_number("running"), 1);
		CHECK_EQ(file_write(PARAMETER, "none", 4), 0);
	}
	set_mode("t/a", "both");
	CHECK_EQ(unload("numab"), 0);
}

TEST(faults_no_groups, "where counters cannot be had, modes still hold")
{
	struct load load = {
		.cgroup = "t/a/b",
		.region = { { .node = REMOTE, .mb = 8 },
			    { .node = SLOW, .mb = 8 } },
	};

	CHECK_EQ(set_sysctl("3"), 0);
	CHECK_EQ(unload("numab"), 0);
	CHECK_EQ(load_faulty(""), 0);
	cgroup_make("t/a/b");
	set_mode("t/a", "tiering");
	CHECK_EQ(file_write(PARAMETER, "alloc:group", 11), 0);
	load_start(&load);
	for (double end = now() + 60; load_share(&load, 1, HOME) < 99;)
		CHECK(now() < end);
	CHECK_EQ(load_share(&load, 0, REMOTE), 100);
	load_stop(&load);
	CHECK_EQ(file_write(PARAMETER, "none", 4), 0);
	CHECK_EQ(unload("numab"), 0);
}
