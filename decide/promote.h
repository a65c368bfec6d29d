/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scans for promotion only: what a process's extra walk looks at, how much of
 * it in a scan period, in which order, and what it marks.
 *
 * The kernel's filters spare memory that task placement has no use for, and so
 * keep what lies there on a slow node from ever being promoted. The walk goes
 * where they do not let the kernel's scan go, and marks nothing but memory on
 * slow nodes.
 *
 * Order. A mapping is cut into stripes of one length, the quantum. In a round,
 * each mapping has one stripe looked at: in round r, that of number r modulo
 * the mapping's number of stripes. So nothing needs to be remembered for a
 * mapping, and each one is looked at completely in as many rounds as it has
 * stripes, whatever the size of the others. A pass, of which there is one in a
 * scan period, affords k = budget / quantum stripes (8 where the scan size is
 * not tiny), so with m mappings a round takes no more than m / k + 1 passes,
 * and a mapping of s stripes no more than s times that.
 *
 * Pure: no locking, no errors. Addresses and lengths are in bytes.
 */
#ifndef NUMAB_DECIDE_PROMOTE_H
#define NUMAB_DECIDE_PROMOTE_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#endif

/* What the kernel must not split: everything is aligned to huge pages. */
#define NUMAB_PROMOTE_ALIGN (2UL << 20)

/* Quanta in a pass. */
#define NUMAB_PROMOTE_STRIPES 8

/*
 * Address space without pages costs little: a pass goes over this many times
 * its budget of it (as the kernel's scan does). A mapping that is only judged
 * costs some of that, too.
 */
#define NUMAB_PROMOTE_SPARSE	8
#define NUMAB_PROMOTE_JUDGEMENT (32UL << 10)

/*
 * A sweep of the kernel's that takes longer than so many passes no longer
 * counts as looking after a mapping.
 */
#define NUMAB_PROMOTE_SWEEP 8

/*
 * A stripe in which nothing was found is left out for the next pass, if its
 * turn comes again that soon; then always for 3.
 */
#define NUMAB_PROMOTE_QUIET 2

enum numab_promote_verdict {
	PROMOTE_WALK,
	PROMOTE_UNSUITABLE,   /* cannot migrate, or its policy forbids it */
	PROMOTE_INACCESSIBLE, /* a hint entry would look like its own PROT_NONE */
	PROMOTE_PLACED,	      /* the kernel's own scan looks after it */
};

struct numab_promote_vma {
	bool suitable;	     /* migratable, movable by policy, no hugetlb */
	bool accessible;     /* any of read, write, execute */
	bool read_only_file; /* never scanned for placement */
	int left_out;	     /* sweeps since the kernel's scan finished it */
	unsigned int passes; /* that the kernel's present sweep has taken */
};

/*
 * The kernel's scan looks after a mapping that it finished in this sweep or
 * the one before, as long as sweeps are short. (A mapping it has not seen yet
 * counts as left out once.)
 */
static inline enum numab_promote_verdict numab_promote_verdict(
	struct numab_promote_vma vma)
{
	if (!vma.suitable)
		return PROMOTE_UNSUITABLE;
	if (!vma.accessible)
		return PROMOTE_INACCESSIBLE;
	if (vma.read_only_file)
		return PROMOTE_WALK;
	if (vma.left_out >= 0 && vma.left_out < 2 &&
	    vma.passes < NUMAB_PROMOTE_SWEEP)
		return PROMOTE_PLACED;
	return PROMOTE_WALK;
}

struct numab_promote_folio {
	bool special;  /* of a device, or shared by content: never marked */
	bool top_tier; /* where it is */
	bool tiering;  /* task and folio want promotion */
	bool pinned;   /* for direct access: cannot migrate */
	bool dirty;    /* and of a file: would not migrate */
	bool local;    /* its only user runs on its node */
};

/*
 * Mark a mapping of a folio on a slow node? As the kernel would, but also of
 * one that is shared copy on write: placing it for one of its users makes no
 * sense, promoting it for all does.
 */
static inline bool numab_promote_marks(struct numab_promote_folio f)
{
	return f.tiering && !f.top_tier && !f.special && !f.pinned &&
	       !f.dirty && !f.local;
}

/* How much memory a pass looks at: a share (in per cent) of the scan size. */
static inline unsigned long numab_promote_budget(unsigned int scan_size_mb,
						 unsigned int share)
{
	unsigned long budget =
		((unsigned long)scan_size_mb << 20) * share / 100;

	budget -= budget % NUMAB_PROMOTE_ALIGN;
	if (!scan_size_mb || !share)
		return 0;
	return budget ? budget : NUMAB_PROMOTE_ALIGN;
}

static inline unsigned long numab_promote_quantum(unsigned long budget)
{
	unsigned long quantum = budget / NUMAB_PROMOTE_STRIPES;

	quantum -= quantum % NUMAB_PROMOTE_ALIGN;
	return quantum ? quantum : NUMAB_PROMOTE_ALIGN;
}

struct numab_stripe {
	unsigned long start;
	unsigned long end;
	unsigned long of; /* stripes of the whole mapping */
};

/* The stripe of a mapping whose turn it is. start < end. */
struct numab_stripe numab_promote_stripe(unsigned long start, unsigned long end,
					 unsigned long quantum,
					 unsigned long round);

/* Where a process's walk is, between passes. All 0 at first. */
struct numab_promote_place {
	unsigned long at;    /* the round goes on from this address */
	unsigned long round; /* complete rounds */
	unsigned short pass; /* the number of the pass */
};

/* What is left to a pass. */
struct numab_promote_pass {
	unsigned long quantum;
	long budget;	     /* of memory */
	long sparse;	     /* of address space */
	unsigned long began; /* the address at which it did */
	unsigned long wraps; /* times that it came to the last mapping */
	bool visited;	     /* a mapping, since the last of these */
};

void numab_promote_begin(struct numab_promote_pass *pass, unsigned long budget,
			 struct numab_promote_place place);

/* A mapping is judged. False when the pass ends, there. */
bool numab_promote_charge_judgement(struct numab_promote_pass *pass);

/* Is there enough left to look at a stripe of this length? */
static inline bool numab_promote_affords(const struct numab_promote_pass *pass,
					 unsigned long length)
{
	return pass->budget >= (long)length && pass->sparse >= (long)length;
}

/* A stripe was looked at; there was so much memory in it, at most length. */
void numab_promote_charge(struct numab_promote_pass *pass, unsigned long length,
			  unsigned long memory);

/*
 * Has every stripe of a mapping had its turn in this pass? What is left of the
 * budget after a round is for mappings with more.
 */
static inline bool numab_promote_is_done(const struct numab_promote_pass *pass,
					 unsigned long start,
					 unsigned long stripes)
{
	return stripes + (start < pass->began) <= pass->wraps;
}

/*
 * The walk came to the last mapping. Begin the next round; false when the pass
 * ends, since in a whole round no mapping was visited.
 */
bool numab_promote_wrap(struct numab_promote_pass *pass,
			struct numab_promote_place *place);

/* What is remembered of a stripe without anything to promote. */
struct numab_quiet {
	unsigned int stripe;  /* which; 0 is none */
	unsigned short pass;  /* the number of the last in which it was seen */
	unsigned short empty; /* times that nothing was found, at most ... */
};

/* Is a stripe to be left out in the pass of this number? */
static inline bool numab_quiet_skips(struct numab_quiet quiet,
				     unsigned int stripe, unsigned short pass)
{
	return quiet.stripe == stripe &&
	       (unsigned short)(pass - quiet.pass) < 1 << quiet.empty;
}

/* A stripe was looked at; found: there was something to promote. */
void numab_quiet_note(struct numab_quiet *quiet, unsigned int stripe,
		      unsigned short pass, bool found);

#endif
