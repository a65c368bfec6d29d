// SPDX-License-Identifier: GPL-2.0
/* A process's own settings: whose they are, how they go on, what they do. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"
#include "test.h"

extern char **environ;

TEST(task_reads_back, "what is written to a process is read back, and no more")
{
	struct numab_attr attr = {
		.fields = NUMAB_FIELD_MODE | NUMAB_FIELD_SCAN_PERIOD,
		.mode = NUMAB_MODE_BOTH,
		.scan_period_min_ms = 100,
		.scan_period_max_ms = 300,
		.scan_size_mb = 7, /* not in fields */
	};
	pid_t pid = sleeper();

	CHECK_EQ(set_sysctl("1"), 0);
	expect_no_tasks(); /* of what an earlier case hooked */
	CHECK_EQ(task_read(pid).mode, NUMAB_MODE_INHERIT);
	CHECK_EQ(task_read(pid).effective_mode, NUMAB_MODE_NORMAL);
	CHECK_EQ(task_write(pid, attr), 0);
	CHECK_STR(point_state("sched_process_fork"), "live");
	attr = task_read(pid);
	CHECK_EQ(attr.mode, NUMAB_MODE_BOTH);
	CHECK_EQ(attr.scan_period_min_ms, 100);
	CHECK_EQ(attr.scan_period_max_ms, 300);
	CHECK_EQ(attr.scan_size_mb, 0);
	CHECK_EQ(attr.cgroup_mode, NUMAB_MODE_INHERIT);
	CHECK_EQ(status_number("running"), 3);
	CHECK_EQ(status_number("tasks"), 1);
	CHECK_EQ(task_read(getpid()).mode, NUMAB_MODE_INHERIT);
	kill_and_wait(pid);
	expect_no_tasks();
	expect_running(1);
}

TEST(task_rubbish, "bad attributes are refused and change nothing")
{
	static const struct numab_attr bad[] = {
		{ .fields = NUMAB_FIELD_MODE, .mode = 4 },
		{ .fields = NUMAB_FIELD_MODE, .mode = -2 },
		{ .fields = 1u << 31, .mode = 0 },
		{ .fields = NUMAB_FIELD_SCAN_SIZE, .scan_size_mb = 65537 },
		{ .fields = NUMAB_FIELD_HOT_THRESHOLD,
		  .hot_threshold_ms = 600001 },
		{ .fields = NUMAB_FIELD_SCAN_PERIOD,
		  .scan_period_min_ms = 300,
		  .scan_period_max_ms = 200 },
		{ .fields = NUMAB_FIELD_SCAN_PERIOD, .scan_period_min_ms = 9 },
		{ .fields = NUMAB_FIELD_PROMOTE, .promote_mbps = 1048577 },
	};
	struct numab_attr attr = { .size = 4 };
	struct {
		struct numab_attr attr;
		unsigned int more;
	} longer = { .attr.size = sizeof(longer), .attr.pidfd = NUMAB_SELF };
	int fd = open(NUMAB_DEVICE, O_RDONLY | O_CLOEXEC);

	CHECK(fd >= 0);
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK_EQ(task_write(getpid(), bad[i]), -EINVAL, "row %u", i);
	CHECK(ioctl(fd, NUMAB_IOC_GET, &attr) < 0 && errno == EINVAL);
	CHECK(ioctl(fd, NUMAB_IOC_GET, NULL) < 0 && errno == EFAULT);
	CHECK(ioctl(fd, _IO(0xba, 0x77), &attr) < 0 && errno == ENOTTY);
	/* A caller from the future, who wants nothing new, and then does. */
	CHECK_EQ(ioctl(fd, NUMAB_IOC_GET, &longer), 0);
	longer.attr.size = sizeof(longer);
	longer.more = 1;
	CHECK(ioctl(fd, NUMAB_IOC_GET, &longer) < 0 && errno == E2BIG);
	attr = (struct numab_attr){ .size = sizeof(attr), .pidfd = 99 };
	CHECK(ioctl(fd, NUMAB_IOC_GET, &attr) < 0 && errno == EBADF);
	attr.pidfd = fd; /* no pidfd */
	CHECK(ioctl(fd, NUMAB_IOC_GET, &attr) < 0 && errno == EBADF);
	CHECK_EQ(task_mode(2, NUMAB_MODE_OFF), -EINVAL); /* kthreadd */
	expect_no_tasks();
}

static void *read_mode(void *unused)
{
	struct numab_attr attr;

	CHECK_EQ(numab_get(NUMAB_SELF, &attr), 0);
	return (void *)(long)attr.mode;
}

/* Every way to a new thread or process; each says its mode. */
TEST(task_inherited, "threads share it, children inherit it, exec keeps it")
{
	static char stack[65536] __attribute__((aligned(16)));
	char *argv[] = { "guest-tests", "--mode", NULL };
	void *mode = NULL;
	pthread_t thread;
	pid_t pid;

	CHECK_EQ(numab_set_mode(NUMAB_SELF, NUMAB_MODE_TIERING), 0);
	CHECK_EQ(pthread_create(&thread, NULL, read_mode, NULL), 0);
	pthread_join(thread, &mode);
	CHECK_EQ((long)mode, NUMAB_MODE_TIERING);

	pid = fork();
	if (!pid)
		exit_with_mode(NULL);
	CHECK_EQ(exit_status_of(pid), NUMAB_MODE_TIERING);
	pid = vfork();
	if (!pid) {
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	CHECK_EQ(exit_status_of(pid), NUMAB_MODE_TIERING);
	CHECK_EQ(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ),
		 0);
	CHECK_EQ(exit_status_of(pid), NUMAB_MODE_TIERING);
	/* Another process in the same address space. */
	pid = clone(exit_with_mode, stack + sizeof(stack), CLONE_VM | SIGCHLD,
		    NULL);
	CHECK_EQ(exit_status_of(pid), NUMAB_MODE_TIERING);

	/* A child's own change is not its parent's. */
	pid = fork();
	if (!pid) {
		CHECK_EQ(numab_set_mode(NUMAB_SELF, NUMAB_MODE_OFF), 0);
		exit_with_mode(NULL);
	}
	CHECK_EQ(exit_status_of(pid), NUMAB_MODE_OFF);
	CHECK_EQ(task_read(getpid()).mode, NUMAB_MODE_TIERING);
	CHECK_EQ(numab_set_mode(NUMAB_SELF, NUMAB_MODE_INHERIT), 0);
	expect_no_tasks();
}

TEST(task_mode_holds, "one process of a cgroup opts out, the other does not")
{
	struct load out = { .cgroup = "t/w",
			    .region = { { .node = REMOTE, .mb = 12 } } };
	struct load in = out;
	double end = now() + 60;

	CHECK_EQ(set_sysctl("0"), 0);
	cgroup_make("t/w");
	load_start(&out);
	CHECK_EQ(task_mode(out.pid, NUMAB_MODE_OFF), 0);
	load_start(&in);
	set_mode("t/w", "normal");
	CHECK_EQ(task_read(in.pid).effective_mode, NUMAB_MODE_NORMAL);
	CHECK_EQ(task_read(out.pid).effective_mode, NUMAB_MODE_OFF);
	while (load_share(&in, 0, HOME) < 99)
		CHECK(now() < end);
	CHECK_EQ(load_share(&out, 0, REMOTE), 100);
	CHECK_CMP(cgroup_value("t/w", "cpu.numab.stat", "scans_skipped_mode"),
		  >, 0);
	/* And in again. */
	CHECK_EQ(task_mode(out.pid, NUMAB_MODE_INHERIT), 0);
	for (end = now() + 60; load_share(&out, 0, HOME) < 99;)
		CHECK(now() < end);
	load_stop(&in);
	load_stop(&out);
}

static bool is_scanned(void *unused)
{
	return cgroup_value("t/on", "cpu.numab.stat", "scans_run") > 3 &&
	       cgroup_value("t/on", "cpu.numab.stat", "moves_refused") > 0;
}

/*
 * A process's mode is about the process: it is scanned and its faults count.
 * Whether memory moves is for the memory's cgroup to say.
 */
TEST(task_enables, "a process is scanned while the switch says 0, alone")
{
	struct load on = { .cgroup = "t/on",
			   .region = { { .node = REMOTE, .mb = 12 },
				       { .node = SLOW, .mb = 12 } } };
	struct load off = on;
	double end = now() + 60;

	off.cgroup = "t/off";
	CHECK_EQ(set_sysctl("0"), 0);
	cgroup_make("t/on");
	cgroup_make("t/off");
	load_start(&on);
	load_start(&off);
	CHECK_EQ(task_mode(on.pid, NUMAB_MODE_NORMAL), 0);
	CHECK_EQ(status_number("running"), 1);
	CHECK(wait_until(is_scanned, NULL, 60));
	CHECK_EQ(load_share(&on, 0, REMOTE), 100);
	CHECK_EQ(cgroup_value("t/off", "memory.stat", "numa_pte_updates"), 0);
	set_mode("t/on", "normal");
	while (load_share(&on, 0, HOME) < 99)
		CHECK(now() < end);
	CHECK_EQ(load_share(&on, 1, SLOW), 100);
	load_stop(&on);
	set_mode("t/on", "inherit");
	expect_no_tasks();
	CHECK_EQ(status_number("running"), 0);
	load_stop(&off);
}

/* Two processes of one cgroup: only one has a value of its own. */
static void start_pair(struct load *own, struct load *other, int node)
{
	*own = (struct load){ .cgroup = "t/w",
			      .threads = 2,
			      .region = { { .node = node, .mb = 12 } } };
	*other = *own;
	CHECK_EQ(set_sysctl("0"), 0);
	cgroup_make("t/w");
	load_start(own);
	load_start(other);
}

static long long counted(const char *key)
{
	return cgroup_value("t/w", "cpu.numab.stat", key);
}

TEST(task_hot_threshold, "a process's own hot threshold is the nearest")
{
	struct load strict, other;
	double end = now() + 90;

	start_pair(&strict, &other, SLOW);
	CHECK_EQ(task_write(strict.pid,
			    (struct numab_attr){
				    .fields = NUMAB_FIELD_HOT_THRESHOLD,
				    .hot_threshold_ms = 1 }),
		 0);
	set_mode("t/w", "tiering");
	while (load_share(&other, 0, HOME) < 99 ||
	       counted("promotions_cold") < 12 * 256)
		CHECK(now() < end);
	CHECK_CMP(load_share(&strict, 0, HOME), <, 50);
	load_stop(&strict);
	load_stop(&other);
}

TEST(task_promote_rate, "a process's own rate limits it, and not the other")
{
	struct load slow, other;
	double began, end;

	start_pair(&slow, &other, SLOW);
	CHECK_EQ(task_write(slow.pid,
			    (struct numab_attr){ .fields = NUMAB_FIELD_PROMOTE,
						 .promote_mbps = 1 }),
		 0);
	began = now();
	set_mode("t/w", "tiering");
	for (end = now() + 90; load_share(&other, 0, HOME) < 99 ||
			       !counted("promotions_limited");)
		CHECK(now() < end);
	/* A second more, and a huge page of what is under way. */
	CHECK_CMP(load_share(&slow, 0, HOME) * 12 / 100, <=,
		  now() - began + 1 + 2);
	load_stop(&slow);
	load_stop(&other);
}

TEST(task_scan_period, "a process's own period is the nearest")
{
	struct load fast = { .cgroup = "t/w",
			     .region = { { .node = HOME, .mb = 4 } } };
	double end = now() + 60;

	CHECK_EQ(set_sysctl("0"), 0);
	cgroup_make("t/w");
	CHECK_EQ(cgroup_write("t/w", "cpu.numab.scan_period_ms", "60000 90000"),
		 0);
	load_start(&fast);
	CHECK_EQ(task_write(
			 fast.pid,
			 (struct numab_attr){ .fields = NUMAB_FIELD_SCAN_PERIOD,
					      .scan_period_min_ms = 20,
					      .scan_period_max_ms = 50 }),
		 0);
	set_mode("t/w", "normal");
	while (counted("scans_run") < 20)
		CHECK(now() < end);
	load_stop(&fast);
}

TEST(task_scan_size, "a process's own size bounds its scans")
{
	struct load small = { .cgroup = "t/w",
			      .threads = 2,
			      .region = { { .node = HOME, .mb = 32 } } };
	double end = now() + 60;

	CHECK_EQ(set_sysctl("0"), 0);
	cgroup_make("t/w");
	load_start(&small);
	CHECK_EQ(
		task_write(small.pid,
			   (struct numab_attr){ .fields = NUMAB_FIELD_SCAN_SIZE,
						.scan_size_mb = 2 }),
		0);
	set_mode("t/w", "normal");
	while (counted("scans_run") < 20)
		CHECK(now() < end);
	load_pause(&small, true);
	CHECK_CMP(cgroup_value("t/w", "memory.stat", "numa_pte_updates"), <=,
		  counted("scans_run") * 1024);
	load_stop(&small);
}
