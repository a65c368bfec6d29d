// SPDX-License-Identifier: GPL-2.0
/* What is hooked when, by ftrace's own list; and who else may hold a point. */
#include <linux/bpf.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../kmod/btf.h"
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

static int sys_bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* The kernel's id of a function, from its type information. */
static long btf_id(const char *function)
{
	static char data[16 << 20];
	struct numab_btf btf;
	FILE *file = fopen("/sys/kernel/btf/vmlinux", "r");
	uint32_t *offsets;
	long id;

	if (!file)
		die("cannot read the kernel's type information");
	CHECK(!numab_btf_open(&btf, data, fread(data, 1, sizeof(data), file)));
	fclose(file);
	offsets = calloc(btf.nr_types, sizeof(*offsets));
	CHECK(offsets);
	numab_btf_index(&btf, offsets);
	id = numab_btf_function(&btf, function);
	free(offsets);
	return id;
}

/* Attach a program that does nothing when a function returns. */
static void attach_fexit(const char *function)
{
	static const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr load = {
		.prog_type = BPF_PROG_TYPE_TRACING,
		.expected_attach_type = BPF_TRACE_FEXIT,
		.insns = (unsigned long)nothing,
		.insn_cnt = 2,
		.license = (unsigned long)"GPL",
		.attach_btf_id = btf_id(function),
	};
	union bpf_attr open = {};

	open.raw_tracepoint.prog_fd = sys_bpf(BPF_PROG_LOAD, &load);
	if ((int)open.raw_tracepoint.prog_fd < 0)
		die("cannot load a program for %s", function);
	if (sys_bpf(BPF_RAW_TRACEPOINT_OPEN, &open) < 0)
		die("cannot attach a program to %s", function);
}

static bool skipped_thrice(void *cgroup)
{
	return cgroup_value(cgroup, "cpu.numab.stat", "scans_skipped_mode") >=
	       3;
}

/*
 * A BPF program that runs when a function returns calls the function itself,
 * and has to learn that it may be redirected.
 */
TEST(hooks_bpf_exit, "gates hold on functions that BPF programs sit on already")
{
	struct load load = { .cgroup = "t/a",
			     .region = { { .node = REMOTE, .mb = 8 } } };
	long long marked;

	CHECK_EQ(set_sysctl("0"), 0);
	cgroup_make("t/a");
	expect_hooks("idle");
	for (int i = 0; i < 4; i++)
		if (strcmp(point_state(gates[i]), "absent"))
			attach_fexit(gates[i]);
	attach_fexit("sysctl_numa_balancing");
	CHECK_EQ(set_sysctl("1"), 0);
	CHECK_EQ(status_number("written"), 1);
	set_mode("t/a", "off");
	load_start(&load);
	CHECK(wait_until(skipped_thrice, "t/a", 30));
	marked = cgroup_value("t/a", "memory.stat", "numa_pte_updates");
	CHECK_EQ(marked, 0);
	CHECK_EQ(load_share(&load, 0, REMOTE), 100);
	load_stop(&load);
	CHECK_EQ(unload("numab"), 0);
	CHECK_EQ(file_number(SYSCTL), 1);
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
