// SPDX-License-Identifier: GPL-2.0
/* kernel.numa_balancing: what is written, and what the kernel runs with. */
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
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

/* What a writer wrote last, and when it began and ended to write it. */
struct last_write {
	int value;
	double begin, end;
};

#define WRITES 5000

static pid_t start_writer(const char *const values[2], struct last_write *last)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	CHECK_CMP(pid, >=, 0);
	if (pid)
		return pid;
	for (int i = 0; i < WRITES; i++) {
		last->begin = now();
		CHECK_EQ(set_sysctl(values[i % 2]), 0);
		last->end = now();
		last->value = atoi(values[i % 2]);
	}
	exit(0);
}

/* One of the two, or the later one where the clock tells which that is. */
static void check_is_last(const struct last_write last[2])
{
	int value = file_number(SYSCTL);

	if (last[0].end < last[1].begin)
		CHECK_EQ(value, last[1].value);
	else if (last[1].end < last[0].begin)
		CHECK_EQ(value, last[0].value);
	else
		CHECK(value == last[0].value || value == last[1].value);
}

TEST(sysctl_two_writers, "two writers at once: the last one's value stands")
{
	static const char *const values[][2] = { { "0", "3" }, { "4", "1" } };
	static const char *const modes[] = { "both", "off", "tiering" };
	struct last_write *last =
		mmap(NULL, 2 * sizeof(*last), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int left = 2, writes = 0, status, written;

	CHECK(last != MAP_FAILED);
	cgroup_make("t/a");
	cgroup_make("t/b");
	for (int i = 0; i < 2; i++)
		start_writer(values[i], &last[i]);
	while (left) {
		set_mode(writes % 2 ? "t/a" : "t/b", modes[writes % 3]);
		writes++;
		while (left && waitpid(-1, &status, WNOHANG) > 0) {
			CHECK_EQ(status, 0);
			left--;
		}
	}
	printf("# %d modes set meanwhile\n", writes);
	check_is_last(last);
	written = file_number(SYSCTL);
	set_mode("t/a", "off");
	set_mode("t/b", "tiering");
	check(written, (written & 3) | 2);
	CHECK(!log_has("cannot set"));
}

/* In a mount, user and pid namespace of its own, with a /proc of its own. */
static int read_elsewhere(void)
{
	int status;
	pid_t pid;

	if (unshare(CLONE_NEWNS | CLONE_NEWPID))
		return 255;
	pid = fork();
	if (!pid) {
		if (getpid() != 1 || mount("none", "/proc", "proc", 0, NULL))
			_exit(254);
		_exit(file_number(SYSCTL));
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

TEST(sysctl_namespaces, "it reads the same from any namespace")
{
	static const char *const values[] = { "4", "0", "1", "2", "3" };

	cgroup_make("t/a");
	set_mode("t/a", "both");
	for (int i = 0; i < 5; i++) {
		CHECK_EQ(set_sysctl(values[i]), 0);
		CHECK_EQ(in_user_namespace(read_elsewhere), atoi(values[i]));
	}
}

/* The kernel's other knobs, and values that harm nobody who comes after. */
static struct knob {
	const char *path;
	long long values[2];
} knobs[] = {
	{ "/proc/sys/kernel/numa_balancing_promote_rate_limit_MBps",
	  { 65535, 65536 } },
	{ SCANS "scan_delay_ms", { 101, 102 } },
	{ SCANS "scan_period_min_ms", { 103, 104 } },
	{ SCANS "scan_period_max_ms", { 501, 502 } },
	{ SCANS "scan_size_mb", { 255, 254 } },
	{ SCANS "hot_threshold_ms", { 20001, 20002 } },
};

static void write_knobs(int i)
{
	char text[32];

	for (struct knob *k = knobs;
	     k < knobs + sizeof(knobs) / sizeof(knobs[0]); k++) {
		snprintf(text, sizeof(text), "%lld", k->values[i]);
		CHECK_EQ(file_write(k->path, text, strlen(text)), 0, "%s",
			 k->path);
	}
}

static void check_knobs(int i)
{
	for (struct knob *k = knobs;
	     k < knobs + sizeof(knobs) / sizeof(knobs[0]); k++)
		CHECK_EQ(file_number(k->path), k->values[i], "%s", k->path);
}

TEST(sysctl_other_knobs, "the kernel's other knobs are left alone, and work")
{
	cgroup_make("t/a");
	write_knobs(0);
	set_mode("t/a", "both");
	CHECK_EQ(set_sysctl("2"), 0);
	check_knobs(0);
	write_knobs(1);
	check_knobs(1);
	set_mode("t/a", "inherit");
	CHECK_EQ(set_sysctl("0"), 0);
	check_knobs(1);
	CHECK_EQ(unload("numab"), 0);
	check_knobs(1);
	write_knobs(0);
	CHECK_EQ(load_numab(""), 0);
	check_knobs(0);
	set_mode("t/a", "tiering");
	check_knobs(0);
	write_knobs(1);
	check_knobs(1);
}

static bool is_home(void *load)
{
	return load_share(load, 0, HOME) >= 99;
}

static bool is_marked(void *load)
{
	const char *cgroup = ((struct load *)load)->cgroup;

	return cgroup_value(cgroup, "memory.stat", "numa_pte_updates");
}

static bool was_skipped(void *load)
{
	const char *cgroup = ((struct load *)load)->cgroup;

	return cgroup_value(cgroup, "cpu.numab.stat", "scans_skipped_mode") >=
	       3;
}

TEST(sysctl_seed, "4, and 1 in one cgroup: balancing is on for that one only")
{
	struct load loads[] = { { .cgroup = "t/mytest" },
				{ .cgroup = "t/other" } };

	CHECK_EQ(set_sysctl("0"), 0);
	for (int i = 0; i < 2; i++) {
		cgroup_make(loads[i].cgroup);
		loads[i].region[0].node = REMOTE;
		loads[i].region[0].mb = 8;
		load_start(&loads[i]);
	}
	CHECK_EQ(set_sysctl("4"), 0);
	CHECK_EQ(cgroup_write("t/mytest", "cpu.numa_load_balance", "1"), 0);
	check(4, 1);
	CHECK(wait_until(is_home, &loads[0], 60));
	CHECK(wait_until(was_skipped, &loads[1], 60));
	CHECK_EQ(load_share(&loads[1], 0, REMOTE), 100);
	CHECK(wait_until(is_marked, &loads[0], 10));
	CHECK(!is_marked(&loads[1]));
	for (int i = 0; i < 2; i++)
		load_stop(&loads[i]);
}
