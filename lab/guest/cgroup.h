/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cgroups and their files, for programs that run inside the lab's machines.
 * A cgroup is named by its path below the mount, such as "web" or "web/db".
 * Where nothing else is said, failures end the program with a message: inside
 * a test machine there is nobody to handle them.
 */
#ifndef LAB_GUEST_CGROUP_H
#define LAB_GUEST_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define CGROUP_MOUNT "/sys/fs/cgroup"

/* Print a message with errno's text and exit with status 1. */
void die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Write a whole file. 0 or negative errno. */
int file_write(const char *path, const void *data, size_t len);

/* Read it into buf as a string, the last newline removed. 0 or -errno. */
int file_read(const char *path, char *buf, size_t len);

/* The number in a file; dies without one. */
long long file_number(const char *path);

/* Make a cgroup, with cpu and memory enabled all the way down to it. */
void cgroup_make(const char *cgroup);

/* Remove it once it is empty. 0 or -errno. */
int cgroup_remove(const char *cgroup);

/* Write to one of its files. 0 or negative errno. */
int cgroup_write(const char *cgroup, const char *file, const char *text);

/* Its file as a string; dies where there is none. */
void cgroup_read(const char *cgroup, const char *file, char *buf, size_t len);

bool cgroup_has(const char *cgroup, const char *file);

/* Move a process into it. */
void cgroup_join(const char *cgroup, pid_t pid);

/* A value of a flat-keyed file such as memory.stat; dies without the key. */
long long cgroup_value(const char *cgroup, const char *file, const char *key);

/* MB of anonymous and file memory on a node (memory.numa_stat). */
double cgroup_node_mb(const char *cgroup, int node);

#endif
