/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cgroups (v2) by name, and how to get at their files without leaving the
 * tree: a name is taken apart here, ".." is resolved or refused, and the
 * walk opens one directory after the other and follows no symbolic link.
 *
 * A path of a cgroup begins with "/", the root of the tree, which is the
 * only one that ends with it.
 *
 * Errors: negative errno; outputs are left alone on failure. Nothing prints.
 */
#ifndef NUMAB_CGROUP_H
#define NUMAB_CGROUP_H

#include <stdbool.h>

#include "fs.h"

#define CGROUP_MODE	 "cpu.numab.mode"
#define CGROUP_EFFECTIVE "cpu.numab.effective"
#define CGROUP_STAT	 "cpu.numab.stat"

/* Where cgroup v2 is mounted; -ENOENT: nowhere. The caller frees. */
int cgroup_find_mount(char **ret_mount);

/*
 * The path of a cgroup from what a person wrote: a directory below the mount
 * (/sys/fs/cgroup/a/b), a path as in /proc/PID/cgroup (/a/b), or one relative
 * to the root of the tree (a/b). -EXDEV: ".." leads out of the tree; -EINVAL:
 * empty. The caller frees.
 */
int cgroup_parse_name(const char *mount, const char *name, char **ret_path);

bool cgroup_is_root(const char *path);

/* The path of the cgroup above, cut in place; the root's is the root. */
void cgroup_cut_to_parent(char *path);

/*
 * A directory to read and write the cgroup's files from. On -ENOENT (and
 * -ENOTDIR, -ELOOP) *ret_nearest, if asked for, is the path of the deepest
 * one that exists; the caller frees it.
 */
int cgroup_open(const char *mount, const char *path, char **ret_nearest);

/* Whether the file names the controller; absent or unreadable: it does not. */
bool cgroup_lists_controller(int dir, const char *file, const char *name);

/* The opinion in a cgroup's file: -ENOENT without one, -EINVAL for rubbish. */
int cgroup_read_opinion(int dir, int *ret_opinion);

/* The effective mode, and whether BPF policies took part. */
int cgroup_read_effective(int dir, int *ret_mode, bool *ret_policies);
int cgroup_parse_effective(const char *text, int *ret_mode, bool *ret_policies);

#endif
