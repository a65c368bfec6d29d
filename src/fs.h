/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only way to the files of the system. Paths are absolute; a test puts
 * a tree of its own in front of them with fs_set_root().
 *
 * Nothing follows a symbolic link in the last component below an open
 * directory, nothing creates a file. Errors: negative errno.
 */
#ifndef NUMAB_FS_H
#define NUMAB_FS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cleanup.h"

/* What a file held, always terminated. Reused from one read to the next. */
struct fs_text {
	char *data;
	size_t len, size;
};

#define AUTO_TEXT AUTO(fs_text_release)
void fs_text_release(struct fs_text *text);

/* Not copied: root must outlive every use. NULL is the system itself. */
void fs_set_root(const char *root);

bool fs_exists(const char *path);
int fs_read(const char *path, struct fs_text *text);
int fs_read_at(int dir, const char *name, struct fs_text *text);

/* One line or value, without the white space at its end; the caller frees. */
int fs_read_word(const char *path, char **ret_word);
int fs_read_u64(const char *path, uint64_t *ret_value);

/* A number where -1 says that there is none, or none that can be read. */
int64_t fs_read_number(const char *path);

/* In one write(2), so that the kernel sees all of it or nothing. */
int fs_write_at(int dir, const char *name, const char *text);

/* Directories: for walking from (no read permission needed) or for listing. */
int fs_open_dir(const char *path);
int fs_open_dir_at(int dir, const char *name);
int fs_list_at(int dir, DIR **ret_dir);

#endif
