// SPDX-License-Identifier: GPL-2.0
#include "fixture.h"
#include "module.h"

static void test_points(void **state)
{
	AUTO_POINTS struct points points = {};
	const char *text = "task_numa_work live\n"
			   "folio_can_map absent  not in this kernel; marking "
			   "goes by the task alone \n"
			   "a idle \n"
			   "b mismatch prototype \"int (void)\"\n"
			   "c held\tby a livepatch\n"
			   "d sleeping soon\n"
			   "lonely\n"
			   "\n";

	assert_int_equal(points_parse(text, &points), 0);
	assert_int_equal(points.count, 6);
	assert_string_equal(points.items[0].name, "task_numa_work");
	assert_int_equal(points.items[0].state, POINT_LIVE);
	assert_string_equal(points.items[0].reason, "");
	assert_int_equal(points.items[1].state, POINT_ABSENT);
	assert_string_equal(points.items[1].reason,
			    "not in this kernel; marking goes by the task "
			    "alone");
	assert_int_equal(points.items[2].state, POINT_IDLE);
	assert_string_equal(points.items[2].reason, "");
	assert_int_equal(points.items[3].state, POINT_MISMATCH);
	assert_int_equal(points.items[4].state, POINT_HELD);
	assert_string_equal(points.items[4].reason, "by a livepatch");
	assert_int_equal(points.items[5].state, POINT_UNKNOWN);
	assert_string_equal(points.items[5].word, "sleeping");
	for (size_t i = 0; i < points.count; i++)
		assert_int_equal(point_is_missing(&points.items[i]),
				 i != 0 && i != 2);
}

static void test_no_points(void **state)
{
	AUTO_POINTS struct points points = {};

	assert_int_equal(points_parse("", &points), 0);
	assert_int_equal(points.count, 0);
}

static void test_not_loaded(void **state)
{
	AUTO_MODULE struct module module = {};

	assert_int_equal(module_read(&module), 0);
	assert_false(module.loaded);
	assert_null(module.version);
	assert_int_equal(module.written, -1);
	assert_int_equal(module.settings, -1);
	assert_int_equal(module.policies, -1);
	assert_int_equal(module.tasks, -1);
	assert_int_equal(module.tasks_lost, -1);
	assert_null(module.scan_pinned);
	assert_int_equal(module.points.count, 0);
}

static void test_loaded(void **state)
{
	AUTO_MODULE struct module module = {};

	fixture_module("1\n");
	fixture_file(MODULE_DIR "/tasks", "3\n");
	fixture_file(MODULE_DIR "/tasks_lost", "0\n");
	fixture_file(MODULE_SCAN_PINNED, "never\n");
	assert_int_equal(module_read(&module), 0);
	assert_int_equal(module.tasks, 3);
	assert_int_equal(module.tasks_lost, 0);
	assert_string_equal(module.scan_pinned, "never");
	assert_true(module.loaded);
	assert_string_equal(module.version, "0.1.0");
	assert_string_equal(module.hooks, "idle");
	assert_int_equal(module.written, 1);
	assert_int_equal(module.running, 3);
	assert_int_equal(module.settings, 2);
	assert_int_equal(module.policies, -1);
	assert_int_equal(module.points.count, 1);
}

static void test_rubbish(void **state)
{
	static const char nuls[] = "a\0b live\n";
	AUTO_MODULE struct module module = {};

	fixture_module("one\n");
	fixture_file(MODULE_DIR "/running", "");
	fixture_file(MODULE_DIR "/settings", "18446744073709551615\n");
	fixture_bytes(MODULE_DIR "/points", nuls, sizeof(nuls) - 1);
	assert_int_equal(module_read(&module), 0);
	assert_int_equal(module.written, -1);
	assert_int_equal(module.running, -1);
	assert_int_equal(module.settings, -1);
	assert_int_equal(module.points.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_points), cmocka_unit_test(test_no_points),
		fixture_test(test_not_loaded), fixture_test(test_loaded),
		fixture_test(test_rubbish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
