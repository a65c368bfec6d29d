// SPDX-License-Identifier: GPL-2.0
/*
 * The table of decisions, every combination of T's mode, F's mode and tier,
 * against the specification's table written out by hand.
 *
 * In the tables below a line is T's mode, a column F's: off normal tiering
 * both.
 */
#include "surface.h"
#include "test.h"

typedef const bool grid[4][4];

static grid marked_in_top_tier = {
	{ 0, 0, 0, 0 }, /* off */
	{ 1, 1, 1, 1 }, /* normal: whatever F says */
	{ 0, 0, 0, 0 }, /* tiering */
	{ 1, 1, 1, 1 }, /* both */
};

static grid marked_in_slow_tier = {
	{ 0, 0, 0, 0 }, /* off */
	{ 0, 0, 0, 0 }, /* normal */
	{ 0, 0, 1, 1 }, /* tiering */
	{ 0, 0, 1, 1 }, /* both */
};

static grid moved_between_top_nodes = {
	{ 0, 0, 0, 0 }, /* off */
	{ 0, 1, 0, 1 }, /* normal */
	{ 0, 0, 0, 0 }, /* tiering */
	{ 0, 1, 0, 1 }, /* both */
};

static grid promoted = {
	{ 0, 0, 1, 1 }, /* off: promotion is F's affair alone */
	{ 0, 0, 1, 1 }, /* normal */
	{ 0, 0, 1, 1 }, /* tiering */
	{ 0, 0, 1, 1 }, /* both */
};

static void test_marks(void **state)
{
	for (int t = 0; t < 4; t++)
		for (int f = 0; f < 4; f++) {
			check(numab_marks(t, f, true) ==
				      marked_in_top_tier[t][f],
			      "T %d F %d", t, f);
			check(numab_marks(t, f, false) ==
				      marked_in_slow_tier[t][f],
			      "T %d F %d", t, f);
		}
}

static void test_moves(void **state)
{
	for (int t = 0; t < 4; t++)
		for (int f = 0; f < 4; f++) {
			check(numab_moves(t, f, true) ==
				      moved_between_top_nodes[t][f],
			      "T %d F %d", t, f);
			check(numab_moves(t, f, false) == promoted[t][f],
			      "T %d F %d", t, f);
		}
}

static void test_task(void **state)
{
	static const bool scans[4] = { 0, 1, 1, 1 };
	static const bool scans_pinned[4] = { 0, 0, 0, 0 };
	static const bool counts[4] = { 0, 1, 0, 1 };

	for (int t = 0; t < 4; t++) {
		assert_int_equal(numab_task_scans(t, false), scans[t]);
		assert_int_equal(numab_task_scans(t, true), scans_pinned[t]);
		assert_int_equal(numab_counts_faults(t), counts[t]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_moves),
		cmocka_unit_test(test_task),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
