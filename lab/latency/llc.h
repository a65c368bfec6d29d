/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Last-level caches, one a domain: set-associative, least recently used goes,
 * write-back, kept coherent. A line is in a cache shared (like memory), or
 * modified and then in no other cache.
 *
 * Nothing lies between a CPU and its last-level cache here: what would hit in
 * a first or second level counts as a hit too.
 *
 * All domains have the same geometry, so that a line has the same set number
 * in each: one lock for the sets of that number makes an access atomic. Callers
 * need no lock of their own.
 */
#ifndef LAB_LATENCY_LLC_H
#define LAB_LATENCY_LLC_H

#include <stdbool.h>
#include <stdint.h>

struct llc;

enum llc_result {
	LLC_HIT,
	LLC_MISS,     /* came from memory */
	LLC_TRANSFER, /* came from, or had to be taken from, another cache */
};

struct llc_access {
	unsigned int from;    /* LLC_TRANSFER: the other domain */
	unsigned int written; /* how many of written_line are lines written */
	uint64_t written_line[2]; /* back to memory */
};

struct llc *llc_new(unsigned int domains, unsigned int bytes, unsigned int ways,
		    unsigned int line);
void llc_free(struct llc *llc);

/* LINE is the address over the line's size. */
enum llc_result llc_access(struct llc *llc, unsigned int domain, uint64_t line,
			   bool write, struct llc_access *access);

/* Drop all, written back or not. */
void llc_flush(struct llc *llc);

#endif
