// SPDX-License-Identifier: GPL-2.0
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"
#include "test.h"

int pidfd_of(pid_t pid)
{
	int fd = syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		die("pidfd_open(%d)", pid);
	return fd;
}

struct numab_attr task_read(pid_t pid)
{
	struct numab_attr attr;
	int fd = pidfd_of(pid);

	CHECK_EQ(numab_get(fd, &attr), 0, "pid %d", pid);
	close(fd);
	return attr;
}

int task_write(pid_t pid, struct numab_attr attr)
{
	int err;

	attr.pidfd = pidfd_of(pid);
	err = numab_set(&attr);
	close(attr.pidfd);
	return err;
}

int task_mode(pid_t pid, int mode)
{
	return task_write(pid, (struct numab_attr){ .fields = NUMAB_FIELD_MODE,
						    .mode = mode });
}

int task_exit_status(void)
{
	struct numab_attr attr;

	if (numab_get(NUMAB_SELF, &attr))
		return 254;
	return (attr.mode & 0xff) | (attr.hot_threshold_ms ? 16 : 0) |
	       (attr.scan_size_mb ? 32 : 0);
}

int as_user(unsigned int uid, int (*fn)(void *), void *arg)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		/* Dumpable again, as after an exec: its /proc is its own. */
		if (setgid(uid) || setuid(uid) ||
		    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0))
			_exit(255);
		_exit(fn(arg));
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 254;
}

pid_t sleeper(void)
{
	pid_t pid = fork();

	while (!pid)
		pause();
	return pid;
}

void kill_and_wait(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static bool nothing_is_left(void *unused)
{
	return status_number("tasks") == 0;
}

static bool is_idle(void *point)
{
	return !strcmp(point_state(point), "idle");
}

/* All entries are gone, and nobody watches forks any more. */
void expect_no_tasks(void)
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
void expect_running(int mode)
{
	CHECK(wait_until(runs_with, &mode, 10));
}

int exit_with_mode(void *unused)
{
	_exit(task_exit_status());
}

int exit_status_of(pid_t pid)
{
	int status;

	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	return WEXITSTATUS(status);
}
