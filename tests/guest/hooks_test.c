// SPDX-License-Identifier: GPL-2.0
/* What is hooked when, by ftrace's own list; and who else may hold a point. */
#include <unistd.h>

#include "test.h"

static const char *const gates[] = { "task_numa_work", "mpol_misplaced",
				     "task_numa_fault",
				     "folio_can_map_prot_numa" };

static void check_traced(bool traced)
{
	for (int i = 0; i < 4; i++) {
		if (!strcmp(point_state(gates[i]), "absent"))
			continue;
		CHECK_CMP(is_traced(gates[i]), ==, traced, "%s", gates[i]);
		CHECK_STR(point_state(gates[i]), traced ? "live" : "idle");
	}
}

TEST(hooks_only_while_needed,
     "with nothing set the kernel's own instructions run")
{
	cgroup_make("t/a");
	cgroup_make("t/b");
	expect_hooks("idle");
	check_traced(false);
	set_mode("t/a", "off");
	expect_hooks("live");
	check_traced(true);
	set_mode("t/b", "both");
	set_mode("t/a", "inherit");
	expect_hooks("live");
	set_mode("t/b", "inherit");
	expect_hooks("idle");
	check_traced(false);
	CHECK(!is_traced("sched_fork"));
	CHECK_EQ(unload("numab"), 0);
	CHECK(!is_traced("sysctl_numa_balancing"));
	CHECK(!is_traced("cpu_cgroup_css_released"));
}

TEST(hooks_no_ftrace_off, "ftrace cannot be switched off under the hooks")
{
	CHECK(file_write("/proc/sys/kernel/ftrace_enabled", "0", 1) < 0);
	CHECK_STR(point_state("sysctl_numa_balancing"), "live");
}

static bool is_patched(void *arg)
{
	char text[4] = "";

	return !file_read("/sys/kernel/livepatch/livepatch/transition", text,
			  sizeof(text)) &&
	       *text == '0' && is_traced(arg);
}

static void patch(const char *target)
{
	CHECK_EQ(load_livepatch(target), 0);
	CHECK(wait_until(is_patched, (void *)target, 60));
}

TEST(hooks_livepatch_first, "a livepatch on a needed point: loading is refused")
{
	CHECK_EQ(unload("numab"), 0);
	patch("task_numa_fault");
	CHECK_EQ(load_numab(""), -EOPNOTSUPP);
	CHECK(log_has("task_numa_fault held"));
	CHECK(!is_traced("task_numa_work"));
	CHECK(!is_traced("sysctl_numa_balancing"));
}

TEST(hooks_livepatch_optional,
     "a livepatch on another point: reduced, and named")
{
	if (!strcmp(point_state("folio_can_map_prot_numa"), "absent"))
		test_skip("this kernel has no point that can be spared");
	CHECK_EQ(unload("numab"), 0);
	patch("folio_can_map_prot_numa");
	CHECK_EQ(load_numab(""), 0);
	CHECK_STR(point_state("folio_can_map_prot_numa"), "held");
	CHECK(log_has("folio_can_map_prot_numa held"));
	cgroup_make("t/a");
	set_mode("t/a", "off");
	expect_hooks("live");
	CHECK_STR(point_state("task_numa_work"), "live");
}

TEST(hooks_livepatch_later,
     "a livepatch that came later: the setting is refused")
{
	cgroup_make("t/a");
	expect_hooks("idle");
	patch("mpol_misplaced");
	CHECK_EQ(cgroup_write("t/a", "cpu.numab.mode", "off"), -EBUSY);
	CHECK_STR(cgroup_text("t/a", "cpu.numab.mode"), "inherit");
	CHECK_STR(point_state("mpol_misplaced"), "held");
	CHECK(log_has("mpol_misplaced held"));
	CHECK(!is_traced("task_numa_work"));
	CHECK_EQ(status_number("settings"), 0);
}

TEST(hooks_livepatch_refused,
     "while we hold a point, a livepatch is what is refused")
{
	cgroup_make("t/a");
	set_mode("t/a", "off");
	expect_hooks("live");
	CHECK_EQ(load_livepatch("task_numa_fault"), -EBUSY);
	CHECK_STR(point_state("task_numa_fault"), "live");
}
