// SPDX-License-Identifier: GPL-2.0
#include "pinned.h"
#include "test.h"

/* Every combination, by the rule in words. */
static void test_every_combination(void **state)
{
	for (int bits = 0; bits < 16; bits++)
		for (int scans = 0; scans < 3; scans++) {
			struct numab_pin_facts facts = {
				.one_node_allowed = bits & 1,
				.bound_to_one_node = bits & 2,
				.runs_on_node = bits & 4,
				.runs_off_node = bits & 8,
				.scans = scans,
			};
			enum numab_pin want = PIN_NONE;

			if (bits & 2)
				want = PIN_MEMPOLICY;
			if (bits & 1)
				want = PIN_CPUSET;
			if (scans == PINNED_SCANS_MOVABLE && (bits & 12) == 12)
				want = PIN_NONE;
			if (scans == PINNED_SCANS_ALWAYS)
				want = PIN_NONE;
			assert_int_equal(numab_pin(facts), want);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_combination),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
