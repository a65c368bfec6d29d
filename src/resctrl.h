/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much of the last-level caches a process's data takes, where the hardware
 * counts that and resctrl is mounted. Only read. What is counted is a group of
 * resctrl's, of which the process may be one of many: see group.
 */
#ifndef NUMAB_RESCTRL_H
#define NUMAB_RESCTRL_H

#include <stddef.h>
#include <stdint.h>

#include "cleanup.h"

#define RESCTRL_DIR "/sys/fs/resctrl"

struct resctrl_cache {
	unsigned int id; /* the cache's, as in its directory's name */
	int64_t bytes;	 /* -1: not to be had now */
};

struct resctrl {
	char *group; /* path below the mount: "" is the root's */
	size_t count;
	struct resctrl_cache *caches; /* by id */
};

#define AUTO_RESCTRL AUTO(resctrl_release)
void resctrl_release(struct resctrl *resctrl);

/*
 * 0, -ENOENT (no resctrl, or nothing that counts), -ESRCH (no such process) or
 * -ENOMEM.
 */
int resctrl_read(int pid, struct resctrl *ret_resctrl);

#endif
