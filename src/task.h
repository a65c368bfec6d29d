/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process and its own settings, through /dev/numab (include/numab.h).
 * Errors: negative errno, as the device gives them. Nothing prints.
 */
#ifndef NUMAB_TASK_H
#define NUMAB_TASK_H

#include <stdbool.h>
#include <sys/types.h>

#include "cleanup.h"
#include "numab.h"
#include "tuning.h"

/* The kernel; a test puts its own functions here. */
struct task_calls {
	int (*open)(pid_t pid); /* a pidfd, or -errno */
	int (*get)(int pidfd, struct numab_attr *attr);
	int (*set)(struct numab_attr *attr);
};
extern struct task_calls task_calls;

struct task {
	pid_t pid;
	int pidfd;
	char *name;
	char *cgroup; /* as in cgroup.h; NULL: none that can be seen */
	struct numab_attr attr;
};

#define AUTO_TASK AUTO(task_release)
#define TASK_NONE ((struct task){ .pidfd = -1 })
void task_release(struct task *task);

/*
 * All about one process; none of it is another's that has its number now.
 * -ESRCH: gone, -EINVAL: a kernel thread, -EBADF: a thread of a process.
 */
int task_read(pid_t pid, struct task *ret_task);

/* Is it that there is no device here, loaded or not? */
bool task_error_is_no_device(int error);

bool task_has_settings(const struct numab_attr *attr);

/* Values of tuning in the interface's structure, and back. */
struct numab_tuning task_values(const struct numab_attr *attr);
void task_set_values(struct numab_attr *attr,
		     const struct numab_tuning *values);

/* "key=value,..." of those it has itself, "-" for none. The caller frees. */
char *task_values_text(const struct numab_attr *attr);

#endif
