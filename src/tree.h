/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cgroup tree with what numab and the kernel count in it: one walk, one
 * row for each cgroup, in the order of their names. Nothing prints.
 */
#ifndef NUMAB_TREE_H
#define NUMAB_TREE_H

#include "flat.h"
#include "fs.h"
#include "knob.h"

/* What is of interest in memory.stat; tree_memory_keys[] has the names. */
enum memory_key {
	MEMORY_MARKED,
	MEMORY_FAULTS,
	MEMORY_MIGRATED,
	MEMORY_PROMOTED,
	MEMORY_KEYS
};

extern const char *const tree_memory_keys[MEMORY_KEYS];

/* The bits of row.has: what the cgroup's files say. */
enum row_field {
	ROW_CPU = 1 << 0, /* the cpu controller */
	ROW_MODE = 1 << 1,
	ROW_EFFECTIVE = 1 << 2,
	ROW_MEMORY_STAT = 1 << 3,
	ROW_NODE_BYTES = 1 << 4,
};

struct row {
	unsigned int has;
	unsigned int has_memory; /* bits 1 << enum memory_key */
	char *path;
	int opinion, effective;
	bool policies;
	char *stat; /* cpu.numab.stat as it was read; NULL: no such file */
	uint64_t memory[MEMORY_KEYS];
	struct node_bytes nodes;
	struct knobs knobs; /* with TREE_TUNING */
};

struct tree {
	size_t count, size;
	struct row *rows;
	size_t unreadable; /* cgroups that could not be looked into */
};

#define AUTO_TREE AUTO(tree_release)
void tree_release(struct tree *tree);

/* What else to read than the counters of cgroups with the cpu controller. */
enum tree_want {
	TREE_ALL = 1 << 0, /* also the root and cgroups without it */
	TREE_TUNING = 1 << 1,
};

/*
 * The cgroup at the open directory dir, called path, and all below. Cgroups
 * that go away meanwhile are left out. Negative errno: out of memory, or dir
 * is not readable.
 */
int tree_read(int dir, const char *path, unsigned int want,
	      struct tree *ret_tree);

/* Scans not done, for whatever reason: the sum of scans_skipped_*. */
uint64_t tree_sum_skipped(const char *stat);

#endif
