// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "hint.h"
#include "knob.h"
#include "process.h"
#include "task.h"

static int open_pidfd(pid_t pid)
{
	int fd = syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : fd;
}

struct task_calls task_calls = { open_pidfd, numab_get, numab_set };

void task_release(struct task *task)
{
	cleanup_close(&task->pidfd);
	free(task->name);
	free(task->cgroup);
	*task = TASK_NONE;
}

static int open_task(pid_t pid)
{
	int fd = task_calls.open(pid);
	pid_t leader;

	/* The kernel's word for a thread that does not lead its process. */
	if (fd != -EINVAL && fd != -ENOENT)
		return fd;
	leader = process_of_thread(pid);
	return leader && leader != pid ? -EBADF : -ESRCH;
}

/* The settings last: the process lived until then, and all is its own. */
int task_read(pid_t pid, struct task *ret_task)
{
	AUTO_TASK struct task task = TASK_NONE;
	int ret;

	task.pid = pid;
	task.pidfd = open_task(pid);
	if (task.pidfd < 0)
		return task.pidfd;
	task.name = process_name(pid);
	if (!task.name)
		return -ENOMEM;
	ret = process_cgroup(pid, &task.cgroup);
	if (ret == -ENOMEM)
		return ret;
	ret = task_calls.get(task.pidfd, &task.attr);
	if (ret)
		return ret;
	*ret_task = task;
	task = TASK_NONE;
	return 0;
}

bool task_error_is_no_device(int error)
{
	return error == -ENOENT || error == -ENODEV || error == -ENXIO;
}

struct numab_tuning task_values(const struct numab_attr *attr)
{
	return (struct numab_tuning){ {
		[KNOB_HOT_THRESHOLD] = attr->hot_threshold_ms,
		[KNOB_SCAN_SIZE] = attr->scan_size_mb,
		[KNOB_SCAN_PERIOD_MIN] = attr->scan_period_min_ms,
		[KNOB_SCAN_PERIOD_MAX] = attr->scan_period_max_ms,
		[KNOB_PROMOTE_RATE] = attr->promote_mbps,
	} };
}

void task_set_values(struct numab_attr *attr, const struct numab_tuning *values)
{
	attr->hot_threshold_ms = values->value[KNOB_HOT_THRESHOLD];
	attr->scan_size_mb = values->value[KNOB_SCAN_SIZE];
	attr->scan_period_min_ms = values->value[KNOB_SCAN_PERIOD_MIN];
	attr->scan_period_max_ms = values->value[KNOB_SCAN_PERIOD_MAX];
	attr->promote_mbps = values->value[KNOB_PROMOTE_RATE];
}

bool task_has_settings(const struct numab_attr *attr)
{
	struct numab_tuning values = task_values(attr);

	return attr->mode != NUMAB_MODE_INHERIT ||
	       attr->cache != NUMAB_CACHE_AUTO ||
	       !numab_tuning_is_empty(&values);
}

static bool has_key(const struct knob_key *key,
		    const struct numab_tuning *values)
{
	const unsigned int *value = &values->value[key->knob];

	return value[0] || (key->is_pair && value[1]);
}

char *task_values_text(const struct numab_attr *attr)
{
	struct numab_tuning values = task_values(attr);
	char *text = NULL, *blank;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (const struct knob_key *key = knob_keys; key->name; key++) {
		AUTO_FREE char *value = NULL;

		if (!has_key(key, &values))
			continue;
		value = knob_print(key, &values);
		blank = value ? strchr(value, ' ') : NULL;
		if (blank)
			*blank = ':';
		fprintf(out, "%s%s=%s", ftell(out) ? "," : "", key->name,
			value ? value : "?");
	}
	if (attr->cache != NUMAB_CACHE_AUTO) {
		AUTO_FREE char *hint = hint_text(attr->cache);

		fprintf(out, "%s" HINT_NAME "=%s", ftell(out) ? "," : "",
			hint ? hint : "?");
	}
	if (!ftell(out))
		fputc('-', out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
