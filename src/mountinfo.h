/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /proc/self/mountinfo: where cgroup v2 is mounted.
 */
#ifndef NUMAB_MOUNTINFO_H
#define NUMAB_MOUNTINFO_H

/*
 * The mount point of cgroup v2, which the caller frees. Several: the normal
 * place /sys/fs/cgroup, then the hybrid one /sys/fs/cgroup/unified, then the
 * first that shows the whole tree, then the first. -ENOENT: none.
 */
int mountinfo_find_cgroup2(const char *mountinfo, char **ret_path);

#endif
