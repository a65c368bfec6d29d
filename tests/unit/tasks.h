/* SPDX-License-Identifier: GPL-2.0 */
/* A made-up /dev/numab: what it knows of processes, and what was written. */
#ifndef NUMAB_TESTS_UNIT_TASKS_H
#define NUMAB_TESTS_UNIT_TASKS_H

#include <sys/wait.h>

#include "fixture.h"
#include "mode.h"
#include "task.h"

struct fake_task {
	pid_t pid;
	int open_error, get_error, set_error;
	struct numab_attr attr;
};

/* The first is whoever calls (NUMAB_SELF); a pidfd is 1000 + the index. */
#define FAKE_TASKS 8
#define FAKE_FD	   1000
static struct fake_task fake_tasks[FAKE_TASKS];
static size_t fake_count;

static inline struct fake_task *fake_of(int pidfd)
{
	size_t i = pidfd == NUMAB_SELF ? 0 : pidfd - FAKE_FD;

	check(i < fake_count, "pidfd %d", pidfd);
	return &fake_tasks[i];
}

static inline int fake_open(pid_t pid)
{
	for (size_t i = 0; i < fake_count; i++)
		if (fake_tasks[i].pid == pid)
			return fake_tasks[i].open_error ?
				       fake_tasks[i].open_error :
				       FAKE_FD + (int)i;
	return -ESRCH;
}

static inline int fake_get(int pidfd, struct numab_attr *attr)
{
	struct fake_task *task = fake_of(pidfd);

	if (!task->get_error)
		*attr = task->attr;
	return task->get_error;
}

/* As the module does, but for its checks. */
static inline int fake_set(struct numab_attr *attr)
{
	struct fake_task *task = fake_of(attr->pidfd);
	struct numab_attr *own = &task->attr;

	if (task->set_error)
		return task->set_error;
	if (attr->fields & NUMAB_FIELD_MODE)
		own->mode = attr->mode;
	if (attr->fields & NUMAB_FIELD_HOT_THRESHOLD)
		own->hot_threshold_ms = attr->hot_threshold_ms;
	if (attr->fields & NUMAB_FIELD_SCAN_SIZE)
		own->scan_size_mb = attr->scan_size_mb;
	if (attr->fields & NUMAB_FIELD_SCAN_PERIOD) {
		own->scan_period_min_ms = attr->scan_period_min_ms;
		own->scan_period_max_ms = attr->scan_period_max_ms;
	}
	if (attr->fields & NUMAB_FIELD_PROMOTE)
		own->promote_mbps = attr->promote_mbps;
	if (attr->fields & NUMAB_FIELD_CACHE)
		own->cache = attr->cache;
	own->effective_mode = numab_mode_effective(
		numab_opinion_meet(own->mode, own->cgroup_mode), NUMAB_OFF);
	return 0;
}

/* A process without settings of its own; cgroup: its opinions together. */
static inline struct fake_task *fake_add(pid_t pid, const char *name,
					 const char *cgroup, int cgroup_mode)
{
	struct fake_task *task = &fake_tasks[fake_count++];
	char path[64], text[128];

	assert_true(fake_count <= FAKE_TASKS);
	*task = (struct fake_task){ .pid = pid };
	task->attr.mode = NUMAB_INHERIT;
	task->attr.cache = NUMAB_CACHE_AUTO;
	task->attr.cgroup_mode = cgroup_mode;
	task->attr.effective_mode =
		numab_mode_effective(cgroup_mode, NUMAB_OFF);
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	snprintf(text, sizeof(text), "%s\n", name);
	fixture_file(path, text);
	snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	snprintf(text, sizeof(text), "1:cpuset:/x\n0::%s\n", cgroup);
	fixture_file(path, text);
	return task;
}

/* No process yet; the next one that is added is oneself. */
static inline void fake_device(void)
{
	fake_count = 0;
	task_calls = (struct task_calls){ fake_open, fake_get, fake_set };
}

/* All of the file as a string; the caller frees. */
static inline char *fake_read(FILE *file)
{
	long len = ftell(file);
	char *text = malloc(len + 1);

	rewind(file);
	assert_int_equal(fread(text, 1, len, file), len);
	text[len] = '\0';
	fclose(file);
	return text;
}

/* Run a command in a child, where it may end the program. */
static inline struct output run_child(int (*command)(int, char **), char **argv)
{
	FILE *out = tmpfile(), *err = tmpfile();
	struct output output = {};
	int status, argc = 0;
	pid_t pid;

	while (argv[argc])
		argc++;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		dup2(fileno(out), STDOUT_FILENO);
		dup2(fileno(err), STDERR_FILENO);
		exit(command(argc, argv));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	output.code = WEXITSTATUS(status);
	/* The child's offset is ours: the files end where it is. */
	output.out = fake_read(out);
	output.err = fake_read(err);
	return output;
}

#endif
