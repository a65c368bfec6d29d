// SPDX-License-Identifier: GPL-2.0
/* A process's own settings: how they go with it, whatever happens meanwhile. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"
#include "test.h"

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
	expect_no_tasks();
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
	expect_no_tasks();
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
	expect_no_tasks();
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
			expect_no_tasks(); /* the next one hooks anew */
	}
	expect_no_tasks();
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
	expect_no_tasks();
}

static volatile bool storm_ends;
static unsigned int storm_fields;

static void *toggle(void *arg)
{
	unsigned int n = 0;

	while (!storm_ends) {
		pid_t pid = *(pid_t *)arg;
		struct numab_attr attr = {
			.fields = storm_fields,
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
	storm_fields = NUMAB_FIELDS_ALL;
	if (!strcmp(point_state("task_cache_work"), "absent"))
		storm_fields &= ~NUMAB_FIELD_CACHE;
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
	expect_no_tasks();
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
		expect_no_tasks();
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
