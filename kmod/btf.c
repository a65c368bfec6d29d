// SPDX-License-Identifier: GPL-2.0
#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#else
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#endif

#include "btf.h"

/*
 * The format, from the documentation of BTF (Documentation/bpf/btf.rst). The
 * wide fields of 7.x are used for every kernel: older ones keep those bits 0.
 */
enum {
	MAGIC = 0xeb9f,
	HEADER_MIN = 24, /* bytes, up to and with str_len */

	KIND_INT = 1,
	KIND_PTR,
	KIND_ARRAY,
	KIND_STRUCT,
	KIND_UNION,
	KIND_ENUM,
	KIND_FWD,
	KIND_TYPEDEF,
	KIND_VOLATILE,
	KIND_CONST,
	KIND_RESTRICT,
	KIND_FUNC,
	KIND_FUNC_PROTO,
	KIND_VAR,
	KIND_DATASEC,
	KIND_FLOAT,
	KIND_DECL_TAG,
	KIND_TYPE_TAG,
	KIND_ENUM64,
	NR_KINDS,

	DEPTH_MAX = 16,	   /* pointers and modifiers of one type name */
	STRUCTS_MAX = 256, /* anonymous structs and unions inside one struct */
	NESTING_MAX = 8,   /* of those inside each other: bounds the stack */
};

struct header {
	unsigned short magic;
	unsigned char version;
	unsigned char flags;
	numab_u32 hdr_len;
	numab_u32 type_off; /* from the end of the header */
	numab_u32 type_len;
	numab_u32 str_off;
	numab_u32 str_len;
};

struct type {
	numab_u32 name; /* offset into the strings */
	numab_u32 info; /* count, kind, flag */
	numab_u32 size; /* or the id of the type referred to */
};

struct member {
	numab_u32 name;
	numab_u32 type;
	/* In bits; from bit 24 on a bit field's size, if flagged. */
	numab_u32 offset;
};

struct proto_param {
	numab_u32 name;
	numab_u32 type;
};

/* Bytes after a type record: a fixed part, and a part for each element. */
static const struct {
	unsigned char fixed;
	unsigned char each;
} trailer[NR_KINDS] = {
	[KIND_INT] = { 4, 0 },	    [KIND_ARRAY] = { 12, 0 },
	[KIND_STRUCT] = { 0, 12 },  [KIND_UNION] = { 0, 12 },
	[KIND_ENUM] = { 0, 8 },	    [KIND_FUNC_PROTO] = { 0, 8 },
	[KIND_VAR] = { 4, 0 },	    [KIND_DATASEC] = { 0, 12 },
	[KIND_DECL_TAG] = { 4, 0 }, [KIND_ENUM64] = { 0, 12 },
};

static numab_u32 kind_of(const struct type *t)
{
	return (t->info >> 24) & 0x7f;
}

static numab_u32 count_of(const struct type *t)
{
	return t->info & 0xffffff;
}

/* Bytes of a whole record, or 0 when its kind is unknown. */
static size_t record_len(const struct type *t)
{
	numab_u32 kind = kind_of(t);

	if (!kind || kind >= NR_KINDS)
		return 0;
	return sizeof(*t) + trailer[kind].fixed +
	       (size_t)trailer[kind].each * count_of(t);
}

int numab_btf_open(struct numab_btf *btf, const void *data, size_t len)
{
	const struct header *h = data;
	size_t offset;

	if (len < HEADER_MIN || h->magic != MAGIC || h->hdr_len < HEADER_MIN ||
	    h->hdr_len > len)
		return -EINVAL;
	len -= h->hdr_len;
	if (h->type_off > len || h->type_len > len - h->type_off ||
	    h->str_off > len || h->str_len > len - h->str_off)
		return -EINVAL;
	if (h->type_off % 4 || h->hdr_len % 4 || !h->str_len)
		return -EINVAL;

	btf->types = (const char *)data + h->hdr_len + h->type_off;
	btf->types_len = h->type_len;
	btf->strings = (const char *)data + h->hdr_len + h->str_off;
	btf->strings_len = h->str_len;
	btf->nr_types = 0;
	btf->offsets = NULL;
	if (btf->strings[0] || btf->strings[btf->strings_len - 1])
		return -EINVAL;

	for (offset = 0; offset < btf->types_len; btf->nr_types++) {
		const struct type *t = (const void *)(btf->types + offset);
		size_t record;

		if (btf->types_len - offset < sizeof(*t))
			return -EINVAL;
		record = record_len(t);
		if (!record)
			return -EOPNOTSUPP;
		if (record > btf->types_len - offset)
			return -EINVAL;
		offset += record;
	}
	return 0;
}

void numab_btf_index(struct numab_btf *btf, numab_u32 *offsets)
{
	size_t offset = 0;
	numab_u32 i;

	for (i = 0; i < btf->nr_types; i++) {
		offsets[i] = offset;
		offset += record_len((const void *)(btf->types + offset));
	}
	btf->offsets = offsets;
}

/* NULL for void (id 0) and for an id that is not there. */
static const struct type *type_by_id(const struct numab_btf *btf, numab_u32 id)
{
	if (!id || id > btf->nr_types)
		return NULL;
	return (const void *)(btf->types + btf->offsets[id - 1]);
}

static const char *string_at(const struct numab_btf *btf, numab_u32 offset)
{
	return offset < btf->strings_len ? btf->strings + offset : "";
}

/* 0 when there is none. */
static numab_u32 id_by_name(const struct numab_btf *btf, numab_u32 kind,
			    const char *name)
{
	numab_u32 id;

	for (id = 1; id <= btf->nr_types; id++) {
		const struct type *t = type_by_id(btf, id);

		if (kind_of(t) == kind &&
		    !strcmp(string_at(btf, t->name), name))
			return id;
	}
	return 0;
}

static const struct type *type_by_name(const struct numab_btf *btf,
				       numab_u32 kind, const char *name)
{
	return type_by_id(btf, id_by_name(btf, kind, name));
}

struct text {
	char *buf;
	size_t len;
	size_t used;
	int err;
};

static void put(struct text *out, const char *s)
{
	size_t n = strlen(s);

	if (out->err)
		return;
	if (n >= out->len - out->used) {
		out->err = -ENOSPC;
		return;
	}
	memcpy(out->buf + out->used, s, n + 1);
	out->used += n;
}

/* A modifier after its base type, as in "char *const". */
static const char *suffix_of(numab_u32 kind)
{
	switch (kind) {
	case KIND_CONST:
		return " const";
	case KIND_VOLATILE:
		return " volatile";
	case KIND_RESTRICT:
		return " restrict";
	default:
		return "";
	}
}

/* The word in front of a tag, or NULL for a kind that has no name itself. */
static const char *keyword_of(const struct type *t)
{
	switch (kind_of(t)) {
	case KIND_INT:
	case KIND_FLOAT:
	case KIND_TYPEDEF:
		return "";
	case KIND_STRUCT:
		return "struct ";
	case KIND_UNION:
		return "union ";
	case KIND_ENUM:
	case KIND_ENUM64:
		return "enum ";
	case KIND_FWD:
		return t->info >> 31 ? "union " : "struct ";
	default:
		return NULL;
	}
}

/* Pointers, modifiers and tags: kinds that only lead to another type. */
static bool leads_on(numab_u32 kind)
{
	return kind == KIND_PTR || kind == KIND_CONST ||
	       kind == KIND_VOLATILE || kind == KIND_RESTRICT ||
	       kind == KIND_TYPE_TAG;
}

static bool is_pointer(const struct numab_btf *btf, numab_u32 id)
{
	return kind_of(type_by_id(btf, id)) == KIND_PTR;
}

/*
 * Type names come inside out: down the chain of pointers and modifiers to the
 * named type, whose qualifiers stand before it, then up again with the rest.
 */
static void put_type(const struct numab_btf *btf, numab_u32 id,
		     struct text *out)
{
	numab_u32 chain[DEPTH_MAX];
	const struct type *t;
	int depth = 0;

	for (t = type_by_id(btf, id); t && !keyword_of(t);
	     id = t->size, t = type_by_id(btf, id)) {
		if (depth == DEPTH_MAX || !leads_on(kind_of(t))) {
			out->err = -EINVAL;
			return;
		}
		chain[depth++] = id;
	}

	while (depth && !is_pointer(btf, chain[depth - 1])) {
		const char *word =
			suffix_of(kind_of(type_by_id(btf, chain[--depth])));

		if (*word) {
			put(out, word + 1);
			put(out, " ");
		}
	}
	if (t) {
		put(out, keyword_of(t));
		put(out, string_at(btf, t->name));
	} else if (!id) {
		put(out, "void");
	} else {
		out->err = -EINVAL; /* no such type */
	}
	if (depth)
		put(out, " ");
	while (depth) {
		numab_u32 kind = kind_of(type_by_id(btf, chain[--depth]));

		if (kind != KIND_TYPE_TAG)
			put(out, kind == KIND_PTR ? "*" : suffix_of(kind) + 1);
	}
}

/* What follows a function, or a typedef and the pointer that it is. */
static const struct type *proto_of(const struct numab_btf *btf,
				   const struct type *f)
{
	const struct type *next = type_by_id(btf, f->size);

	if (kind_of(f) == KIND_TYPEDEF && next && kind_of(next) == KIND_PTR)
		next = type_by_id(btf, next->size);
	return next;
}

int numab_btf_prototype(const struct numab_btf *btf, const char *function,
			char *buf, size_t len)
{
	const struct type *f = type_by_name(btf, KIND_FUNC, function);
	struct text out = { .buf = buf, .len = len };
	const struct type *proto;
	const struct proto_param *p;
	numab_u32 i;

	if (!f)
		f = type_by_name(btf, KIND_TYPEDEF, function);
	if (!f)
		return -ENOENT;
	proto = proto_of(btf, f);
	if (!proto || kind_of(proto) != KIND_FUNC_PROTO)
		return -EINVAL;

	p = (const void *)(proto + 1);
	put_type(btf, proto->size, &out);
	put(&out, " (");
	if (!count_of(proto))
		put(&out, "void");
	for (i = 0; i < count_of(proto) && !out.err; i++) {
		if (i)
			put(&out, ", ");
		if (p[i].type)
			put_type(btf, p[i].type, &out);
		else
			put(&out, "..."); /* no parameter is void */
	}
	put(&out, ")");
	return out.err;
}

/* Where a member is, and how many bits of a bit field; 0: it is none. */
struct place {
	numab_u32 bit;
	numab_u32 field;
};

/*
 * A made-up section may nest at will: budget bounds the structs looked into,
 * depth how far they lie inside each other.
 */
static int member_in(const struct numab_btf *btf, const struct type *t,
		     const char *name, int depth, int *budget,
		     struct place *ret)
{
	const struct member *m = (const void *)(t + 1);
	bool flagged = t->info >> 31;
	numab_u32 i;

	if (depth > NESTING_MAX || --*budget < 0)
		return -EINVAL;
	for (i = 0; i < count_of(t); i++) {
		numab_u32 bits = flagged ? m[i].offset & 0xffffff : m[i].offset;
		const struct type *inner;
		int err;

		if (!strcmp(string_at(btf, m[i].name), name)) {
			ret->bit += bits;
			ret->field = flagged ? m[i].offset >> 24 : 0;
			return 0;
		}
		if (*string_at(btf, m[i].name))
			continue;
		inner = type_by_id(btf, m[i].type);
		if (!inner || (kind_of(inner) != KIND_STRUCT &&
			       kind_of(inner) != KIND_UNION))
			continue;
		err = member_in(btf, inner, name, depth + 1, budget, ret);
		if (!err)
			ret->bit += bits;
		if (err != -ENOENT)
			return err;
	}
	return -ENOENT;
}

static int find_member(const struct numab_btf *btf, const char *type,
		       const char *member, struct place *ret)
{
	const struct type *t = type_by_name(btf, KIND_STRUCT, type);
	int budget = STRUCTS_MAX;

	*ret = (struct place){ 0 };
	return t ? member_in(btf, t, member, 0, &budget, ret) : -ENOENT;
}

long numab_btf_member(const struct numab_btf *btf, const char *type,
		      const char *member)
{
	struct place place;
	int err = find_member(btf, type, member, &place);

	if (err)
		return err;
	return place.bit % 8 || place.field ? -EINVAL : (long)place.bit / 8;
}

long numab_btf_bit(const struct numab_btf *btf, const char *type,
		   const char *member)
{
	struct place place;
	int err = find_member(btf, type, member, &place);

	if (err)
		return err;
	return place.field ? (long)place.bit : -EINVAL;
}

long numab_btf_size(const struct numab_btf *btf, const char *type)
{
	const struct type *t = type_by_name(btf, KIND_STRUCT, type);

	return t ? (long)t->size : -ENOENT;
}

long numab_btf_function(const struct numab_btf *btf, const char *function)
{
	numab_u32 id = id_by_name(btf, KIND_FUNC, function);

	return id ? (long)id : -ENOENT;
}
