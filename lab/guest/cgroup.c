// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup.h"

void die(const char *fmt, ...)
{
	int err = errno;
	va_list args;

	fflush(stdout);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, ": %s\n", strerror(err));
	exit(1);
}

int file_write(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;
	int err;

	if (fd < 0)
		return -errno;
	n = write(fd, data, len);
	err = n < 0 ? -errno : 0;
	close(fd);
	return err;
}

int file_read(const char *path, char *buf, size_t len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t n = 0;

	if (fd < 0)
		return -errno;
	while (used < len - 1 && (n = read(fd, buf + used, len - 1 - used)) > 0)
		used += n;
	close(fd);
	if (n < 0)
		return -EIO;
	if (used && buf[used - 1] == '\n')
		used--;
	buf[used] = '\0';
	return 0;
}

long long file_number(const char *path)
{
	char text[64];
	char *end;
	long long value;
	int err = file_read(path, text, sizeof(text));

	if (err) {
		errno = -err;
		die("cannot read %s", path);
	}
	value = strtoll(text, &end, 0);
	if (end == text) {
		errno = EINVAL;
		die("%s holds \"%s\", not a number", path, text);
	}
	return value;
}

static void path_of(char *path, const char *cgroup, const char *file)
{
	int n = snprintf(path, PATH_MAX, CGROUP_MOUNT "/%s/%s", cgroup, file);

	if (n >= PATH_MAX) {
		errno = ENAMETOOLONG;
		die("cgroup %s", cgroup);
	}
}

void cgroup_make(const char *cgroup)
{
	char path[PATH_MAX], parent[PATH_MAX];
	char *slash;
	int err;

	snprintf(parent, sizeof(parent), "%s", cgroup);
	slash = strrchr(parent, '/');
	if (slash) {
		*slash = '\0';
		path_of(path, parent, "");
		if (access(path, F_OK))
			cgroup_make(parent);
		err = cgroup_write(parent, "cgroup.subtree_control",
				   "+cpu +memory");
		if (err) {
			errno = -err;
			die("cannot enable cpu and memory below %s", parent);
		}
	}
	path_of(path, cgroup, "");
	if (mkdir(path, 0755) && errno != EEXIST)
		die("cannot make cgroup %s", cgroup);
}

int cgroup_remove(const char *cgroup)
{
	char path[PATH_MAX];

	path_of(path, cgroup, "");
	return rmdir(path) ? -errno : 0;
}

int cgroup_write(const char *cgroup, const char *file, const char *text)
{
	char path[PATH_MAX];

	path_of(path, cgroup, file);
	return file_write(path, text, strlen(text));
}

void cgroup_read(const char *cgroup, const char *file, char *buf, size_t len)
{
	char path[PATH_MAX];
	int err;

	path_of(path, cgroup, file);
	err = file_read(path, buf, len);
	if (err) {
		errno = -err;
		die("cannot read %s", path);
	}
}

bool cgroup_has(const char *cgroup, const char *file)
{
	char path[PATH_MAX];

	path_of(path, cgroup, file);
	return !access(path, F_OK);
}

void cgroup_join(const char *cgroup, pid_t pid)
{
	char text[32];
	int err;

	snprintf(text, sizeof(text), "%d", pid);
	err = cgroup_write(cgroup, "cgroup.procs", text);
	if (err) {
		errno = -err;
		die("cannot move %d to cgroup %s", pid, cgroup);
	}
}

long long cgroup_value(const char *cgroup, const char *file, const char *key)
{
	static char text[65536];
	size_t len = strlen(key);
	char *line, *next;

	cgroup_read(cgroup, file, text, sizeof(text));
	for (line = text; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			next++;
		if (!strncmp(line, key, len) && line[len] == ' ')
			return strtoll(line + len, NULL, 10);
	}
	errno = ENOENT;
	die("%s of cgroup %s has no %s", file, cgroup, key);
}

double cgroup_node_mb(const char *cgroup, int node)
{
	static char text[65536];
	char label[16], *line, *next;
	double bytes = 0;

	snprintf(label, sizeof(label), " N%d=", node);
	cgroup_read(cgroup, "memory.numa_stat", text, sizeof(text));
	for (line = text; line; line = next) {
		char *at;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (strncmp(line, "anon ", 5) && strncmp(line, "file ", 5))
			continue;
		at = strstr(line, label);
		if (at)
			bytes += strtoll(at + strlen(label), NULL, 10);
	}
	return bytes / (1 << 20);
}
