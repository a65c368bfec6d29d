/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What /proc says about a process. Errors: negative errno; outputs are left
 * alone on failure. Nothing prints.
 */
#ifndef NUMAB_PROCESS_H
#define NUMAB_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A process id as a person writes it; -EINVAL. */
int process_parse_pid(const char *text, pid_t *ret_pid);

/* Its name, never NULL but when out of memory; the caller frees. */
char *process_name(pid_t pid);

/*
 * Its cgroup of version 2, a path as in cgroup.h, which the caller frees.
 * -ENOENT: it has none, -EXDEV: it is outside of the cgroup namespace.
 */
int process_cgroup(pid_t pid, char **ret_path);
int process_parse_cgroup(const char *text, char **ret_path);

/* The process that a thread belongs to; 0 where that is not known. */
pid_t process_of_thread(pid_t tid);
pid_t process_parse_tgid(const char *text);

/* All process ids, in ascending order. */
struct process_ids {
	size_t count, size;
	pid_t *pids;
};

#define AUTO_PROCESS_IDS AUTO(process_ids_release)
void process_ids_release(struct process_ids *ids);
int process_list(struct process_ids *ret_ids);

#endif
