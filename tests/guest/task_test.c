// SPDX-License-Identifier: GPL-2.0
/* A process's own settings: whose they are, how they go on and when they go. */

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"

#include "test.h"

extern char **environ;

static bool nothing_is_left(void *unused)
{
	return status_number("tasks") == 0;
}

static bool is_idle(void *point)
{
	return !strcmp(point_state(point), "idle");
}

/* All entries are gone, and nobody watches forks any more. */
static void expect_nothing(void)
{
	CHECK(wait_until(nothing_is_left, NULL, 10));
	CHECK(wait_until(is_idle, "sched_process_fork", 10));
	CHECK(wait_until(is_idle, "sched_process_exec", 10));
	CHECK(wait_until(is_idle, "sched_process_exit", 10));
	CHECK_EQ(status_number("tasks_lost"), 0);
}

static bool runs_with(void *mode)
{
	return status_number("running") == *(int *)mode;
}

/* A setting that went with its process is looked after by a worker. */
static void expect_running(int mode)
{
	CHECK(wait_until(runs_with, &mode, 10));
}

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
	expect_nothing(); /* of what an earlier case hooked */
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
	expect_nothing();
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
	expect_nothing();
}

static void *read_mode(void *unused)
{
	struct numab_attr attr;

	CHECK_EQ(numab_get(NUMAB_SELF, &attr), 0);
	return (void *)(long)attr.mode;
}

static int exit_with_mode(void *unused)
{
	_exit((int)(long)read_mode(NULL));
}

static int exit_status_of(pid_t pid)
{
	int status;

	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	return WEXITSTATUS(status);
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
	expect_nothing();
}

static void *outlive(void *leader)
{
	pthread_join(*(pthread_t *)leader, NULL);
	exit_with_mode(NULL);
	return NULL;
}

TEST(task_leader_exits, "it stays while any thread is left, and goes with it")
{
	pid_t pid = fork();

	if (!pid) {
		static pthread_t leader;
		pthread_t thread;

		leader = pthread_self();
		CHECK_EQ(numab_set_mode(NUMAB_SELF, NUMAB_MODE_OFF), 0);
		CHECK_EQ(pthread_create(&thread, NULL, outlive, &leader), 0);
		pthread_exit(NULL);
	}
	CHECK_EQ(exit_status_of(pid), NUMAB_MODE_OFF);
	expect_nothing();
}

TEST(task_zombie, "a process that has exited takes no setting, and leaks none")
{
	siginfo_t info;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitid(P_PID, pid, &info, WEXITED | WNOWAIT);
	CHECK_EQ(task_mode(pid, NUMAB_MODE_OFF), -ESRCH);
	waitpid(pid, NULL, 0);
	expect_nothing();
}

static unsigned int storm_size(void)
{
	const char *text = getenv("NUMAB_PROCESSES");

	return text ? strtoul(text, NULL, 10) : 20000;
}

/* As light as a process can be, so that a million can be had. */
static int leave(void *unused)
{
	_exit(0);
}

static void spawn_many(unsigned int n)
{
	static char stack[16384] __attribute__((aligned(16)));

	for (unsigned int i = 0; i < n; i++) {
		pid_t pid = clone(leave, stack + sizeof(stack),
				  CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);

		CHECK_CMP(pid, >, 0);
		CHECK_EQ(waitpid(pid, NULL, 0), pid);
	}
}

TEST(task_many, "many short-lived processes with a setting leak nothing")
{
	unsigned int n = storm_size();
	double start = now();

	for (int i = 0; i < 4; i++)
		if (!fork()) {
			CHECK_EQ(numab_set_mode(NUMAB_SELF, NUMAB_MODE_OFF), 0);
			spawn_many(n / 4);
			_exit(0);
		}
	for (int i = 0; i < 4; i++) {
		int status;

		wait(&status);
		CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
	}
	printf("# %u processes in %.1f s\n", n, now() - start);
	expect_nothing();
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
	expect_nothing();
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

/*
 * A process that exits just while it is set, from nothing set and from one
 * set already: no entry is left, on whose address a stranger could be born.
 */
TEST(task_exit_race, "a process that exits while it is set leaves nothing")
{
	for (int i = 0; i < 400; i++) {
		pid_t pid = fork();
		int err;

		if (!pid) {
			for (volatile int spin = i * 500; spin > 0; spin--)
				;
			_exit(0);
		}
		err = task_mode(pid, NUMAB_MODE_OFF);
		CHECK(!err || err == -ESRCH);
		waitpid(pid, NULL, 0);
		if (i % 40 == 0)
			expect_nothing(); /* the next one hooks anew */
	}
	expect_nothing();
}

TEST(task_later_base, "what was free is narrowed when less is allowed later")
{
	struct numab_attr size = { .fields = NUMAB_FIELD_SCAN_SIZE |
					     NUMAB_FIELD_MODE,
				   .mode = NUMAB_MODE_BOTH,
				   .scan_size_mb = 200 };
	pid_t user = fork(), admin;

	CHECK_EQ(set_sysctl("3"), 0);
	if (!user) {
		CHECK(!setgid(65534) && !setuid(65534));
		size.pidfd = NUMAB_SELF;
		_exit(numab_set(&size) ? 1 : (pause(), 0));
	}
	admin = sleeper();
	CHECK_EQ(task_write(admin, size), 0);
	for (double end = now() + 10; task_read(user).mode < 0;)
		CHECK(now() < end);
	CHECK_EQ(task_read(user).effective_mode, NUMAB_MODE_BOTH);
	CHECK_EQ(set_sysctl("1"), 0);
	CHECK_EQ(task_read(user).effective_mode, NUMAB_MODE_NORMAL);
	CHECK_EQ(task_read(admin).effective_mode, NUMAB_MODE_BOTH);
	kill_and_wait(admin);
	expect_running(1); /* the user's wish keeps nothing on */
	CHECK_EQ(set_sysctl("0"), 0);
	CHECK_EQ(status_number("running"), 0);
	CHECK_EQ(task_read(user).effective_mode, NUMAB_MODE_OFF);
	kill_and_wait(user);
	expect_nothing();
}

static volatile bool storm_ends;

static void *toggle(void *arg)
{
	unsigned int n = 0;

	while (!storm_ends) {
		pid_t pid = *(pid_t *)arg;
		struct numab_attr attr = {
			.fields = NUMAB_FIELDS_ALL,
			.mode = (int)(n % 5) - 1,
			.scan_size_mb = n % 3,
			.hot_threshold_ms = n % 7 * 100,
		};

		/* It may be gone at any moment; nothing else may happen. */
		attr.pidfd = syscall(SYS_pidfd_open, pid, 0);
		if (attr.pidfd >= 0) {
			int err = numab_set(&attr);

			CHECK(!err || err == -ESRCH);
			close(attr.pidfd);
		}
		n++;
	}
	return NULL;
}

/*
 * Targets that are born, stopped, traced, moved between cgroups and killed
 * while somebody sets them, and everything is torn down in the end.
 */
TEST(task_storm, "exiting, stopped, traced and moving processes while set")
{
	static pid_t target;
	double end = now() + 15;
	pthread_t thread[2];
	unsigned int rounds = 0;

	CHECK_EQ(set_sysctl("0"), 0);
	cgroup_make("t/a");
	cgroup_make("t/b");
	set_mode("t/a", "normal");
	target = sleeper();
	for (int i = 0; i < 2; i++)
		CHECK_EQ(pthread_create(&thread[i], NULL, toggle, &target), 0);
	while (now() < end) {
		struct load load = { .cgroup = rounds % 2 ? "t/a" : "t/b",
				     .threads = 2,
				     .region = {
					     { .node = REMOTE, .mb = 4 } } };
		pid_t old = target;

		load_start(&load);
		target = load.pid;
		kill_and_wait(old);
		if (rounds % 3 == 0)
			kill(load.pid, SIGSTOP);
		if (rounds % 3 == 1)
			CHECK_EQ(ptrace(PTRACE_SEIZE, load.pid, 0, 0), 0);
		cgroup_join(rounds % 2 ? "t/b" : "t/a", load.pid);
		rounds++;
	}
	storm_ends = true;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	kill_and_wait(target);
	printf("# %u targets\n", rounds);
	CHECK_CMP(rounds, >, 3);
	expect_nothing();
}

TEST(task_unload, "unloading drops the settings of running processes")
{
	struct load load = { .cgroup = "t/w",
			     .region = { { .node = REMOTE, .mb = 12 } } };

	CHECK_EQ(set_sysctl("0"), 0);
	cgroup_make("t/w");
	load_start(&load);
	CHECK_EQ(task_mode(load.pid, NUMAB_MODE_BOTH), 0);
	CHECK_EQ(unload("numab"), 0);
	CHECK_EQ(access(NUMAB_DEVICE, F_OK), -1);
	CHECK_EQ(file_number(SYSCTL), 0);
	CHECK_EQ(numab_set_mode(NUMAB_SELF, NUMAB_MODE_OFF), -ENOENT);
	CHECK_EQ(load_numab(""), 0);
	CHECK_EQ(task_read(load.pid).mode, NUMAB_MODE_INHERIT);
	load_stop(&load);
}

static void set_fault(const char *fault)
{
	CHECK_EQ(file_write("/sys/module/numab/parameters/fault", fault,
			    strlen(fault)),
		 0);
}

TEST(task_no_memory, "where memory is short, nothing is set and nothing leaks")
{
	static const char *const faults[] = { "alloc:task",
					      "alloc:tracepoint" };
	pid_t pid;

	CHECK_EQ(unload("numab"), 0);
	CHECK_EQ(load_faulty(""), 0);
	for (int i = 0; i < 2; i++) {
		set_fault(faults[i]);
		CHECK_EQ(numab_set_mode(NUMAB_SELF, NUMAB_MODE_OFF), -ENOMEM);
		expect_nothing();
	}
	/* A child goes without, and that is counted. */
	set_fault("none");
	CHECK_EQ(numab_set_mode(NUMAB_SELF, NUMAB_MODE_OFF), 0);
	set_fault("alloc:task");
	pid = fork();
	if (!pid)
		exit_with_mode(NULL);
	CHECK_EQ(exit_status_of(pid), NUMAB_MODE_INHERIT & 0xff);
	CHECK_EQ(status_number("tasks_lost"), 1);
	set_fault("none");
	CHECK_EQ(numab_set_mode(NUMAB_SELF, NUMAB_MODE_INHERIT), 0);
	CHECK_EQ(unload("numab"), 0);
}
