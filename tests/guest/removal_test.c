// SPDX-License-Identifier: GPL-2.0
/* Cgroups that go while they are set. */
#include <stdlib.h>

#include "test.h"

static bool settings_are(void *count)
{
	return status_number("settings") == *(int *)count;
}

static void expect_settings(int count)
{
	if (!wait_until(settings_are, &count, 20))
		test_fail(__FILE__, __LINE__, "%lld settings, not %d",
			  status_number("settings"), count);
}

static bool running_is(void *mode)
{
	return status_number("running") == *(int *)mode;
}

static bool groups_are(void *count)
{
	return status_number("groups") <= *(long long *)count;
}

TEST(removal_last, "with the last enabling cgroup the kernel goes back")
{
	int off = 0;

	CHECK_EQ(set_sysctl("0"), 0);
	cgroup_make("t/a");
	set_mode("t/a", "both");
	CHECK_EQ(status_number("running"), 3);
	CHECK_EQ(cgroup_remove("t/a"), 0);
	expect_settings(0);
	CHECK(wait_until(running_is, &off, 10));
	expect_hooks("idle");
}

TEST(removal_controller, "disabling the controller takes the settings with it")
{
	cgroup_make("t/a/b");
	set_mode("t/a/b", "off");
	CHECK_EQ(cgroup_write("t/a", "cgroup.subtree_control", "-cpu"), 0);
	expect_settings(0);
	CHECK_EQ(cgroup_write("t/a", "cgroup.subtree_control", "+cpu"), 0);
	CHECK_STR(cgroup_text("t/a/b", "cpu.numab.mode"), "inherit");
}

TEST(removal_busy, "a running workload's cgroup is killed and removed")
{
	struct load load = { .cgroup = "t/a/b",
			     .region = { { .node = REMOTE, .mb = 8 } } };

	cgroup_make("t/a/b");
	set_mode("t/a", "both");
	set_mode("t/a/b", "normal");
	load_start(&load);
	CHECK_EQ(cgroup_write("t/a", "cgroup.kill", "1"), 0);
	load_stop(&load);
	for (double end = now() + 20; cgroup_remove("t/a/b");)
		CHECK(now() < end);
	expect_settings(1);
}

TEST(removal_counters, "a parent keeps the counts of a child that is gone")
{
	struct load load = { .cgroup = "t/a/b",
			     .region = { { .node = REMOTE, .mb = 8 } } };
	long long before, groups;

	cgroup_make("t/a/b");
	set_mode("t/a", "off");
	load_start(&load);
	for (double end = now() + 30;
	     !cgroup_value("t/a/b", "cpu.numab.stat", "scans_skipped_mode");)
		CHECK(now() < end);
	load_stop(&load);
	before = cgroup_value("t/a", "cpu.numab.stat", "scans_skipped_mode");
	groups = status_number("groups") - 1;
	for (double end = now() + 20; cgroup_remove("t/a/b");)
		CHECK(now() < end);
	CHECK(wait_until(groups_are, &groups,
			 20)); /* its counts are passed on */
	CHECK_EQ(cgroup_value("t/a", "cpu.numab.stat", "scans_skipped_mode"),
		 before);
}

TEST(removal_storm, "making and removing cgroups at full speed leaks nothing")
{
	struct load load = { .cgroup = "t/load",
			     .region = { { .node = REMOTE, .mb = 8 } } };
	long long groups;
	char name[32];

	cgroup_make("t/load");
	set_mode("t/load", "both");
	load_start(&load);
	for (double end = now() + 20;
	     !cgroup_value("t/load", "cpu.numab.stat", "scans_run");)
		CHECK(now() < end);
	groups = status_number("groups");
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "t/c%d", i % 10);
		cgroup_make(name);
		set_mode(name, i % 2 ? "off" : "tiering");
		CHECK_EQ(cgroup_remove(name), 0);
	}
	expect_settings(1);
	CHECK(wait_until(groups_are, &groups, 30));
	load_stop(&load);
}
