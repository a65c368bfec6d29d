/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What numab keeps for a process's address space: an entry beside each
 * mm_struct that a gate needs to remember something of.
 *
 * Life: an entry comes with the first numab_space_get() and holds the
 * mm_struct (mmgrab(), so its address is not given to another), never its
 * memory: mm_users is an input of the kernel's own decisions. A worker drops
 * those whose last user is gone, about once a second while there are any.
 */
#ifndef NUMAB_SPACES_H
#define NUMAB_SPACES_H

#include <linux/mm_types.h>
#include <linux/types.h>

struct numab_promote;

struct numab_space {
	struct mm_struct *mm;
	struct numab_promote *promote; /* or NULL; its own file's */
	struct hlist_node node;
	struct hlist_node gone; /* while it is being dropped */
	struct hlist_node lifted_node;
	struct sched_cache_group *lifted; /* passes the check; see cache.c */
};

/*
 * The entry of an mm, or NULL. Under RCU, and valid until that ends; or, where
 * mm is current's own, as long as it is.
 */
struct numab_space *numab_space_find(struct mm_struct *mm);

/* The same, made if need be; NULL: no memory. mm has users. */
struct numab_space *numab_space_get(struct mm_struct *mm, gfp_t gfp);

/* Entries there are, for status: proves that nothing leaks. */
int numab_spaces_count(void);

/* Nothing is hooked any more. */
void numab_spaces_exit(void);

#endif
