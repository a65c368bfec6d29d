/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Is a mapping (VMA) looked at by a placement scan? The rules are the stock
 * kernel's, stated over plain facts, so that a scan of our own treats a
 * workload's memory as the kernel's own scan would.
 *
 * Pure: no locking, no errors.
 */
#ifndef NUMAB_DECIDE_VMA_H
#define NUMAB_DECIDE_VMA_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#endif

enum numab_vma_verdict {
	VMA_SCANNED,
	VMA_UNSUITABLE,	    /* cannot migrate, or its policy forbids it */
	VMA_READ_ONLY_FILE, /* shared text and data: left where it is */
	VMA_INACCESSIBLE,   /* a hint entry would look like its own PROT_NONE */
	VMA_NEW,	    /* short-lived mappings are not worth a scan */
	VMA_COMPLETED,	    /* its turn in this sweep is over */
	VMA_INACTIVE,	    /* the scanning thread did not touch it lately */
};

struct numab_vma_facts {
	bool suitable;	     /* migratable, movable by policy, no hugetlb */
	bool read_only_file; /* backed by a file, readable, not writable */
	bool accessible;     /* any of read, write, execute */
	bool too_new;	     /* its first sweep is over, its delay is not */
	bool completed;	     /* scanned to its end in this sweep */
	bool touched;	     /* see numab_vma_is_touched() */
};

static inline enum numab_vma_verdict numab_vma_verdict(
	struct numab_vma_facts facts)
{
	if (!facts.suitable)
		return VMA_UNSUITABLE;
	if (facts.read_only_file)
		return VMA_READ_ONLY_FILE;
	if (!facts.accessible)
		return VMA_INACCESSIBLE;
	if (facts.too_new)
		return VMA_NEW;
	if (facts.completed)
		return VMA_COMPLETED;
	return facts.touched ? VMA_SCANNED : VMA_INACTIVE;
}

/*
 * A mapping counts as touched in its first two sweeps, then when a hint fault
 * of this thread was seen in it, when the walk stopped inside it (whoever
 * began it), and in any case when it was left out for more sweeps than the
 * process has threads.
 */
static inline bool numab_vma_is_touched(int sweeps_of_age, bool fault_seen,
					bool unfinished, int sweeps_left_out,
					int threads)
{
	return sweeps_of_age < 2 || fault_seen || unfinished ||
	       sweeps_left_out > threads;
}

#endif
