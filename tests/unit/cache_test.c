// SPDX-License-Identifier: GPL-2.0
/* May a process be gathered on one cache: the decision, row by row. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "cache.h"
#include "test.h"

#define NEVER  NUMAB_CACHE_NEVER
#define ALWAYS NUMAB_CACHE_ALWAYS
#define AUTO   NUMAB_CACHE_AUTO
#define KEEP   12345 /* what a parser must leave alone */

/* A cache of 32 MB is 8192 pages; tolerance 2 makes that 257 times as many. */
#define LLC  (32UL << 20)
#define FULL 8192UL
#define TWO  (257 * FULL)
#define MOST ((1 + 98 * 256) * FULL) /* tolerance 99 */

static const struct {
	enum numab_cache_verdict want;
	unsigned long footprint, in_sweep, rss;
	bool estimated;
	unsigned int tolerance;
	int asked;
	unsigned long llc;
} rows[] = {
	/* Gate 1: no estimate, so the bound is all of the memory. */
	{ CACHE_RSS_FITS, 0, 0, 1, false, 1, AUTO, LLC },
	{ CACHE_RSS_FITS, 0, 0, FULL, false, 1, AUTO, LLC },
	{ CACHE_RSS_EXCEEDS, 0, 0, FULL + 1, false, 1, AUTO, LLC },
	{ CACHE_RSS_EXCEEDS, 0, 0, 7000000, false, 1, AUTO, LLC },
	/* What is left of an older estimate says nothing. */
	{ CACHE_RSS_EXCEEDS, 10, 10, FULL + 1, false, 1, AUTO, LLC },
	/* Gate 2: what came in since the last sweep counts. */
	{ CACHE_FOOTPRINT_FITS, 0, 0, 7000000, true, 1, AUTO, LLC },
	{ CACHE_FOOTPRINT_FITS, FULL, 0, 7000000, true, 1, AUTO, LLC },
	{ CACHE_FOOTPRINT_EXCEEDS, FULL + 1, 0, 7000000, true, 1, AUTO, LLC },
	{ CACHE_FOOTPRINT_FITS, 0, FULL, 7000000, true, 1, AUTO, LLC },
	{ CACHE_FOOTPRINT_EXCEEDS, 0, FULL + 1, 7000000, true, 1, AUTO, LLC },
	{ CACHE_FOOTPRINT_FITS, 4096, 4096, 7000000, true, 1, AUTO, LLC },
	{ CACHE_FOOTPRINT_EXCEEDS, 4096, 4097, 7000000, true, 1, AUTO, LLC },
	/* No process uses more than it has, however often it faults. */
	{ CACHE_RSS_FITS, FULL, FULL, FULL, true, 1, AUTO, LLC },
	/* Tolerances, the kernel's and one's own. */
	{ CACHE_NO_TOLERANCE, 0, 0, 1, true, 0, AUTO, LLC },
	{ CACHE_NO_TOLERANCE, 0, 0, 1, false, 100, 0, LLC },
	{ CACHE_RSS_FITS, 0, 0, TWO, false, 2, AUTO, LLC },
	{ CACHE_RSS_EXCEEDS, 0, 0, TWO + 1, false, 2, AUTO, LLC },
	{ CACHE_RSS_FITS, 0, 0, MOST, false, 99, AUTO, LLC },
	{ CACHE_RSS_EXCEEDS, 0, 0, MOST + 1, false, 99, AUTO, LLC },
	{ CACHE_FOOTPRINT_FITS, MOST, 0, MOST + 1, true, 99, AUTO, LLC },
	{ CACHE_FOOTPRINT_EXCEEDS, MOST, 1, MOST + 1, true, 99, AUTO, LLC },
	{ CACHE_ANY_TOLERANCE, LONG_MAX, 0, LONG_MAX, true, 100, AUTO, LLC },
	{ CACHE_ANY_TOLERANCE, 0, 0, LONG_MAX, false, UINT_MAX, AUTO, LLC },
	{ CACHE_ANY_TOLERANCE, 0, 0, LONG_MAX, false, 1, 100, LLC },
	{ CACHE_RSS_EXCEEDS, 0, 0, FULL + 1, false, 100, 1, LLC },
	{ CACHE_RSS_FITS, 0, 0, TWO, false, 1, 2, LLC },
	/* Words beat numbers and sizes. */
	{ CACHE_NEVER, 0, 0, 1, false, 100, NEVER, LLC },
	{ CACHE_NEVER, 0, 0, 1, true, 1, NEVER, 0 },
	{ CACHE_ALWAYS, 7000000, 0, 7000000, true, 0, ALWAYS, LLC },
	{ CACHE_ALWAYS, 0, 0, 7000000, false, 1, ALWAYS, 0 },
	/* Nothing to compare with. */
	{ CACHE_SIZE_UNKNOWN, 0, 0, 7000000, false, 1, AUTO, 0 },
	{ CACHE_SIZE_UNKNOWN, 0, 0, 7000000, false, 1, AUTO, 4096 },
	{ CACHE_SIZE_UNKNOWN, 0, 0, 7000000, true, 1, 99, ULONG_MAX },
	{ CACHE_NO_TOLERANCE, 0, 0, 1, false, 0, AUTO, 0 },
};

static void test_decision(void **state)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct numab_cache_facts facts = {
			.footprint = rows[i].footprint,
			.in_sweep = rows[i].in_sweep,
			.rss = rows[i].rss,
			.llc = rows[i].llc,
			.page_size = 4096,
			.tolerance = rows[i].tolerance,
			.estimated = rows[i].estimated,
			.asked = rows[i].asked,
		};
		enum numab_cache_verdict got = numab_cache_decide(&facts);

		check(got == rows[i].want, "row %zu: %s, not %s", i,
		      numab_cache_verdict_name(got),
		      numab_cache_verdict_name(rows[i].want));
	}
}

static void test_verdicts(void **state)
{
	static const bool gathers[NR_CACHE_VERDICTS] = {
		[CACHE_ALWAYS] = true,	       [CACHE_ANY_TOLERANCE] = true,
		[CACHE_SIZE_UNKNOWN] = true,   [CACHE_RSS_FITS] = true,
		[CACHE_FOOTPRINT_FITS] = true,
	};

	for (int v = 0; v < NR_CACHE_VERDICTS; v++) {
		const char *name = numab_cache_verdict_name(v);

		assert_int_equal(numab_cache_gathers(v), gathers[v]);
		assert_non_null(numab_cache_reason(v));
		assert_int_equal(numab_cache_verdict_find(name), v);
	}
	assert_string_equal(numab_cache_verdict_name(-1), "unknown");
	assert_int_equal(numab_cache_verdict_find("unknown"), -EINVAL);
}

/* As exceed_llc_capacity() has it. */
static void test_kernels_own_check(void **state)
{
	struct numab_cache_facts facts = {
		.footprint = FULL, .llc = LLC, .page_size = 4096, .tolerance = 1
	};

	assert_false(numab_cache_kernel_refuses(&facts, true));
	facts.footprint++;
	assert_true(numab_cache_kernel_refuses(&facts, true));
	assert_false(numab_cache_kernel_refuses(&facts, false));
	facts.tolerance = 2;
	assert_false(numab_cache_kernel_refuses(&facts, true));
	facts.footprint = MOST + 1;
	facts.tolerance = 99;
	assert_true(numab_cache_kernel_refuses(&facts, true));
	facts.tolerance = 100;
	assert_false(numab_cache_kernel_refuses(&facts, true));
	facts.tolerance = 0;
	assert_true(numab_cache_kernel_refuses(&facts, false));
}

static void test_meet(void **state)
{
	static const int all[] = { AUTO, NEVER, ALWAYS, 0, 1, 99, 100 };

	for (size_t n = 0; n < COUNT(all); n++)
		for (size_t f = 0; f < COUNT(all); f++) {
			int near = all[n], far = all[f];
			int want = near == NEVER || far == NEVER ? NEVER :
				   near == AUTO			 ? far :
								   near;

			check(numab_cache_meet(near, far) == want, "%d %d",
			      near, far);
		}
}

static void test_permission(void **state)
{
	/* Base: nothing set; the kernel's tolerance is 1. */
	assert_true(numab_cache_is_free(AUTO, AUTO, 1));
	assert_true(numab_cache_is_free(NEVER, AUTO, 1));
	assert_true(numab_cache_is_free(0, AUTO, 1));
	assert_true(numab_cache_is_free(1, AUTO, 1));
	assert_false(numab_cache_is_free(2, AUTO, 1));
	assert_false(numab_cache_is_free(ALWAYS, AUTO, 1));
	assert_false(numab_cache_is_free(ALWAYS, AUTO, 100));
	/* What an ancestor has is free; narrowing is. */
	assert_true(numab_cache_is_free(ALWAYS, ALWAYS, 1));
	assert_true(numab_cache_is_free(100, ALWAYS, 1));
	assert_true(numab_cache_is_free(50, 60, 1));
	assert_false(numab_cache_is_free(61, 60, 1));
	assert_true(numab_cache_is_free(AUTO, 60, 1));
}

static void test_lifts(void **state)
{
	assert_true(numab_cache_lifts(ALWAYS, 1));
	assert_true(numab_cache_lifts(2, 1));
	assert_false(numab_cache_lifts(1, 1));
	assert_false(numab_cache_lifts(0, 1));
	assert_false(numab_cache_lifts(AUTO, 1));
	assert_false(numab_cache_lifts(NEVER, 1));
	assert_false(numab_cache_lifts(100, 100));
}

static void test_parse(void **state)
{
	static const struct {
		const char *text;
		int want;
	} good[] = {
		{ "auto", AUTO },	{ "never\n", NEVER },
		{ " always ", ALWAYS }, { "0", 0 },
		{ "1\n", 1 },		{ "99", 99 },
		{ "\t100 \n", 100 },	{ "7", 7 },
	};
	static const char *const bad[] = {
		"",    " ",    "101",  "1000",	  "-1",	   "+1",
		"01",  "00",   "1 2",  "alwaysx", "Never", "auto never",
		"1.5", "0x10", "neve", "inherit",
	};

	for (size_t i = 0; i < COUNT(good); i++) {
		int value = KEEP;

		check(!numab_cache_parse(good[i].text, strlen(good[i].text),
					 &value) &&
			      value == good[i].want,
		      "\"%s\"", good[i].text);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		int value = KEEP;

		check(numab_cache_parse(bad[i], strlen(bad[i]), &value) ==
				      -EINVAL &&
			      value == KEEP,
		      "\"%s\"", bad[i]);
	}
	int value = KEEP;

	assert_int_equal(numab_cache_parse("5\0", 2, &value), -EINVAL);
	assert_int_equal(value, KEEP);
}

static void test_words(void **state)
{
	assert_string_equal(numab_cache_word(AUTO), "auto");
	assert_string_equal(numab_cache_word(NEVER), "never");
	assert_string_equal(numab_cache_word(ALWAYS), "always");
	assert_null(numab_cache_word(0));
	assert_null(numab_cache_word(100));
	assert_null(numab_cache_word(-4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decision),
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_kernels_own_check),
		cmocka_unit_test(test_meet),
		cmocka_unit_test(test_permission),
		cmocka_unit_test(test_lifts),
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
