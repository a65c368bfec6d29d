// SPDX-License-Identifier: GPL-2.0
/* kmod/btf.c, on sections made here: the kernel's own holds nothing torn. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "btf_blob.h"

/* What comes after a record, by kind, for three elements. */
static const size_t trailer_words[UNKNOWN] = {
	[INT] = 1,	  [ARRAY] = 3, [STRUCT] = 9,   [UNION] = 9,
	[ENUM] = 6,	  [VAR] = 1,   [DATASEC] = 9,  [DECL_TAG] = 1,
	[FUNC_PROTO] = 6, [FUNC] = 0,  [TYPE_TAG] = 0, [ENUM64] = 9,
};

static void test_record_lengths(void **state)
{
	for (uint32_t kind = INT; kind < UNKNOWN; kind++) {
		struct section s;
		struct blob b;

		blob_init(&b);
		add(&b, kind, 3, "x", 0);
		for (size_t i = 0; i < trailer_words[kind]; i++)
			add_word(&b, 0);
		add(&b, STRUCT, 1, "after", 8);
		add_member(&b, "m", 0, 64);
		section_open(&s, &b);
		check(numab_btf_member(&s.btf, "after", "m") == 8, "kind %u",
		      kind);
		section_free(&s);
	}
}

static void test_unknown_kinds(void **state)
{
	static const uint32_t kinds[] = { 0, UNKNOWN, 31, 127 };
	struct blob b;

	for (size_t i = 0; i < COUNT(kinds); i++) {
		blob_init(&b);
		add_int(&b, "int");
		add(&b, kinds[i], 0, "x", 0);
		check(open_blob(&b) == -EOPNOTSUPP, "kind %u", kinds[i]);
	}
}

static void test_wide_count(void **state)
{
	struct section s;
	struct blob b;

	/* More than 16 bits of count: records that are not there are torn. */
	blob_init(&b);
	add(&b, STRUCT, 0x10001, "x", 0);
	add_member(&b, "m", 0, 0);
	assert_int_equal(open_blob(&b), -EINVAL);
	blob_init(&b);
	section_open(&s, &b);
	assert_int_equal(s.btf.nr_types, 0);
	assert_int_equal(numab_btf_member(&s.btf, "x", "m"), -ENOENT);
	section_free(&s);
}

/* Ids of a blob with one of everything that a prototype can name. */
struct zoo {
	uint32_t number, real, name, record, either, choice, choice64, later,
		later_union, alias;
};

static void zoo_init(struct zoo *z, struct blob *b)
{
	blob_init(b);
	z->number = add_int(b, "int");
	z->real = add(b, FLOAT, 0, "double", 8);
	z->name = add_int(b, "char");
	z->record = add(b, STRUCT, 0, "record", 0);
	z->either = add(b, UNION, 0, "either", 0);
	z->choice = add(b, ENUM, 0, "choice", 4);
	z->choice64 = add(b, ENUM64, 0, "choice64", 8);
	z->later = add(b, FWD, 0, "later", 0);
	z->later_union = add(b, FWD | FLAG, 0, "later_union", 0);
	z->alias = add(b, TYPEDEF, 0, "alias_t", z->number);
}

/* The prototype of f, whose only parameter is type, or returns an error. */
static void check_param(struct blob *b, uint32_t type, int want_err,
			const char *want)
{
	char text[128] = "", full[128];
	struct section s;
	int err;

	add_function(b, "f", 0, &type, 1);
	section_open(&s, b);
	err = numab_btf_prototype(&s.btf, "f", text, sizeof(text));
	check(err == want_err, "%s: %d, wanted %d", text, err, want_err);
	snprintf(full, sizeof(full), "void (%s)", want);
	if (!want_err)
		assert_string_equal(text, full);
	section_free(&s);
}

static void test_named_types(void **state)
{
	static const struct {
		size_t id; /* in struct zoo */
		const char *want;
	} cases[] = {
		{ offsetof(struct zoo, number), "int" },
		{ offsetof(struct zoo, real), "double" },
		{ offsetof(struct zoo, record), "struct record" },
		{ offsetof(struct zoo, either), "union either" },
		{ offsetof(struct zoo, choice), "enum choice" },
		{ offsetof(struct zoo, choice64), "enum choice64" },
		{ offsetof(struct zoo, later), "struct later" },
		{ offsetof(struct zoo, later_union), "union later_union" },
		{ offsetof(struct zoo, alias), "alias_t" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char pointer[64];
		struct blob b;
		struct zoo z;
		uint32_t id;

		zoo_init(&z, &b);
		id = *(uint32_t *)((char *)&z + cases[i].id);
		check_param(&b, id, 0, cases[i].want);
		zoo_init(&z, &b);
		snprintf(pointer, sizeof(pointer), "%s *", cases[i].want);
		check_param(&b, add(&b, PTR, 0, "", id), 0, pointer);
	}
}

/* Chains from the outside in, ended by 0, that lead to a char or to void. */
static void test_chains(void **state)
{
	static const struct {
		uint32_t kinds[8];
		const char *want;
		bool leads_to_void;
	} cases[] = {
		{ { PTR }, "void *", true },
		{ { PTR, PTR }, "void **", true },
		{ { PTR, CONST }, "const void *", true },
		{ { CONST }, "const char", false },
		{ { PTR, CONST }, "const char *", false },
		{ { PTR, VOLATILE }, "volatile char *", false },
		{ { PTR, CONST, VOLATILE }, "volatile const char *", false },
		{ { CONST, PTR }, "char *const", false },
		{ { RESTRICT, PTR }, "char *restrict", false },
		{ { VOLATILE, PTR, CONST }, "const char *volatile", false },
		{ { PTR, CONST, PTR }, "char *const*", false },
		{ { PTR, TYPE_TAG }, "char *", false },
		{ { TYPE_TAG, PTR, TYPE_TAG, CONST }, "const char *", false },
		{ { PTR, PTR, PTR, PTR }, "char ****", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct blob b;
		struct zoo z;
		uint32_t id;
		size_t n = 0;

		zoo_init(&z, &b);
		id = cases[i].leads_to_void ? 0 : z.name;
		while (cases[i].kinds[n])
			n++;
		while (n)
			id = add(&b, cases[i].kinds[--n], 0, "", id);
		check_param(&b, id, 0, cases[i].want);
	}
}

static void test_no_nonsense(void **state)
{
	static const uint32_t kinds[] = { ARRAY,   FUNC, FUNC_PROTO,
					  DATASEC, VAR,	 DECL_TAG };

	/* Neither they nor pointers to them have a name to write down. */
	for (size_t i = 0; i < COUNT(kinds) * 2; i++) {
		struct blob b;
		uint32_t id;

		blob_init(&b);
		id = add(&b, kinds[i / 2], 0, "odd", 0);
		for (size_t n = kinds[i / 2] == ARRAY ? 3 : 0; n; n--)
			add_word(&b, 0);
		if (kinds[i / 2] == VAR || kinds[i / 2] == DECL_TAG)
			add_word(&b, 0);
		if (i % 2)
			id = add(&b, PTR, 0, "", id);
		check_param(&b, id, -EINVAL, "");
	}
}

static void test_bad_ids(void **state)
{
	static const uint32_t ids[] = { 100, 0x7fffffff, 0xffffffff };
	struct section s;
	char text[64];
	struct blob b;

	for (size_t i = 0; i < COUNT(ids); i++) {
		blob_init(&b);
		check_param(&b, ids[i], -EINVAL, "");
		blob_init(&b);
		check_param(&b, add(&b, PTR, 0, "", ids[i]), -EINVAL, "");
		/* A function whose prototype is not there, or is no such. */
		blob_init(&b);
		add(&b, FUNC, 0, "f", ids[i]);
		add(&b, FUNC, 0, "g", 1);
		/* The same for a callback's type; h is a typedef of void. */
		add(&b, TYPEDEF, 0, "h", i ? ids[i] : 0);
		section_open(&s, &b);
		assert_int_equal(numab_btf_prototype(&s.btf, "f", text,
						     sizeof(text)),
				 -EINVAL);
		assert_int_equal(numab_btf_prototype(&s.btf, "g", text,
						     sizeof(text)),
				 -EINVAL);
		assert_int_equal(numab_btf_prototype(&s.btf, "h", text,
						     sizeof(text)),
				 -EINVAL);
		section_free(&s);
	}
}

static void test_endless_chains(void **state)
{
	struct blob b;
	uint32_t id = 0;

	blob_init(&b);
	check_param(&b, add(&b, PTR, 0, "", 1), -EINVAL, "");
	blob_init(&b);
	check_param(&b, add(&b, CONST, 0, "", 1), -EINVAL, "");
	blob_init(&b);
	for (int i = 0; i < 17; i++)
		id = add(&b, PTR, 0, "", id);
	check_param(&b, id, -EINVAL, "");
	blob_init(&b);
	for (int i = 0; i < 16; i++)
		id = i ? add(&b, PTR, 0, "", id) : add(&b, PTR, 0, "", 0);
	check_param(&b, id, 0, "void ****************");
}

static void test_prototypes(void **state)
{
	char text[64];
	struct section s;
	struct blob b;
	struct zoo z;
	uint32_t p[3];

	zoo_init(&z, &b);
	add_function(&b, "nothing", 0, NULL, 0);
	p[0] = add(&b, PTR, 0, "", z.record);
	p[1] = z.alias;
	p[2] = 0; /* how BTF writes an ellipsis */
	add_function(&b, "two", p[0], p, 2);
	add_function(&b, "variadic", z.number, p, 3);
	section_open(&s, &b);
	assert_int_equal(numab_btf_prototype(&s.btf, "nothing", text, 64), 0);
	assert_string_equal(text, "void (void)");
	assert_int_equal(numab_btf_prototype(&s.btf, "two", text, 64), 0);
	assert_string_equal(text, "struct record * (struct record *, alias_t)");
	assert_int_equal(numab_btf_prototype(&s.btf, "variadic", text, 64), 0);
	assert_string_equal(text, "int (struct record *, alias_t, ...)");
	assert_int_equal(numab_btf_prototype(&s.btf, "tw", text, 64), -ENOENT);
	assert_int_equal(numab_btf_prototype(&s.btf, "int", text, 64), -ENOENT);
	section_free(&s);
}

static void test_small_buffers(void **state)
{
	const char *want = "void (struct record *)";
	struct section s;
	struct blob b;
	struct zoo z;
	uint32_t p;

	zoo_init(&z, &b);
	p = add(&b, PTR, 0, "", z.record);
	add_function(&b, "f", 0, &p, 1);
	section_open(&s, &b);
	for (size_t len = 0; len <= strlen(want) + 1; len++) {
		char *text = malloc(len ? len : 1); /* ASan sees its end */
		int err = numab_btf_prototype(&s.btf, "f", text, len);

		check(err == (len > strlen(want) ? 0 : -ENOSPC), "%zu: %d", len,
		      err);
		if (!err)
			assert_string_equal(text, want);
		free(text);
	}
	section_free(&s);
}

static void test_members(void **state)
{
	struct section s;
	struct blob b;
	uint32_t number, inner, deep, named;

	blob_init(&b);
	number = add_int(&b, "int");
	deep = add(&b, STRUCT, 2, "", 8);
	add_member(&b, "deep_first", number, 0);
	add_member(&b, "deep_second", number, 32);
	inner = add(&b, UNION, 2, "", 8);
	add_member(&b, "choice", number, 0);
	add_member(&b, "", deep, 0);
	named = add(&b, STRUCT, 1, "named", 4);
	add_member(&b, "hidden", number, 0);
	add(&b, STRUCT, 4, "outer", 32);
	add_member(&b, "first", number, 0);
	add_member(&b, "", inner, 64);
	add_member(&b, "sub", named, 128);
	add_member(&b, "", number, 160); /* no name, no struct */
	section_open(&s, &b);
	assert_int_equal(numab_btf_member(&s.btf, "outer", "first"), 0);
	assert_int_equal(numab_btf_member(&s.btf, "outer", "choice"), 8);
	assert_int_equal(numab_btf_member(&s.btf, "outer", "deep_first"), 8);
	assert_int_equal(numab_btf_member(&s.btf, "outer", "deep_second"), 12);
	assert_int_equal(numab_btf_member(&s.btf, "outer", "sub"), 16);
	assert_int_equal(numab_btf_member(&s.btf, "outer", "hidden"), -ENOENT);
	assert_int_equal(numab_btf_member(&s.btf, "outer", "none"), -ENOENT);
	assert_int_equal(numab_btf_member(&s.btf, "none", "first"), -ENOENT);
	assert_int_equal(numab_btf_member(&s.btf, "int", "first"), -ENOENT);
	section_free(&s);
}

static void test_bit_fields(void **state)
{
	struct section s;
	struct blob b;
	uint32_t number, inner;

	blob_init(&b);
	number = add_int(&b, "int");
	inner = add(&b, STRUCT | FLAG, 1, "", 4);
	add_member(&b, "inner_bit", number, 1 << 24 | 8);
	add(&b, STRUCT | FLAG, 4, "flags", 12);
	add_member(&b, "whole", number, 32);
	add_member(&b, "aligned", number, 4 << 24 | 64);
	add_member(&b, "bit", number, 1 << 24 | 65);
	add_member(&b, "", inner, 0);
	add(&b, STRUCT, 1, "old", 4); /* without the flag: a bit offset */
	add_member(&b, "odd", number, 3);
	section_open(&s, &b);
	assert_int_equal(numab_btf_member(&s.btf, "flags", "whole"), 4);
	assert_int_equal(numab_btf_member(&s.btf, "flags", "aligned"), -EINVAL);
	assert_int_equal(numab_btf_member(&s.btf, "flags", "bit"), -EINVAL);
	assert_int_equal(numab_btf_member(&s.btf, "flags", "inner_bit"),
			 -EINVAL);
	assert_int_equal(numab_btf_member(&s.btf, "old", "odd"), -EINVAL);
	assert_int_equal(numab_btf_bit(&s.btf, "flags", "aligned"), 64);
	assert_int_equal(numab_btf_bit(&s.btf, "flags", "bit"), 65);
	assert_int_equal(numab_btf_bit(&s.btf, "flags", "inner_bit"), 8);
	assert_int_equal(numab_btf_bit(&s.btf, "flags", "whole"), -EINVAL);
	assert_int_equal(numab_btf_bit(&s.btf, "flags", "none"), -ENOENT);
	section_free(&s);
}

/* As a tracepoint's callback is described. */
static void test_callbacks(void **state)
{
	struct section s;
	struct blob b;
	uint32_t number, proto, pointer;
	char text[64];

	blob_init(&b);
	number = add_int(&b, "int");
	proto = add(&b, FUNC_PROTO, 1, "", 0);
	add_word(&b, 0);
	add_word(&b, number);
	pointer = add(&b, PTR, 0, "", proto);
	add(&b, TYPEDEF, 0, "btf_trace_event", pointer);
	add(&b, TYPEDEF, 0, "number", number);
	section_open(&s, &b);
	assert_int_equal(numab_btf_prototype(&s.btf, "btf_trace_event", text,
					     sizeof(text)),
			 0);
	assert_string_equal(text, "void (int)");
	assert_int_equal(numab_btf_prototype(&s.btf, "number", text,
					     sizeof(text)),
			 -EINVAL);
	section_free(&s);
}

static void test_endless_members(void **state)
{
	struct section s;
	struct blob b;

	/* Structs inside themselves, as no compiler writes them. */
	blob_init(&b);
	add(&b, STRUCT, 3, "self", 0);
	for (int i = 0; i < 3; i++)
		add_member(&b, "", 1, 8);
	section_open(&s, &b);
	assert_int_equal(numab_btf_member(&s.btf, "self", "m"), -EINVAL);
	section_free(&s);
}

static void test_torn_anywhere(void **state)
{
	struct section s;
	struct blob b;
	struct zoo z;

	zoo_init(&z, &b);
	add_function(&b, "f", 0, &z.number, 1);
	section_make(&s, &b);
	for (size_t len = 0; len < s.len; len++) {
		void *torn = malloc(len ? len : 1);

		memcpy(torn, s.data, len);
		check(numab_btf_open(&s.btf, torn, len) == -EINVAL, "%zu", len);
		free(torn);
	}
	/* The types torn, with a header that admits it. */
	for (uint32_t len = 4; len < b.nr_words * 4; len += 4) {
		int err;

		s.data[3] = len;
		err = numab_btf_open(&s.btf, s.data, s.len);
		check(err == 0 || err == -EINVAL, "%u: %d", len, err);
		check(err || s.btf.nr_types < b.nr_types, "%u", len);
	}
	section_free(&s);
}

static void test_bad_headers(void **state)
{
	static const struct {
		size_t word;
		uint32_t value;
	} cases[] = {
		{ 0, 1 << 16 | 0x9feb }, /* the other byte order */
		{ 1, 0 },
		{ 1, 20 },
		{ 1, 25 },
		{ 1, 0xffffffff },
		{ 2, 2 },
		{ 2, 0xfffffffc },
		{ 3, 0xffffffff },
		{ 4, 0xffffffff },
		{ 5, 0 },
		{ 5, 3 }, /* ends within a string */
		{ 5, 0xffffffff },
		{ 4, 0 }, /* does not begin with the empty string */
	};
	struct blob b;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct section s;

		blob_init(&b);
		add_int(&b, "int");
		/* Its name's first byte is not NUL; words[0] is at string 0. */
		b.words[0] = 1;
		section_make(&s, &b);
		s.data[cases[i].word] = cases[i].value;
		check(numab_btf_open(&s.btf, s.data, s.len) == -EINVAL,
		      "word %zu is %#x", cases[i].word, cases[i].value);
		section_free(&s);
	}
}

static void test_bad_names(void **state)
{
	struct section s;
	struct blob b;

	/* A name outside of the strings is no name. */
	blob_init(&b);
	add(&b, STRUCT, 1, "x", 8);
	add_member(&b, "m", 0, 0);
	add_int(&b, "int");
	b.words[3] = 0xffffffff;
	section_open(&s, &b);
	assert_int_equal(numab_btf_member(&s.btf, "x", "m"), -ENOENT);
	section_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record_lengths),
		cmocka_unit_test(test_unknown_kinds),
		cmocka_unit_test(test_wide_count),
		cmocka_unit_test(test_named_types),
		cmocka_unit_test(test_chains),
		cmocka_unit_test(test_no_nonsense),
		cmocka_unit_test(test_bad_ids),
		cmocka_unit_test(test_endless_chains),
		cmocka_unit_test(test_prototypes),
		cmocka_unit_test(test_small_buffers),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_bit_fields),
		cmocka_unit_test(test_callbacks),
		cmocka_unit_test(test_endless_members),
		cmocka_unit_test(test_torn_anywhere),
		cmocka_unit_test(test_bad_headers),
		cmocka_unit_test(test_bad_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
