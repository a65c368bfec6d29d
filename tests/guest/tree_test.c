// SPDX-License-Identifier: GPL-2.0
/* The rule of combination, in the real cgroup tree. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

static const char *const words[] = { "inherit", "off", "normal", "tiering",
				     "both" };
/* As sets of mechanisms; -1 is no opinion. */
static const int sets[] = { -1, 0, 1, 2, 3 };
static const char *const names[] = { "off", "normal", "tiering", "both" };

static const char *expected(int outer, int inner, int system_default)
{
	if (outer < 0 && inner < 0)
		return names[system_default];
	if (outer < 0)
		return names[inner];
	if (inner < 0)
		return names[outer];
	return names[outer & inner];
}

TEST(tree_pairs, "a child's effective mode is the intersection with its parent")
{
	static const char *const defaults[] = { "0", "1", "2", "3", "4" };

	cgroup_make("t/outer/inner");
	for (int d = 0; d < 5; d++) {
		CHECK_EQ(set_sysctl(defaults[d]), 0);
		for (int o = 0; o < 5; o++)
			for (int i = 0; i < 5; i++) {
				set_mode("t/outer", words[o]);
				set_mode("t/outer/inner", words[i]);
				CHECK_STR(cgroup_text("t/outer/inner",
						      "cpu.numab.effective"),
					  expected(sets[o], sets[i], d % 4));
			}
	}
}

TEST(tree_depth, "an opinion at the top holds twenty levels below")
{
	char path[256] = "t";

	for (int i = 0; i < 20; i++) {
		strcat(path, "/d");
		cgroup_make(path);
	}
	set_mode(path, "both");
	CHECK_STR(cgroup_text(path, "cpu.numab.effective"), "both");
	set_mode("t/d", "tiering");
	CHECK_STR(cgroup_text(path, "cpu.numab.effective"), "tiering");
	set_mode("t/d", "inherit");
	CHECK_STR(cgroup_text(path, "cpu.numab.effective"), "both");
}

TEST(tree_conflict, "a parent's narrower mode holds for a child's workload")
{
	struct load load = {
		.cgroup = "t/normal/both",
		.region = { { .node = REMOTE, .mb = 12 },
			    { .node = SLOW, .mb = 12 } },
	};
	double end = now() + 60;

	CHECK_EQ(set_sysctl("0"), 0);
	cgroup_make("t/normal/both");
	set_mode("t/normal", "normal");
	set_mode("t/normal/both", "both");
	load_start(&load);
	while (load_share(&load, 0, HOME) < 99)
		CHECK(now() < end);
	CHECK_EQ(load_share(&load, 1, SLOW), 100);
	CHECK_EQ(cgroup_value("t/normal", "memory.stat", "pgpromote_success"),
		 0);
	/* The parent's counters hold the child's. */
	CHECK_CMP(cgroup_value("t/normal", "cpu.numab.stat", "scans_run"), >=,
		  cgroup_value("t/normal/both", "cpu.numab.stat", "scans_run"));
	load_stop(&load);
}

TEST(tree_no_controller,
     "a cgroup without the cpu controller has its parent's mode")
{
	struct load load = {
		.cgroup = "t/set/plain",
		.region = { { .node = SLOW, .mb = 8 } },
	};
	double end = now() + 60;

	CHECK_EQ(set_sysctl("0"), 0);
	cgroup_make("t/set/plain");
	CHECK_EQ(cgroup_write("t/set", "cgroup.subtree_control", "-cpu"), 0);
	CHECK(!cgroup_has("t/set/plain", "cpu.numab.mode"));
	set_mode("t/set", "tiering");
	load_start(&load);
	while (load_share(&load, 0, HOME) < 99)
		CHECK(now() < end);
	load_stop(&load);
}

/* As an unprivileged owner: 0, or the errno of the write. */
static int write_file_as_owner(const char *cgroup, const char *file,
			       const char *text)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(255);
		_exit(-cgroup_write(cgroup, file, text));
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static int write_as_owner(const char *cgroup, const char *mode)
{
	return write_file_as_owner(cgroup, "cpu.numab.mode", mode);
}

static void delegate_file(const char *cgroup, const char *file)
{
	char path[256];

	snprintf(path, sizeof(path), CGROUP_MOUNT "/%s/%s", cgroup, file);
	CHECK_EQ(chown(path, 65534, 65534), 0);
}

static void delegate(const char *cgroup)
{
	delegate_file(cgroup, "cpu.numab.mode");
}

TEST(tree_delegation, "an owner without CAP_SYS_NICE may narrow, not enable")
{
	cgroup_make("t/top/owned");
	CHECK_EQ(write_as_owner("t/top/owned", "off"), EACCES);
	delegate("t/top/owned");

	CHECK_EQ(set_sysctl("1"), 0);
	CHECK_EQ(write_as_owner("t/top/owned", "normal"), 0);
	CHECK_EQ(write_as_owner("t/top/owned", "tiering"), EPERM);
	CHECK_STR(cgroup_text("t/top/owned", "cpu.numab.mode"), "normal");
	CHECK_EQ(write_as_owner("t/top/owned", "off"), 0);
	CHECK_EQ(write_as_owner("t/top/owned", "inherit"), 0);

	set_mode("t/top", "both");
	CHECK_EQ(write_as_owner("t/top/owned", "both"), 0);
	set_mode("t/top", "off");
	CHECK_EQ(write_as_owner("t/top/owned", "tiering"), 0); /* narrows */
	CHECK_EQ(write_as_owner("t/top/owned", "both"), EPERM);
}

TEST(tree_delegated_values,
     "an owner without CAP_SYS_NICE may make balancing lighter only")
{
	static const struct {
		const char *file, *lighter, *heavier;
	} knobs[] = {
		{ "cpu.numab.hot_threshold_ms", "100", "600000" },
		{ "cpu.numab.scan_size_mb", "16", "65536" },
		{ "cpu.numab.promote_mbps", "10", "1048576" },
		{ "cpu.numab.scan_period_ms", "90000 100000", "10 20" },
	};

	cgroup_make("t/owned");
	for (int i = 0; i < 4; i++) {
		delegate_file("t/owned", knobs[i].file);
		CHECK_EQ(write_file_as_owner("t/owned", knobs[i].file,
					     knobs[i].lighter),
			 0, "%s", knobs[i].file);
		CHECK_EQ(write_file_as_owner("t/owned", knobs[i].file,
					     knobs[i].heavier),
			 EPERM, "%s", knobs[i].file);
		CHECK_STR(cgroup_text("t/owned", knobs[i].file),
			  knobs[i].lighter);
		CHECK_EQ(write_file_as_owner("t/owned", knobs[i].file,
					     "default"),
			 0, "%s", knobs[i].file);
	}
}
