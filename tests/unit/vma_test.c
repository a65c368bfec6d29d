// SPDX-License-Identifier: GPL-2.0
/*
 * Which mappings a scan looks at: every combination of facts, against the rule
 * "the first fact in this order that speaks against it decides".
 */
#include "test.h"
#include "tuning.h"
#include "vma.h"

static void test_every_combination(void **state)
{
	(void)state;
	for (unsigned int bits = 0; bits < 64; bits++) {
		struct numab_vma_facts facts = {
			.suitable = bits & 1,
			.read_only_file = bits & 2,
			.accessible = bits & 4,
			.too_new = bits & 8,
			.completed = bits & 16,
			.touched = bits & 32,
		};
		/* In order: what speaks against, and what it is then. */
		const struct {
			bool against;
			enum numab_vma_verdict verdict;
		} order[] = {
			{ !(bits & 1), VMA_UNSUITABLE },
			{ bits & 2, VMA_READ_ONLY_FILE },
			{ !(bits & 4), VMA_INACCESSIBLE },
			{ bits & 8, VMA_NEW },
			{ bits & 16, VMA_COMPLETED },
			{ !(bits & 32), VMA_INACTIVE },
			{ true, VMA_SCANNED },
		};
		unsigned int i = 0;

		while (!order[i].against)
			i++;
		check(numab_vma_verdict(facts) == order[i].verdict, "facts %#x",
		      bits);
	}
}

static void test_touched(void **state)
{
	static const struct {
		int age, left_out, threads;
		bool seen, unfinished, touched;
	} cases[] = {
		{ 0, 0, 1, false, false, true }, /* two sweeps are free */
		{ 1, 0, 1, false, false, true },
		{ 2, 0, 1, false, false, false },
		{ 2, 0, 1, true, false, true }, /* a fault was seen */
		{ 2, 0, 1, false, true, true }, /* the walk stopped in it */
		{ 9, 1, 1, false, false, false },
		{ 9, 2, 1, false, false, true }, /* left out for long enough */
		{ 9, 8, 8, false, false, false },
		{ 9, 9, 8, false, false, true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		check(numab_vma_is_touched(
			      cases[i].age, cases[i].seen, cases[i].unfinished,
			      cases[i].left_out,
			      cases[i].threads) == cases[i].touched,
		      "case %zu", i);
}

static void test_period(void **state)
{
	(void)state;
	for (unsigned int min = 0; min < 5; min++)
		for (unsigned int max = 0; max < 5; max++)
			for (unsigned int period = 0; period < 7; period++) {
				unsigned int p = numab_scan_period_bound(
					period, min, max);

				check(p >= min, "%u in %u-%u", period, min,
				      max);
				check(!max || min > max || p <= max,
				      "%u in %u-%u", period, min, max);
				check(period < min || (max && period > max) ||
					      p == period,
				      "%u in %u-%u", period, min, max);
			}
}

static void test_period_start(void **state)
{
	static const struct {
		unsigned int rss, size, sweep, period;
	} cases[] = {
		{ 0, 256, 1000, 1000 }, /* all of it in one scan */
		{ 255, 256, 1000, 1000 },
		{ 256, 256, 1000, 500 },   /* two scans a sweep */
		{ 10240, 256, 1000, 101 }, /* 2560 MB a second */
		{ 10240, 65536, 1000, 25601 },
		{ 1024, 1, 1000, 1 },
		{ 64, 16, 5000, 1000 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		check(numab_scan_period_start(cases[i].rss, cases[i].size,
					      cases[i].sweep) ==
			      cases[i].period,
		      "case %zu", i);
}

static void test_who_may_tune(void **state)
{
	const struct numab_tuning base = { { 100, 100, 100, 100, 100 } };
	const struct numab_tuning unknown = { { 0 } };

	(void)state;
	for (int knob = 0; knob < NR_KNOBS; knob++) {
		bool period = knob == KNOB_SCAN_PERIOD_MIN ||
			      knob == KNOB_SCAN_PERIOD_MAX;
		struct numab_tuning own = { { 0 } };

		check(numab_tuning_is_free(&own, &unknown), "nothing own");
		own.value[knob] = 100;
		check(numab_tuning_is_free(&own, &base), "knob %d", knob);
		check(!numab_tuning_is_free(&own, &unknown), "knob %d", knob);
		own.value[knob] = 99;
		check(numab_tuning_is_free(&own, &base) == !period, "knob %d",
		      knob);
		own.value[knob] = 101;
		check(numab_tuning_is_free(&own, &base) == period, "knob %d",
		      knob);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_combination),
		cmocka_unit_test(test_touched),
		cmocka_unit_test(test_period),
		cmocka_unit_test(test_period_start),
		cmocka_unit_test(test_who_may_tune),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
