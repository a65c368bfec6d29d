/* SPDX-License-Identifier: GPL-2.0 */
/* BTF sections made by hand: a builder, and what numab_btf_open() finds. */
#ifndef NUMAB_TESTS_UNIT_BTF_BLOB_H
#define NUMAB_TESTS_UNIT_BTF_BLOB_H

#include <stdlib.h>
#include <string.h>

#include "../../kmod/btf.h"
#include "test.h"

/* As in Documentation/bpf/btf.rst; not shared with what is tested. */
enum {
	INT = 1,
	PTR,
	ARRAY,
	STRUCT,
	UNION,
	ENUM,
	FWD,
	TYPEDEF,
	VOLATILE,
	CONST,
	RESTRICT,
	FUNC,
	FUNC_PROTO,
	VAR,
	DATASEC,
	FLOAT,
	DECL_TAG,
	TYPE_TAG,
	ENUM64,
	UNKNOWN,

	FLAG = 1 << 7, /* kind_flag, above the kind in the info word */
	HEADER = 24,
};

/* A section under construction. */
struct blob {
	uint32_t words[512];
	size_t nr_words;
	char strings[512];
	size_t strings_len;
	uint32_t nr_types;
};

/* The section as a block of exactly its size, and what was found in it. */
struct section {
	uint32_t *data;
	size_t len;
	struct numab_btf btf;
	numab_u32 *offsets;
};

static inline void blob_init(struct blob *b)
{
	memset(b, 0, sizeof(*b));
	b->strings_len = 1;
}

static inline uint32_t add_string(struct blob *b, const char *s)
{
	size_t at = b->strings_len;

	if (!*s)
		return 0;
	assert_true(at + strlen(s) < sizeof(b->strings));
	strcpy(b->strings + at, s);
	b->strings_len += strlen(s) + 1;
	return at;
}

static inline void add_word(struct blob *b, uint32_t word)
{
	assert_true(b->nr_words < COUNT(b->words));
	b->words[b->nr_words++] = word;
}

/* A type record without its trailer; returns the type's id. */
static inline uint32_t add(struct blob *b, uint32_t kind, uint32_t count,
			   const char *name, uint32_t size_or_type)
{
	add_word(b, add_string(b, name));
	add_word(b, kind << 24 | count);
	add_word(b, size_or_type);
	return ++b->nr_types;
}

static inline uint32_t add_int(struct blob *b, const char *name)
{
	uint32_t id = add(b, INT, 0, name, 4);

	add_word(b, 32);
	return id;
}

static inline void add_member(struct blob *b, const char *name, uint32_t type,
			      uint32_t offset)
{
	add_word(b, add_string(b, name));
	add_word(b, type);
	add_word(b, offset);
}

/* A function that returns ret and takes count parameters. */
static inline void add_function(struct blob *b, const char *name, uint32_t ret,
				const uint32_t *params, uint32_t count)
{
	uint32_t proto = add(b, FUNC_PROTO, count, "", ret);

	for (uint32_t i = 0; i < count; i++) {
		add_word(b, 0);
		add_word(b, params[i]);
	}
	add(b, FUNC, 1, name, proto);
}

static inline void section_make(struct section *s, const struct blob *b)
{
	size_t types_len = b->nr_words * 4;

	s->len = HEADER + types_len + b->strings_len;
	s->data = malloc(s->len);
	assert_non_null(s->data);
	s->data[0] = 1 << 16 | 0xeb9f;
	s->data[1] = HEADER;
	s->data[2] = 0;
	s->data[3] = types_len;
	s->data[4] = types_len;
	s->data[5] = b->strings_len;
	memcpy((char *)s->data + HEADER, b->words, types_len);
	memcpy((char *)s->data + HEADER + types_len, b->strings,
	       b->strings_len);
	s->offsets = NULL;
}

static inline void section_free(struct section *s)
{
	free(s->data);
	free(s->offsets);
}

static inline void section_open(struct section *s, const struct blob *b)
{
	section_make(s, b);
	assert_int_equal(numab_btf_open(&s->btf, s->data, s->len), 0);
	assert_int_equal(s->btf.nr_types, b->nr_types);
	s->offsets = calloc(s->btf.nr_types + 1, sizeof(*s->offsets));
	assert_non_null(s->offsets);
	numab_btf_index(&s->btf, s->offsets);
}

/* The answer of numab_btf_open() for a blob. */
static inline int open_blob(const struct blob *b)
{
	struct section s;
	int err;

	section_make(&s, b);
	err = numab_btf_open(&s.btf, s.data, s.len);
	section_free(&s);
	return err;
}

#endif
