/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The two shapes of cgroup v2 statistics.
 *
 * flat-keyed, e.g. memory.stat:            "anon 4096\nfile 0\n"
 * by node, memory.numa_stat:               "anon N0=4096 N1=0\nfile N0=0 …\n"
 *
 * Keys and their order are never relied upon; a line that does not have the
 * shape is passed over, so that a newer kernel's additions do no harm.
 */
#ifndef NUMAB_FLAT_H
#define NUMAB_FLAT_H

#include "text.h"

struct flat_entry {
	struct span key;
	uint64_t value;
};

/* The next well-formed line after *cursor; false at the end of the text. */
bool flat_next(const char **cursor, struct flat_entry *ret_entry);

/* -ENOENT when there is no such key. */
int flat_find(const char *text, const char *key, uint64_t *ret_value);

/* Bytes for each node; entries up to count, those in seen were in the file. */
struct node_bytes {
	struct nodes seen;
	size_t count;
	uint64_t *bytes;
};

/*
 * Sum what balancing can move: the kinds anon and file. shmem is a part of
 * file, the LRU kinds count the same pages again, kernel memory does not
 * move. (A swap-cached anonymous page is in both for as long as the I/O.)
 * The caller frees ret_bytes->bytes.
 */
int numa_stat_parse(const char *text, struct node_bytes *ret_bytes);

#endif
