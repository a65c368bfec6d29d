// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cgroup.h"
#include "cmd_list_tasks.h"
#include "command.h"
#include "hint.h"
#include "mode.h"
#include "process.h"
#include "table.h"
#include "task.h"

#define COLUMNS 6

struct tasks {
	size_t count;
	struct task *items;
	size_t hidden; /* processes that may not be looked at */
};

static void tasks_release(struct tasks *tasks)
{
	for (size_t i = 0; i < tasks->count; i++)
		task_release(&tasks->items[i]);
	free(tasks->items);
}

static bool is_below(const char *cgroup, const char *path)
{
	size_t len = strlen(path);

	if (cgroup_is_root(path))
		return true;
	return cgroup && !strncmp(cgroup, path, len) &&
	       (!cgroup[len] || cgroup[len] == '/');
}

/* Takes the task, whose pidfd is not needed any more. */
static int tasks_add(struct tasks *tasks, struct task *task)
{
	struct task *grown =
		reallocarray(tasks->items, tasks->count + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	tasks->items = grown;
	cleanup_close(&task->pidfd);
	task->pidfd = -1;
	grown[tasks->count++] = *task;
	*task = TASK_NONE;
	return 0;
}

/* A process may go at any time; kernel threads have no settings. */
static int look_at(pid_t pid, const char *path, struct tasks *tasks)
{
	AUTO_TASK struct task task = TASK_NONE;
	int ret = task_read(pid, &task);

	switch (ret) {
	case 0:
		if (!task_has_settings(&task.attr) ||
		    (path && !is_below(task.cgroup, path)))
			return 0;
		return tasks_add(tasks, &task);
	case -EPERM:
		tasks->hidden++;
		return 0;
	case -ESRCH:
	case -EINVAL:
		return 0;
	}
	return ret;
}

static int tasks_read(const char *path, struct tasks *tasks)
{
	AUTO_PROCESS_IDS struct process_ids ids = {};
	int ret = process_list(&ids);

	for (size_t i = 0; !ret && i < ids.count; i++)
		ret = look_at(ids.pids[i], path, tasks);
	return ret;
}

static int print_tasks_json(const struct tasks *tasks)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < tasks->count; i++) {
		const struct task *task = &tasks->items[i];
		const struct numab_attr *attr = &task->attr;
		struct numab_tuning values = task_values(attr);

		json_array_append_new(
			array,
			json_pack("{s:i, s:o, s:s, s:s, s:s, s:o, s:o, s:o}",
				  "pid", task->pid, "name",
				  json_text(task->name), "own",
				  numab_opinion_name(attr->mode), "cgroup_mode",
				  numab_opinion_name(attr->cgroup_mode),
				  "effective",
				  numab_opinion_name(attr->effective_mode),
				  "values", knob_values_json(&values), "cache",
				  hint_json(attr->cache), "cgroup",
				  json_text(task->cgroup)));
	}
	return print_json(json_pack("{s:i, s:o, s:I}", "version",
				    NUMAB_JSON_VERSION, "tasks", array,
				    "hidden", (json_int_t)tasks->hidden));
}

static int print_tasks(const struct tasks *tasks)
{
	static const char *const heads[] = { "PID",	  "NAME",   "OWN",
					     "EFFECTIVE", "VALUES", "CGROUP" };
	AUTO_TABLE struct table table = { .columns = COLUMNS, .left = COLUMNS };
	int ret;

	for (int i = 0; i < COLUMNS; i++)
		table_add(&table, "%s", heads[i]);
	for (size_t i = 0; i < tasks->count; i++) {
		const struct task *task = &tasks->items[i];
		AUTO_FREE char *name = text_printable(task->name);
		AUTO_FREE char *values = task_values_text(&task->attr);
		AUTO_FREE char *cgroup = NULL;

		if (task->cgroup)
			cgroup = text_printable(task->cgroup);
		table_add(&table, "%d", task->pid);
		table_add(&table, "%s", name ? name : "");
		table_add(&table, "%s", numab_opinion_name(task->attr.mode));
		table_add(&table, "%s",
			  numab_opinion_name(task->attr.effective_mode));
		table_add(&table, "%s", values ? values : "");
		table_add(&table, "%s", cgroup ? cgroup : "-");
	}
	ret = table_print(&table, stdout);
	return ret ? complain_errno("cannot print the list", ret) : EXIT_OK;
}

int list_tasks(const char *path, bool json)
{
	AUTO(tasks_release) struct tasks tasks = {};
	AUTO_REFUSAL struct refusal refusal = {};
	int ret = tasks_read(path, &tasks);

	if (ret) {
		refusal_of_task(&(struct task_wish){}, ret, &refusal);
		return complain(&refusal, "cannot list processes");
	}
	ret = json ? print_tasks_json(&tasks) : print_tasks(&tasks);
	if (tasks.hidden)
		fprintf(stderr,
			"numab: note: processes that you may not look at: %zu; "
			"run this as root\n",
			tasks.hidden);
	return ret;
}
