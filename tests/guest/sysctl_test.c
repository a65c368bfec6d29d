// SPDX-License-Identifier: GPL-2.0
/* kernel.numa_balancing: what is written, and what the kernel runs with. */
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

/* Run fn in a user namespace of its own, as its root; its exit status. */
static int in_user_namespace(int (*fn)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (setgid(65534) || setuid(65534) || unshare(CLONE_NEWUSER))
			_exit(255);
		_exit(fn());
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static int write_two(void)
{
	return -set_sysctl("2");
}

static void check(int written, int running)
{
	CHECK_EQ(file_number(SYSCTL), written);
	CHECK_EQ(status_number("written"), written);
	CHECK_EQ(status_number("running"), running);
}

TEST(sysctl_reads_back, "the administrator reads what he wrote")
{
	static const char *const values[] = { "0", "1", "2", "3", "4" };

	cgroup_make("t/a");
	for (int mode = 0; mode < 4; mode++) {
		set_mode("t/a", mode ? values[mode] : "inherit");
		for (int i = 0; i < 5; i++) {
			CHECK_EQ(set_sysctl(values[i]), 0);
			check(i, (i & 3) | mode);
		}
	}
}

TEST(sysctl_rubbish, "a bad value is refused as the kernel refuses it")
{
	static const char *const bad[] = { "5", "-1", "x", "99999999999" };

	CHECK_EQ(set_sysctl("2"), 0);
	for (int i = 0; i < 4; i++)
		CHECK_EQ(set_sysctl(bad[i]), -EINVAL, "for %s", bad[i]);
	check(2, 2);
}

TEST(sysctl_union, "the kernel runs with what is needed, and no more")
{
	CHECK_EQ(set_sysctl("0"), 0);
	cgroup_make("t/a");
	cgroup_make("t/b");
	set_mode("t/a", "normal");
	check(0, 1);
	set_mode("t/b", "tiering");
	check(0, 3);
	set_mode("t/a", "off");
	check(0, 2);
	CHECK_EQ(set_sysctl("1"), 0);
	check(1, 3);
	set_mode("t/b", "inherit");
	check(1, 1);
	CHECK_EQ(set_sysctl("0"), 0);
	check(0, 0);
}

TEST(sysctl_narrowed, "what an ancestor took away need not run")
{
	CHECK_EQ(set_sysctl("0"), 0);
	cgroup_make("t/a/b");
	set_mode("t/a/b", "both");
	check(0, 3);
	set_mode("t/a", "tiering");
	check(0, 2);
	set_mode("t/a", "off");
	check(0, 0);
	set_mode("t/a", "inherit");
	check(0, 3);
}

TEST(sysctl_unload, "unloading puts the written value back, 4 as 0")
{
	cgroup_make("t/a");
	CHECK_EQ(set_sysctl("1"), 0);
	set_mode("t/a", "both");
	CHECK_EQ(unload("numab"), 0);
	CHECK_EQ(file_number(SYSCTL), 1);
	CHECK_EQ(load_numab(""), 0);
	CHECK_EQ(set_sysctl("4"), 0);
	set_mode("t/a", "tiering");
	check(4, 2);
	CHECK_EQ(unload("numab"), 0);
	CHECK_EQ(file_number(SYSCTL), 0);
}

TEST(sysctl_unprivileged, "only who has CAP_SYS_ADMIN may write, as ever")
{
	CHECK_EQ(set_sysctl("1"), 0);
	CHECK_EQ(in_user_namespace(write_two), EACCES);
	check(1, 1);
}

static bool is_free_of_cpu(void *arg)
{
	return !cgroup_write(".", "cgroup.subtree_control", "-cpu") && !arg;
}

TEST(sysctl_v1_mount, "the cpu controller moves to a cgroup v1 tree and back")
{
	static const char root[] = "cgroup.subtree_control";

	cgroup_make("t");
	set_mode("t", "both");
	expect_hooks("live");
	CHECK_EQ(cgroup_remove("t"), 0);
	CHECK(wait_until(is_free_of_cpu, NULL, 10));
	mkdir("/tmp/v1", 0755);
	for (double end = now() + 10;
	     mount("none", "/tmp/v1", "cgroup", 0, "cpu");)
		CHECK_CMP(now(), <, end, "mount: %s", strerror(errno));
	CHECK_CMP(status_stat("scans_run"), >=, 0);
	CHECK_EQ(umount("/tmp/v1"), 0);
	for (double end = now() + 10; cgroup_write(".", root, "+cpu");)
		CHECK_CMP(now(), <, end, "the controller does not come back");
	cgroup_make("t/a");
	set_mode("t/a", "off");
}
