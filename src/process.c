// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cgroup.h"
#include "process.h"
#include "text.h"

int process_parse_pid(const char *text, pid_t *ret_pid)
{
	struct span span = { text, strlen(text) };
	uint64_t pid;

	if (text_parse_u64(span, &pid) || !pid || pid > INT_MAX)
		return -EINVAL;
	*ret_pid = pid;
	return 0;
}

static int read_file(pid_t pid, const char *file, struct fs_text *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	return fs_read(path, text);
}

char *process_name(pid_t pid)
{
	AUTO_TEXT struct fs_text text = {};

	if (read_file(pid, "comm", &text))
		return strdup("?");
	text_chomp(text.data);
	return take_ptr(text.data);
}

/* A name of the system may hold a line end: the kernel writes it as \012. */
int process_parse_cgroup(const char *text, char **ret_path)
{
	struct span line;

	while (text_next_line(&text, &line)) {
		AUTO_FREE char *path = NULL;

		if (line.len < 4 || memcmp(line.start, "0::/", 4))
			continue;
		path = text_copy((struct span){ line.start + 3, line.len - 3 });
		if (!path)
			return -ENOMEM;
		/* Also turns "/../x", of another namespace, into -EXDEV. */
		return cgroup_parse_name("/", path, ret_path);
	}
	return -ENOENT;
}

int process_cgroup(pid_t pid, char **ret_path)
{
	AUTO_TEXT struct fs_text text = {};
	int ret = read_file(pid, "cgroup", &text);

	return ret ? ret : process_parse_cgroup(text.data, ret_path);
}

pid_t process_parse_tgid(const char *text)
{
	struct span line, word;
	uint64_t pid;

	while (text_next_line(&text, &line)) {
		if (!text_next_word(&line, &word) ||
		    !text_equals(word, "Tgid:"))
			continue;
		if (!text_next_word(&line, &word) ||
		    text_parse_u64(word, &pid) || pid > INT_MAX)
			return 0;
		return pid;
	}
	return 0;
}

pid_t process_of_thread(pid_t tid)
{
	AUTO_TEXT struct fs_text text = {};

	return read_file(tid, "status", &text) ? 0 :
						 process_parse_tgid(text.data);
}

void process_ids_release(struct process_ids *ids)
{
	free(ids->pids);
	memset(ids, 0, sizeof(*ids));
}

static int add_id(struct process_ids *ids, pid_t pid)
{
	if (ids->count == ids->size) {
		size_t size = ids->size ? 2 * ids->size : 256;
		pid_t *grown = reallocarray(ids->pids, size, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		ids->pids = grown;
		ids->size = size;
	}
	ids->pids[ids->count++] = pid;
	return 0;
}

static int compare_ids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

int process_list(struct process_ids *ret_ids)
{
	AUTO_PROCESS_IDS struct process_ids ids = {};
	AUTO_CLOSEDIR DIR *list = NULL;
	AUTO_CLOSE int dir = fs_open_dir("/proc");
	struct dirent *entry;
	pid_t pid;
	int ret;

	if (dir < 0)
		return dir;
	ret = fs_list_at(dir, &list);
	while (!ret && (entry = readdir(list)))
		if (!process_parse_pid(entry->d_name, &pid))
			ret = add_id(&ids, pid);
	if (ret)
		return ret;
	if (ids.count)
		qsort(ids.pids, ids.count, sizeof(*ids.pids), compare_ids);
	*ret_ids = ids;
	memset(&ids, 0, sizeof(ids));
	return 0;
}
