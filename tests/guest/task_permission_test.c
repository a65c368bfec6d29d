// SPDX-License-Identifier: GPL-2.0
/* Who may set what for whom: users, namespaces, and gained privileges. */
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"
#include "test.h"

#define NOBODY 65534
#define OTHER  65533

static int set_self(void *mode)
{
	return -numab_set_mode(NUMAB_SELF, *(int *)mode);
}

static int self_as(unsigned int uid, int mode)
{
	return as_user(uid, set_self, &mode);
}

TEST(permission_self, "anyone may narrow himself; enabling is for CAP_SYS_NICE")
{
	CHECK_EQ(set_sysctl("1"), 0);
	CHECK_EQ(self_as(NOBODY, NUMAB_MODE_OFF), 0);
	CHECK_EQ(self_as(NOBODY, NUMAB_MODE_NORMAL), 0);
	CHECK_EQ(self_as(NOBODY, NUMAB_MODE_TIERING), EPERM);
	CHECK_EQ(self_as(NOBODY, NUMAB_MODE_BOTH), EPERM);
	CHECK_EQ(self_as(0, NUMAB_MODE_BOTH), 0);
	CHECK_EQ(set_sysctl("3"), 0);
	CHECK_EQ(self_as(NOBODY, NUMAB_MODE_BOTH), 0);
	CHECK_EQ(set_sysctl("0"), 0);
	CHECK_EQ(self_as(NOBODY, NUMAB_MODE_NORMAL), EPERM);
	CHECK_EQ(self_as(NOBODY, NUMAB_MODE_OFF), 0);
	/* What a cgroup above allows is free. */
	cgroup_make("t/w");
	set_mode("t/w", "tiering");
	cgroup_join("t/w", getpid());
	CHECK_EQ(self_as(NOBODY, NUMAB_MODE_TIERING), 0);
	CHECK_EQ(self_as(NOBODY, NUMAB_MODE_BOTH), EPERM);
}

static int tune_self(void *fields)
{
	struct numab_attr *attr = fields;

	attr->pidfd = NUMAB_SELF;
	return -numab_set(attr);
}

TEST(permission_values, "values that make balancing lighter are free")
{
	struct numab_attr lighter = {
		.fields = NUMAB_FIELDS_ALL &
			  ~(NUMAB_FIELD_MODE | NUMAB_FIELD_CACHE),
		.hot_threshold_ms = 100,
		.scan_size_mb = 16,
		.scan_period_min_ms = 90000,
		.scan_period_max_ms = 100000,
		.promote_mbps = 10,
	};
	struct numab_attr heavier = { .fields = NUMAB_FIELD_SCAN_SIZE,
				      .scan_size_mb = 65536 };

	CHECK_EQ(as_user(NOBODY, tune_self, &lighter), 0);
	CHECK_EQ(as_user(NOBODY, tune_self, &heavier), EPERM);
	CHECK_EQ(as_user(0, tune_self, &heavier), 0);
}

static int narrow(void *pid)
{
	return -task_mode(*(pid_t *)pid, NUMAB_MODE_OFF);
}

static int look(void *pid)
{
	struct numab_attr attr;

	return -numab_get(pidfd_of(*(pid_t *)pid), &attr);
}

/* A child of a user's that can be traced: it has executed as that user. */
static pid_t sleeper_of(unsigned int uid)
{
	int ready[2];
	char byte;
	pid_t pid;

	CHECK_EQ(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		CHECK(!setgid(uid) && !setuid(uid));
		dup2(ready[1], 1);
		execlp("sh", "sh", "-c", "echo; exec sleep 1000", NULL);
		_exit(127);
	}
	close(ready[1]);
	CHECK_EQ(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

TEST(permission_others, "another user's process can be neither seen nor set")
{
	pid_t pid = sleeper_of(NOBODY);

	CHECK_EQ(as_user(NOBODY, narrow, &pid), 0);
	CHECK_EQ(as_user(NOBODY, look, &pid), 0);
	CHECK_EQ(as_user(OTHER, narrow, &pid), EPERM);
	CHECK_EQ(as_user(OTHER, look, &pid), EPERM);
	CHECK_EQ(as_user(0, narrow, &pid), 0);
	CHECK_EQ(task_read(pid).mode, NUMAB_MODE_OFF);
	kill_and_wait(pid);
	pid = sleeper_of(0);
	CHECK_EQ(as_user(NOBODY, narrow, &pid), EPERM);
	kill_and_wait(pid);
}

static void map_root(unsigned int uid)
{
	char line[32];

	CHECK_EQ(file_write("/proc/self/setgroups", "deny", 4), 0);
	snprintf(line, sizeof(line), "0 %u 1", uid);
	CHECK_EQ(file_write("/proc/self/uid_map", line, strlen(line)), 0);
	CHECK_EQ(file_write("/proc/self/gid_map", line, strlen(line)), 0);
}

/* Root of a user namespace of his own, with every capability there. */
static int in_user_namespace(void *arg)
{
	pid_t outside = *(pid_t *)arg, inside;

	if (unshare(CLONE_NEWUSER))
		return 100;
	map_root(NOBODY);
	CHECK_EQ(geteuid(), 0);
	CHECK_EQ(numab_set_mode(NUMAB_SELF, NUMAB_MODE_BOTH), -EPERM);
	CHECK_EQ(numab_set_mode(NUMAB_SELF, NUMAB_MODE_NORMAL), 0);
	inside = sleeper();
	CHECK_EQ(task_mode(inside, NUMAB_MODE_OFF), 0);
	CHECK_EQ(task_mode(inside, NUMAB_MODE_BOTH), -EPERM);
	CHECK_EQ(task_mode(outside, NUMAB_MODE_OFF), -EPERM);
	kill_and_wait(inside);
	return 0;
}

TEST(permission_user_namespace, "root of a user namespace enables nothing")
{
	pid_t outside = sleeper();

	CHECK_EQ(set_sysctl("1"), 0);
	CHECK_EQ(as_user(NOBODY, in_user_namespace, &outside), 0);
	CHECK_EQ(task_read(outside).mode, NUMAB_MODE_INHERIT);
	kill_and_wait(outside);
}

/* As in a container: other pids, the same device. */
TEST(permission_pid_namespace, "a pid names a process of one's own namespace")
{
	int status;
	pid_t pid;

	CHECK_EQ(unshare(CLONE_NEWPID), 0);
	pid = fork();
	if (!pid) {
		pid_t inner = sleeper();

		CHECK_EQ(getpid(), 1);
		CHECK_EQ(task_mode(inner, NUMAB_MODE_OFF), 0);
		CHECK_EQ(task_read(inner).mode, NUMAB_MODE_OFF);
		CHECK_EQ(task_read(1).mode, NUMAB_MODE_INHERIT);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
}

struct before {
	const char *program;
	int mode;
	struct numab_attr values;
};

/* What is set as root, is given up with the user, and then a program runs. */
static int exec_with(const struct before *before)
{
	struct numab_attr values = before->values;
	int status;
	pid_t pid = fork();

	if (!pid) {
		values.pidfd = NUMAB_SELF;
		CHECK_EQ(numab_set_mode(NUMAB_SELF, before->mode), 0);
		CHECK_EQ(numab_set(&values), 0);
		CHECK(!setgid(NOBODY) && !setuid(NOBODY));
		execl(before->program, before->program, "--mode", NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static void copy_program(const char *to, int mode)
{
	char command[128];

	snprintf(command, sizeof(command), "cp /proc/%d/exe %s", getpid(), to);
	CHECK_EQ(system(command), 0);
	CHECK_EQ(chmod(to, mode), 0);
}

TEST(permission_set_uid,
     "gaining privileges keeps restrictions, and only those")
{
	static const char plain[] = "/tmp/plain", set_uid[] = "/tmp/set-uid";
	/* 16 for the threshold, which is lighter, 32 for the size. */
	static const struct numab_attr values = {
		.fields = NUMAB_FIELD_HOT_THRESHOLD | NUMAB_FIELD_SCAN_SIZE,
		.hot_threshold_ms = 1,
		.scan_size_mb = 65536,
	};
	static const struct {
		int mode, kept;
	} rows[] = {
		/* the system default is normal */
		{ NUMAB_MODE_OFF, NUMAB_MODE_OFF },
		{ NUMAB_MODE_NORMAL, 255 },
		{ NUMAB_MODE_TIERING, NUMAB_MODE_OFF },
		{ NUMAB_MODE_BOTH, 255 },
	};

	CHECK_EQ(set_sysctl("1"), 0);
	copy_program(plain, 0755);
	copy_program(set_uid, 04755);
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct before before = { plain, rows[i].mode, { 0 } };

		CHECK_EQ(exec_with(&before), rows[i].mode, "row %u", i);
		before.program = set_uid;
		CHECK_EQ(exec_with(&before), rows[i].kept, "row %u", i);
	}
	CHECK_EQ(exec_with(&(struct before){ plain, NUMAB_MODE_OFF, values }),
		 16 + 32);
	CHECK_EQ(exec_with(&(struct before){ set_uid, NUMAB_MODE_OFF, values }),
		 16);
	unlink(plain);
	unlink(set_uid);
}

/* Somebody of the same user, who sets what is free over and over. */
static void set_for_ever(pid_t pid)
{
	struct numab_attr attr = { .fields = NUMAB_FIELD_HOT_THRESHOLD,
				   .pidfd = pidfd_of(pid) };

	CHECK(!setgid(NOBODY) && !setuid(NOBODY));
	for (;;) {
		attr.hot_threshold_ms = attr.hot_threshold_ms == 1 ? 2 : 1;
		numab_set(&attr);
	}
}

TEST(permission_exec_race, "a set-uid program is not widened by a race either")
{
	static const char set_uid[] = "/tmp/set-uid";

	CHECK_EQ(set_sysctl("1"), 0);
	copy_program(set_uid, 04755);
	for (int i = 0; i < 60; i++) {
		int go[2], status;
		pid_t victim, setter;
		char byte = 0;

		CHECK_EQ(pipe(go), 0);
		victim = fork();
		if (!victim) {
			CHECK(!setgid(NOBODY) && !setuid(NOBODY) &&
			      !prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
			CHECK_EQ(read(go[0], &byte, 1), 1);
			execl(set_uid, set_uid, "--mode", NULL);
			_exit(127);
		}
		CHECK_EQ(task_mode(victim, NUMAB_MODE_BOTH), 0);
		setter = fork();
		if (!setter)
			set_for_ever(victim);
		for (double end = now() + 10;
		     !task_read(victim).hot_threshold_ms;)
			CHECK(now() < end);
		CHECK_EQ(write(go[1], &byte, 1), 1);
		waitpid(victim, &status, 0);
		kill_and_wait(setter);
		close(go[0]);
		close(go[1]);
		/* 255 is inherit; 16 more with the threshold, which is free. */
		CHECK_EQ(WEXITSTATUS(status) | 16, 255, "round %d", i);
	}
	unlink(set_uid);
}
