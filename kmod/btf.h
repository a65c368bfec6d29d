/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read the running kernel's type information (BTF), enough to check that a
 * function still has the prototype and a struct member the place that the
 * module was built for.
 *
 * It reads the raw section, whose format is stable, and not through the
 * kernel's own BTF functions: those are not exported, and calling them before
 * their prototypes are verified is what this file exists to avoid.
 *
 * Pure: no allocation, no locks, nothing kept but pointers into the caller's
 * memory. The host's tests and a fuzzer compile this file too.
 */
#ifndef NUMAB_BTF_H
#define NUMAB_BTF_H

#ifdef __KERNEL__
#include <linux/types.h>
typedef u32 numab_u32;
#else
#include <stddef.h>
#include <stdint.h>
typedef uint32_t numab_u32;
#endif

struct numab_btf {
	const char *types;   /* first type record (type id 1) */
	size_t types_len;    /* bytes */
	const char *strings; /* string section, NUL terminated */
	size_t strings_len;  /* bytes */
	numab_u32 nr_types;  /* types there are: ids 1 to nr_types */
	numab_u32 *offsets;  /* caller's memory: byte offset by id - 1 */
};

/*
 * Check the header and walk the types once. btf->offsets is NULL afterwards.
 * Returns 0, -EINVAL (not BTF, or torn) or -EOPNOTSUPP (an unknown kind of
 * type, whose size nobody can know).
 */
int numab_btf_open(struct numab_btf *btf, const void *data, size_t len);

/* Fill the index; offsets has room for btf->nr_types, the caller frees it. */
void numab_btf_index(struct numab_btf *btf, numab_u32 *offsets);

/*
 * Write the prototype of a function as C writes it without names, such as
 * "void (struct callback_head *)". A typedef for a pointer to a function
 * will do as well: that is what describes a tracepoint's callback. Returns 0,
 * -ENOENT (no such function), -ENOSPC (buf too small) or -EINVAL (torn).
 */
int numab_btf_prototype(const struct numab_btf *btf, const char *function,
			char *buf, size_t len);

/*
 * The offset of a member in bytes, also of one inside an anonymous struct or
 * union. Returns it, -ENOENT (no such struct or member) or -EINVAL (torn, or
 * a bit field).
 */
long numab_btf_member(const struct numab_btf *btf, const char *type,
		      const char *member);

/* The first bit of a bit field, else as numab_btf_member(). */
long numab_btf_bit(const struct numab_btf *btf, const char *type,
		   const char *member);

/* The size of a struct in bytes, or -ENOENT. */
long numab_btf_size(const struct numab_btf *btf, const char *type);

/* The id of a function, as BPF programs name what they attach to; or -ENOENT. */
long numab_btf_function(const struct numab_btf *btf, const char *function);

#endif
