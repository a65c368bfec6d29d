// SPDX-License-Identifier: GPL-2.0
#include "machines.h"
#include "module.h"

static void test_1s(void **state)
{
	AUTO_OUTPUT struct output output;

	machine_1s();
	output = run(cmd_status, NULL);
	assert_int_equal(output.code, EXIT_OK);
	assert_string_equal(output.err, "");
	assert_contains(output.out, "7.3.4+deb14-cloud-amd64, tested\n");
	assert_contains(output.out, "not loaded (modprobe numab loads it)\n");
	assert_contains(output.out, "node         0: CPUs 0-3, 2048 MB, 1024 "
				    "MB free\n");
	assert_contains(output.out, "kernel.numa_balancing = 0 (off) as "
				    "written; running with 0 (off)\n");
	assert_contains(output.out, "demotion     off\n");
	assert_contains(output.out, "at most 65536 MB/s");
	assert_contains(output.out, "cache-aware  scheduling absent\n");
	assert_contains(output.out, "WARNING      only one node has memory");
	assert_lacks(output.out, "all nodes are in the top tier");
}

static void test_2s(void **state)
{
	AUTO_OUTPUT struct output output;

	machine_2s();
	output = run(cmd_status, NULL);
	assert_contains(output.out, "tier         4: nodes 0-1, top tier\n");
	assert_contains(output.out, "WARNING      all nodes are in the top "
				    "tier: tiering can do nothing here\n");
	assert_lacks(output.out, "only one node");
}

static void test_2s_cxl(void **state)
{
	AUTO_OUTPUT struct output output, demoting;

	machine_2s_cxl();
	output = run(cmd_status, NULL);
	assert_contains(output.out, "tier         22: nodes 2, slow tier\n");
	assert_contains(output.out, "node         2: no CPUs, 512 MB");
	assert_lacks(output.out, "WARNING");
	assert_contains(output.out, "note         demotion is off: once the "
				    "top tier is full, promotion stops");
	fixture_file("/sys/kernel/mm/numa/demotion_enabled", "true\n");
	demoting = run(cmd_status, NULL);
	assert_contains(demoting.out, "demotion     on\n");
	assert_lacks(demoting.out, "note");
}

static void test_module(void **state)
{
	AUTO_OUTPUT struct output output;

	machine_2s_cxl();
	fixture_module("4\n");
	fixture_file("/sys/kernel/numab/points",
		     "task_numa_work live\n"
		     "folio_can_map absent marking goes by the task alone\n"
		     "migrate_misplaced_folio held a livepatch has it; no "
		     "moves are refused\n");
	fixture_file("/sys/kernel/numab/promotion_scans",
		     "off: there is no slow tier\n");
	output = run(cmd_status, NULL);
	assert_contains(output.out, "numab 0.1.0, hooks idle, settings 2\n");
	assert_contains(output.out, "scans        for promotion only: off: "
				    "there is no slow tier\n");
	assert_lacks(output.out, "policies");
	assert_contains(output.out, "= 4 (per cgroup) as written; running "
				    "with 3 (both)");
	assert_contains(output.out, "folio_can_map            absent  marking "
				    "goes by the task alone\n");
	assert_lacks(output.out, "point folio_can_map is");
	assert_contains(output.out, "WARNING      decision point "
				    "migrate_misplaced_folio is held: a "
				    "livepatch has it; no moves");
	assert_lacks(output.out, "point task_numa_work is");
}

static void test_policies_when_reported(void **state)
{
	AUTO_OUTPUT struct output output;

	machine_2s_cxl();
	fixture_module("0\n");
	fixture_file("/sys/kernel/numab/policies", "3\n");
	output = run(cmd_status, NULL);
	assert_contains(output.out, "settings 2, policies 3\n");
}

static void test_tasks(void **state)
{
	AUTO_OUTPUT struct output fine = {}, lost = {}, json = {};
	AUTO_JSON json_t *document = NULL;
	json_t *module;

	machine_2s_cxl();
	fixture_module("0\n");
	fixture_file(MODULE_DIR "/tasks", "3\n");
	fixture_file(MODULE_DIR "/tasks_lost", "0\n");
	fixture_file(MODULE_SCAN_PINNED, "never\n");
	fine = run(cmd_status, NULL);
	assert_contains(fine.out, "settings 2, processes 3\n");
	assert_lacks(fine.out, "WARNING");
	assert_lacks(fine.out, "scan_pinned");
	fixture_file(MODULE_DIR "/tasks_lost", "5\n");
	fixture_file(MODULE_SCAN_PINNED, "movable\n");
	lost = run(cmd_status, NULL);
	assert_contains(lost.out, "WARNING      5 processes did not get their "
				  "parent's settings, for want of memory");
	assert_contains(lost.out, "note         memory that is pinned to one "
				  "node is scanned: scan_pinned is movable (");
	json = run(cmd_status, "--json", NULL);
	document = parse_json(&json);
	module = json_object_get(document, "module");
	assert_int_equal(json_integer_value(json_object_get(module, "tasks")),
			 3);
	assert_int_equal(
		json_integer_value(json_object_get(module, "tasks_lost")), 5);
	assert_string_equal(
		json_string_value(json_object_get(module, "scan_pinned")),
		"movable");
}

static void test_untested_kernel(void **state)
{
	AUTO_OUTPUT struct output output;

	machine_2s_cxl();
	machine_kernel("5.10.0-44-amd64\n");
	output = run(cmd_status, NULL);
	assert_contains(output.out, "WARNING      kernel 5.10.0-44-amd64 is "
				    "not one that numab is tested on");
	assert_lacks(output.out, ", tested\n");
}

static void test_no_balancing(void **state)
{
	AUTO_OUTPUT struct output output;

	fixture_file("/proc/sys/kernel/osrelease", "7.3.1\n");
	output = run(cmd_status, NULL);
	assert_int_equal(output.code, EXIT_OK);
	assert_contains(output.out, "this kernel has no NUMA balancing");
	assert_contains(output.out, "cgroup v2 is not mounted");
	assert_contains(output.out, "demotion     unknown\n");
}

static void test_cpu_controller(void **state)
{
	AUTO_OUTPUT struct output off = {}, missing = {};

	machine_2s_cxl();
	fixture_cgroup("", "cgroup.subtree_control", "cpuset memory\n");
	off = run(cmd_status, NULL);
	assert_contains(off.out,
			"echo +cpu > /sys/fs/cgroup/cgroup.subtree_control\n");
	fixture_cgroup("", "cgroup.controllers", "memory\n");
	missing = run(cmd_status, NULL);
	assert_contains(missing.out, "has no cpu controller; a cgroup v1");
}

static const char *text_at(json_t *json, const char *object, const char *key)
{
	return json_string_value(
		json_object_get(json_object_get(json, object), key));
}

static void test_cache_gate(void **state)
{
	AUTO_OUTPUT struct output known, unknown, unusable;

	machine_2s();
	fixture_module("1\n");
	fixture_file("/sys/kernel/debug/sched/llc_balancing/enabled", "1\n");
	fixture_file("/sys/kernel/numab/cache",
		     "usable 1\ngate 1\nsized 1\nllc_min 8388608\n"
		     "llc_max 33554432\ntolerance 1\n");
	known = run(cmd_status, NULL);
	assert_contains(known.out,
			"cache gate   on, caches of 8192 to 32768 kB\n");
	fixture_file("/sys/kernel/numab/cache",
		     "usable 1\ngate 1\nsized 0\nllc_min 0\nllc_max 0\n");
	unknown = run(cmd_status, NULL);
	assert_contains(unknown.out, "on, caches of 0 to 0 kB: that cannot "
				     "be, sizes do not count\n");
	fixture_file("/sys/kernel/numab/cache", "usable 0\n");
	unusable = run(cmd_status, NULL);
	assert_contains(unusable.out, "cache gate   not to be had here");
}

static void test_json(void **state)
{
	AUTO_OUTPUT struct output output;
	AUTO_JSON json_t *json = NULL;
	json_t *tier, *points, *switches;

	machine_2s_cxl();
	fixture_module("4\n");
	fixture_file("/sys/kernel/numab/points",
		     "a \"live\" \xff\\\nb absent why\n");
	output = run(cmd_status, "--json", NULL);
	assert_int_equal(output.code, EXIT_OK);
	json = parse_json(&output);
	assert_string_equal(text_at(json, "kernel", "release"),
			    "7.3.4+deb14-cloud-amd64");
	assert_string_equal(text_at(json, "module", "version"), "0.1.0");
	points = json_object_get(json_object_get(json, "module"), "points");
	assert_int_equal(json_array_size(points), 2);
	assert_string_equal(json_string_value(json_object_get(
				    json_array_get(points, 0), "reason")),
			    "\\377\\");
	tier = json_array_get(json_object_get(json, "tiers"), 1);
	assert_int_equal(json_integer_value(json_object_get(tier, "tier")), 22);
	assert_true(json_is_false(json_object_get(tier, "top")));
	assert_int_equal(json_array_size(json_object_get(json, "nodes")), 3);
	switches = json_object_get(json, "switches");
	assert_int_equal(
		json_integer_value(json_object_get(switches, "written")), 4);
	assert_true(json_is_false(json_object_get(switches, "demotion")));
	assert_true(json_is_array(json_object_get(json, "warnings")));
}

static void test_json_of_nothing(void **state)
{
	AUTO_OUTPUT struct output output = run(cmd_status, "-j", NULL);
	AUTO_JSON json_t *json = parse_json(&output);

	assert_true(json_is_null(
		json_object_get(json_object_get(json, "kernel"), "release")));
	assert_true(json_is_null(
		json_object_get(json_object_get(json, "switches"), "written")));
	assert_true(json_is_false(
		json_object_get(json_object_get(json, "module"), "loaded")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		fixture_test(test_1s),
		fixture_test(test_2s),
		fixture_test(test_2s_cxl),
		fixture_test(test_module),
		fixture_test(test_policies_when_reported),
		fixture_test(test_tasks),
		fixture_test(test_untested_kernel),
		fixture_test(test_no_balancing),
		fixture_test(test_cpu_controller),
		fixture_test(test_cache_gate),
		fixture_test(test_json),
		fixture_test(test_json_of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
