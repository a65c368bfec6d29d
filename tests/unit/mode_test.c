// SPDX-License-Identifier: GPL-2.0
/*
 * Every combination of modes and opinions, against the rule of the
 * specification written out in sets: an opinion is silent or a set, and each
 * mechanism is looked at on its own.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "mode.h"
#include "test.h"

enum {
	NORMAL,
	TIERING,
	MECHANISMS
};

struct set {
	bool silent;
	bool has[MECHANISMS];
};

/* Spelled out, not computed: index 0 is the opinion -1. */
static const struct set sets[] = {
	{ true, { false, false } },  /* inherit */
	{ false, { false, false } }, /* off */
	{ false, { true, false } },  /* normal */
	{ false, { false, true } },  /* tiering */
	{ false, { true, true } },   /* both */
};

static const struct set *set_of(int opinion)
{
	assert_in_range(opinion + 1, 0, 4);
	return &sets[opinion + 1];
}

static void assert_is(int opinion, struct set want)
{
	const struct set *got = set_of(opinion);

	assert_int_equal(got->silent, want.silent);
	for (int m = 0; m < MECHANISMS; m++)
		assert_int_equal(got->has[m], want.has[m]);
}

static struct set intersection(const struct set *const *places, int count)
{
	struct set all = { true, { true, true } };

	for (int i = 0; i < count; i++) {
		if (places[i]->silent)
			continue;
		all.silent = false;
		for (int m = 0; m < MECHANISMS; m++)
			if (!places[i]->has[m])
				all.has[m] = false;
	}
	return all.silent ? sets[0] : all;
}

static void test_meet_of_two(void **state)
{
	for (int a = -1; a <= 3; a++)
		for (int b = -1; b <= 3; b++) {
			const struct set *places[] = { set_of(a), set_of(b) };

			assert_is(numab_opinion_meet(a, b),
				  intersection(places, 2));
		}
}

/* A chain may be met from either end: the module and the tool differ. */
static void assert_meets(int a, int b, int c)
{
	const struct set *places[] = { set_of(a), set_of(b), set_of(c) };
	struct set want = intersection(places, 3);

	assert_is(numab_opinion_meet(numab_opinion_meet(a, b), c), want);
	assert_is(numab_opinion_meet(a, numab_opinion_meet(b, c)), want);
	assert_is(numab_opinion_meet(c, numab_opinion_meet(b, a)), want);
}

static void test_meet_of_three_in_any_order(void **state)
{
	for (int a = -1; a <= 3; a++)
		for (int b = -1; b <= 3; b++)
			for (int c = -1; c <= 3; c++)
				assert_meets(a, b, c);
}

static void test_effective(void **state)
{
	for (int chain = -1; chain <= 3; chain++)
		for (int system = 0; system <= 3; system++) {
			int mode = numab_mode_effective(chain, system);

			if (set_of(chain)->silent)
				assert_is(mode, *set_of(system));
			else
				assert_is(mode, *set_of(chain));
		}
}

/* A process's own: with privileges one opinion more, else a narrowing. */
static void test_mode_of_task(void **state)
{
	for (int own = -1; own <= 3; own++)
		for (int chain = -1; chain <= 3; chain++)
			for (int system = 0; system <= 3; system++) {
				const struct set *both[] = { set_of(own),
							     set_of(chain) };
				int base = chain < 0 ? system : chain;
				const struct set *narrowed[] = { set_of(own),
								 set_of(base) };
				struct set want = intersection(both, 2);

				if (want.silent)
					want = *set_of(system);
				assert_is(numab_mode_of_task(own, true, chain,
							     system),
					  want);
				assert_is(numab_mode_of_task(own, false, chain,
							     system),
					  intersection(narrowed, 2));
			}
}

/* What is left never enables more than base, nor takes less away from it. */
static void test_after_privilege(void **state)
{
	for (int own = -1; own <= 3; own++)
		for (int base = 0; base <= 3; base++) {
			int left = numab_opinion_after_privilege(own, base);
			int before = own < 0 ? base : own & base;

			assert_true(left == NUMAB_INHERIT || !(left & ~base));
			assert_int_equal(left < 0 ? base : left & base, before);
			/* One that took nothing away does not later either. */
			if (own < 0 || !(base & ~own))
				assert_int_equal(left, NUMAB_INHERIT);
		}
}

static void test_sysctl(void **state)
{
	static const int modes[] = { NUMAB_OFF, NUMAB_NORMAL, NUMAB_TIERING,
				     NUMAB_BOTH, NUMAB_OFF };

	for (int written = 0; written <= NUMAB_SYSCTL_MAX; written++)
		assert_int_equal(numab_mode_of_sysctl(written), modes[written]);
	assert_int_equal(COUNT(modes), NUMAB_SYSCTL_MAX + 1);
}

static void test_running_is_union(void **state)
{
	static const int modes[] = { 0, 1, 2, 3, 0 };

	for (int written = 0; written <= 4; written++)
		for (int needed = 0; needed <= 3; needed++) {
			const struct set *a = set_of(modes[written]);
			const struct set *b = set_of(needed);
			struct set want = { false };

			for (int m = 0; m < MECHANISMS; m++)
				want.has[m] = a->has[m] || b->has[m];
			assert_is(numab_mode_running(written, needed), want);
		}
}

/* Each mechanism asked for must be allowed from above, or be there already. */
static bool may(const struct set *asked, const struct set *present,
		const struct set *above, const struct set *system)
{
	if (asked->silent)
		return true;
	for (int m = 0; m < MECHANISMS; m++) {
		bool from_above =
			above->silent ? system->has[m] : above->has[m];
		bool already = !present->silent && present->has[m];

		if (asked->has[m] && !from_above && !already)
			return false;
	}
	return true;
}

static void assert_free(int asked, int present, int above, int system)
{
	bool want = may(set_of(asked), set_of(present), set_of(above),
			set_of(system));

	check(numab_opinion_is_free(asked, present, above, system) == want,
	      "%d over %d below %d, system %d", asked, present, above, system);
}

static void test_free_opinions(void **state)
{
	int cases = 0;

	for (int asked = -1; asked <= 3; asked++)
		for (int present = -1; present <= 3; present++)
			for (int above = -1; above <= 3; above++)
				for (int system = 0; system <= 3; system++) {
					assert_free(asked, present, above,
						    system);
					cases++;
				}
	assert_int_equal(cases, 5 * 5 * 5 * 4);
}

/* The cases of the specification in words, so that a slip in may() shows. */
static void test_free_opinions_by_example(void **state)
{
	const int no = NUMAB_INHERIT;

	/* Narrowing always. */
	assert_true(numab_opinion_is_free(NUMAB_OFF, no, no, NUMAB_BOTH));
	assert_true(numab_opinion_is_free(NUMAB_OFF, no, NUMAB_OFF, 0));
	/* Nothing above and the system off: enabling is not free. */
	assert_false(numab_opinion_is_free(NUMAB_NORMAL, no, no, 0));
	/* An ancestor's opinion takes the place of the system default... */
	assert_true(numab_opinion_is_free(NUMAB_NORMAL, no, NUMAB_BOTH, 0));
	/* ...also where it allows less. */
	assert_false(numab_opinion_is_free(NUMAB_NORMAL, no, NUMAB_TIERING,
					   NUMAB_BOTH));
	/* What is there may stay. */
	assert_true(
		numab_opinion_is_free(NUMAB_TIERING, NUMAB_BOTH, NUMAB_OFF, 0));
}

static const struct {
	const char *name;
	int opinion;
} words[] = {
	{ "inherit", -1 }, { "off", 0 },  { "normal", 1 },
	{ "tiering", 2 },  { "both", 3 }, { "0", 0 },
	{ "1", 1 },	   { "2", 2 },	  { "3", 3 },
};

static void test_parse_words(void **state)
{
	static const char *const around[][2] = {
		{ "", "" },  { "", "\n" },     { " ", "" },
		{ "", " " }, { "\t", "\r\n" }, { " \n\t ", " \n \n" },
	};
	char text[64];
	int opinion;

	for (size_t w = 0; w < COUNT(words); w++)
		for (size_t a = 0; a < COUNT(around); a++) {
			int len = snprintf(text, sizeof(text), "%s%s%s",
					   around[a][0], words[w].name,
					   around[a][1]);

			opinion = 42;
			assert_int_equal(
				numab_opinion_parse(text, len, &opinion), 0);
			assert_int_equal(opinion, words[w].opinion);
		}
}

/* buf need not be terminated: what follows must not be looked at. */
static void test_parse_stops_at_the_length(void **state)
{
	int opinion = 42;

	assert_int_equal(numab_opinion_parse("offer", 3, &opinion), 0);
	assert_int_equal(opinion, 0);
	assert_int_equal(numab_opinion_parse("12", 1, &opinion), 0);
	assert_int_equal(opinion, 1);
}

#define BAD(text)                      \
	{                              \
		text, sizeof(text) - 1 \
	}

static void test_parse_rubbish(void **state)
{
	static const struct {
		const char *text;
		size_t len;
	} bad[] = {
		BAD(""),
		BAD(" "),
		BAD("\n"),
		BAD("on"),
		BAD("of"),
		BAD("offf"),
		BAD("OFF"),
		BAD("Off"),
		BAD("Normal"),
		BAD("TIERING"),
		BAD("both,"),
		BAD("normal tiering"),
		BAD("normal,tiering"),
		BAD("inherited"),
		BAD("default"),
		BAD("-1"),
		BAD("+1"),
		BAD("01"),
		BAD("00"),
		BAD("0x1"),
		BAD("0b1"),
		BAD("4"),
		BAD("5"),
		BAD("10"),
		BAD("1 1"),
		BAD("1\n1"),
		BAD("1.0"),
		BAD("1e0"),
		BAD("off\0"),
		BAD("\0off"),
		BAD("o\0f"),
		BAD("0\0"),
		BAD("\0"),
		BAD("off\v"),
		BAD("\foff"),
		BAD("\xef\xbc\x91"),
		BAD("off\xc2\xa0"),
		BAD("18446744073709551617"),
		BAD("4294967297"),
		BAD("'off'"),
		BAD("\"off\""),
	};
	int opinion = 42;

	for (size_t i = 0; i < COUNT(bad); i++) {
		check(numab_opinion_parse(bad[i].text, bad[i].len, &opinion) ==
			      -EINVAL,
		      "case %zu: %s", i, bad[i].text);
		assert_int_equal(opinion, 42);
	}
}

/* Each byte alone, and each byte behind a word. */
static void test_parse_every_byte(void **state)
{
	for (int byte = 0; byte < 256; byte++) {
		char alone = byte, behind[] = { 'o', 'f', 'f', byte };
		bool blank = byte && strchr(" \t\r\n", byte);
		int opinion;

		assert_int_equal(numab_opinion_parse(&alone, 1, &opinion),
				 byte >= '0' && byte <= '3' ? 0 : -EINVAL);
		assert_int_equal(numab_opinion_parse(behind, 4, &opinion),
				 blank ? 0 : -EINVAL);
	}
}

static void test_parse_huge(void **state)
{
	const size_t size = 1 << 20;
	char *text = test_malloc(size);
	int opinion = 42;

	memset(text, 'o', size);
	assert_int_equal(numab_opinion_parse(text, size, &opinion), -EINVAL);
	memset(text, ' ', size);
	assert_int_equal(numab_opinion_parse(text, size, &opinion), -EINVAL);
	assert_int_equal(opinion, 42);
	memcpy(text + size / 2, "both", 4);
	assert_int_equal(numab_opinion_parse(text, size, &opinion), 0);
	assert_int_equal(opinion, 3);
	test_free(text);
}

static void test_names(void **state)
{
	int opinion;

	for (int o = -1; o <= 3; o++) {
		const char *name = numab_opinion_name(o);

		assert_string_equal(name, words[o + 1].name);
		assert_int_equal(
			numab_opinion_parse(name, strlen(name), &opinion), 0);
		assert_int_equal(opinion, o);
	}
	assert_string_equal(numab_opinion_name(4), "invalid");
	assert_string_equal(numab_opinion_name(-2), "invalid");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_meet_of_two),
		cmocka_unit_test(test_meet_of_three_in_any_order),
		cmocka_unit_test(test_effective),
		cmocka_unit_test(test_mode_of_task),
		cmocka_unit_test(test_after_privilege),
		cmocka_unit_test(test_sysctl),
		cmocka_unit_test(test_running_is_union),
		cmocka_unit_test(test_free_opinions),
		cmocka_unit_test(test_free_opinions_by_example),
		cmocka_unit_test(test_parse_words),
		cmocka_unit_test(test_parse_stops_at_the_length),
		cmocka_unit_test(test_parse_rubbish),
		cmocka_unit_test(test_parse_every_byte),
		cmocka_unit_test(test_parse_huge),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
