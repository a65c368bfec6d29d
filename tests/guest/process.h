/* SPDX-License-Identifier: GPL-2.0 */
/* A process's own settings, for tests: what /dev/numab says of a pid. */
#ifndef TESTS_GUEST_PROCESS_H
#define TESTS_GUEST_PROCESS_H

#include <sys/types.h>

#include "../../include/numab.h"

int pidfd_of(pid_t pid);

/* The attributes of a process; insists. */
struct numab_attr task_read(pid_t pid);

/* Write a mode, or attr's fields, to a process. 0 or -errno. */
int task_mode(pid_t pid, int mode);
int task_write(pid_t pid, struct numab_attr attr);

/*
 * The own mode of the calling process as an exit status: 0 to 3 and 255 for
 * inherit; with 16 added while it has a hot threshold of its own, and 32 with
 * a scan size; 254 when it cannot be read.
 */
int task_exit_status(void);

/* Exit with it; and the exit status of a child. */
int exit_with_mode(void *unused);
int exit_status_of(pid_t pid);

/* Wait until all entries are gone and nobody watches forks any more. */
void expect_no_tasks(void);

/* Wait until the kernel runs with a mode: a worker sees to it. */
void expect_running(int mode);

/* Run fn in a child as uid (and gid) and return its exit status. */
int as_user(unsigned int uid, int (*fn)(void *), void *arg);

/* A child that sleeps until it is killed. */
pid_t sleeper(void);
void kill_and_wait(pid_t pid);

#endif
