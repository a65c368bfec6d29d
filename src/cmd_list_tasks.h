/* SPDX-License-Identifier: GPL-2.0 */
/* numab list --tasks: processes with settings of their own. */
#ifndef NUMAB_CMD_LIST_TASKS_H
#define NUMAB_CMD_LIST_TASKS_H

#include <stdbool.h>

/*
 * Those in the cgroup called path (as in cgroup.h) or below it; NULL: all.
 * Returns an exit code.
 */
int list_tasks(const char *path, bool json);

#endif
