/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whose accesses they are. Each address space has an account; while a section
 * (see mark.h) is open in it, the section's account takes its place. One more
 * account, the machine's, takes everything.
 *
 * An address space is a page table's root (CR3). A root is used again after its
 * process ended, so an account may be that of several processes in a row, and a
 * process that ends inside a section leaves it to its successor: mark_end().
 *
 * Plugin version 1 cannot read CR3: there each CPU is one "space".
 *
 * A CPU's thread alone writes the numbers of that CPU; others read them at any
 * time and may see one number newer than the next.
 */
#ifndef LAB_LATENCY_ACCOUNT_H
#define LAB_LATENCY_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "mark.h"
#include "model.h"

/* By the node where the memory is. All but stall count; bytes are not here. */
struct tally {
	uint64_t reads, writes;
	uint64_t misses;    /* filled from the node's memory */
	uint64_t transfers; /* filled, or made writable, by another cache */
	uint64_t written;   /* lines written back to the node's memory */
	uint64_t stall_ps;  /* what misses and transfers cost */
};

struct account {
	struct tally tally[MAX_CPUS][MAX_NODES + 1];
	uint64_t instructions[MAX_CPUS]; /* of user mode, by whole blocks */
};

struct space {
	uint64_t root;
	struct account *own; /* NULL until something is counted */
	struct account *now; /* own, or a section's */
};

struct account *account_machine(void);
struct account *account_section(unsigned int section);

/* True once the section was entered. */
bool account_section_used(unsigned int section);

/* The space of a root. Where there are too many, one stands for the rest. */
struct space *account_space(uint64_t root);

/* Section 0 closes. */
void account_enter(struct space *space, unsigned int section);

/* The account to count in. NULL: out of memory. */
struct account *account_of(struct space *space);

/* The spaces that have an account of their own, largest stall first. */
unsigned int account_spaces(struct space **spaces, unsigned int max);

/* How many roots came after the table was full. */
unsigned int account_overflow(void);

/* Sum over the CPUs. */
struct tally account_sum(const struct account *account, unsigned int node);

#endif
