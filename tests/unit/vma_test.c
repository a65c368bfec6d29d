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
		bool seen, touched;
	} cases[] = {
		{ 0, 0, 1, false, true }, /* two sweeps are free */
		{ 1, 0, 1, false, true },
		{ 2, 0, 1, false, false },
		{ 2, 0, 1, true, true }, /* a fault was seen */
		{ 9, 1, 1, false, false },
		{ 9, 2, 1, false, true }, /* left out for long enough */
		{ 9, 8, 8, false, false },
		{ 9, 9, 8, false, true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		check(numab_vma_is_touched(
			      cases[i].age, cases[i].seen, cases[i].left_out,
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
				check(min > max || p <= max, "%u in %u-%u",
				      period, min, max);
				check(period < min || period > max ||
					      p == period,
				      "%u in %u-%u", period, min, max);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_combination),
		cmocka_unit_test(test_touched),
		cmocka_unit_test(test_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
