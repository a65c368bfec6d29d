/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cache-aware scheduling gathers the threads of a process on the CPUs of one
 * last-level cache (LLC). Here is decided whether a process may be gathered:
 * by what it holds, by the size of the cache, and by what its cgroup or the
 * process itself asks for.
 *
 * Pure: no locking, callers pass copies. Sizes are in pages or bytes, as said.
 * Errors: negative errno.
 */
#ifndef NUMAB_DECIDE_CACHE_H
#define NUMAB_DECIDE_CACHE_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#endif

/*
 * What one place (a cgroup's file, a task's own setting) asks for: one of
 * these, or a tolerance of its own in place of the kernel's aggr_tolerance.
 */
#ifndef NUMAB_CACHE_ALWAYS	/* as in ../include/numab.h */
#define NUMAB_CACHE_ALWAYS (-3) /* gather, whatever its size */
#define NUMAB_CACHE_NEVER  (-2) /* do not gather */
#define NUMAB_CACHE_AUTO   (-1) /* nothing: ask the next place up */
#endif
#define NUMAB_TOLERANCE_MAX 100

/* Is it one of these at all? */
bool numab_cache_is_valid(int value);

/*
 * What holds where the nearer and the farther place come together: never wins
 * over everything, else the nearer one that asks for something.
 */
int numab_cache_meet(int near, int far);

/*
 * May it be written without CAP_SYS_NICE, where base holds without it and the
 * kernel's tolerance is as given? What gathers less may always, and auto;
 * gathering more makes the kernel's own check pass, which is hooked for
 * everyone then.
 */
bool numab_cache_is_free(int value, int base, unsigned int tolerance);

/* Does it let more pass than the kernel's own check does? */
bool numab_cache_lifts(int value, unsigned int tolerance);

/*
 * Parse auto, never, always or a number from 0 to 100, with white space around
 * it. Returns 0 or -EINVAL, and then leaves *ret_value alone. buf need not be
 * terminated; a NUL inside is an error.
 */
int numab_cache_parse(const char *buf, size_t len, int *ret_value);

/* The word for it, or NULL for a number. */
const char *numab_cache_word(int value);

/* What is known of a process at the moment of the decision. */
struct numab_cache_facts {
	unsigned long footprint; /* pages: the kernel's estimate, by sweep */
	unsigned long in_sweep;	 /* pages faulted since, in this sweep */
	unsigned long rss;	 /* pages */
	unsigned long llc;	 /* bytes; 0: unknown */
	unsigned long page_size; /* bytes */
	unsigned int tolerance;	 /* the kernel's aggr_tolerance */
	bool estimated;		 /* a sweep was completed, faults are counted */
	int asked;		 /* what holds of all places; see above */
};

/* The reasons, in the order in which they are looked for. */
enum numab_cache_verdict {
	CACHE_NEVER,	      /* no: a place says never */
	CACHE_ALWAYS,	      /* yes: a place says always */
	CACHE_NO_TOLERANCE,   /* no: tolerance 0 */
	CACHE_ANY_TOLERANCE,  /* yes: tolerance 100, sizes do not count */
	CACHE_SIZE_UNKNOWN,   /* yes: nothing to compare with */
	CACHE_RSS_FITS,	      /* yes: so whatever it uses does */
	CACHE_RSS_EXCEEDS,    /* no: there is no estimate, and it might not */
	CACHE_FOOTPRINT_FITS, /* yes: by the estimate */
	CACHE_FOOTPRINT_EXCEEDS, /* no */
	NR_CACHE_VERDICTS,
};

/*
 * Without an estimate a process is gathered only if all of its memory fits.
 * With one, its pages are those of the estimate and of the faults that came in
 * since, but never more than it has.
 */
enum numab_cache_verdict numab_cache_decide(const struct numab_cache_facts *f);

/* May it be gathered, by this verdict? */
bool numab_cache_gathers(enum numab_cache_verdict verdict);

/* The same in words that finish "... because"; never NULL. */
const char *numab_cache_reason(enum numab_cache_verdict verdict);

/* The name of a verdict in files, or "unknown"; and back, or -EINVAL. */
const char *numab_cache_verdict_name(int verdict);
int numab_cache_verdict_find(const char *name);

/*
 * Would the kernel's own check refuse it, as it knows only its footprint and
 * its tolerance, and looks only while balancing runs?
 */
bool numab_cache_kernel_refuses(const struct numab_cache_facts *f,
				bool balancing);

/*
 * How many bytes fit at a tolerance: the kernel's formula, llc * (1 +
 * (tolerance - 1) * 256), for tolerances from 1 to 99.
 */
unsigned long long numab_cache_bound(unsigned long llc, unsigned int tolerance);

/* Sizes that a last-level cache does not have are taken for unknown. */
bool numab_cache_is_plausible(unsigned long llc);

#endif
