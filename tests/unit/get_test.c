// SPDX-License-Identifier: GPL-2.0
#include "fixture.h"

static void tree(void)
{
	fixture_cgroup2();
	fixture_module("1\n");
	fixture_workload("/a", "normal\n", "normal\n");
	fixture_workload("/a/b", "both\n", "normal policies\n");
	fixture_cgroup("/a/b/leaf", "cgroup.controllers", "\n");
	fixture_workload("/c", "inherit\n", "normal\n");
}

static void test_opinions(void **state)
{
	AUTO_OUTPUT struct output output;

	tree();
	output = run(cmd_get, "a/b", NULL);
	assert_int_equal(output.code, EXIT_OK);
	assert_string_equal(
		output.out,
		"cgroup     /a/b\n"
		"set        both\n"
		"effective  normal, BPF policies take part\n"
		"opinion    /a/b: both\n"
		"opinion    /a: normal\n"
		"default    kernel.numa_balancing = 1 (normal), not asked: "
		"there is an opinion\n");
}

static void test_system_default(void **state)
{
	AUTO_OUTPUT struct output output;

	tree();
	output = run(cmd_get, "c", NULL);
	assert_contains(output.out, "set        inherit\n"
				    "effective  normal\n"
				    "default    kernel.numa_balancing = 1 "
				    "(normal): nobody else has an opinion\n");
}

/* Without the cpu controller the tasks go by the nearest that has it. */
static void test_without_controller(void **state)
{
	AUTO_OUTPUT struct output output;

	tree();
	output = run(cmd_get, "/a/b/leaf", NULL);
	assert_int_equal(output.code, EXIT_OK);
	assert_contains(output.out, "set        - (no file of its own)\n"
				    "effective  normal, BPF policies take "
				    "part\n"
				    "opinion    /a/b: both\n");
}

static void test_root(void **state)
{
	AUTO_OUTPUT struct output output;

	tree();
	output = run(cmd_get, "/", NULL);
	assert_int_equal(output.code, EXIT_OK);
	assert_contains(output.out, "set        - (no file of its own)\n"
				    "effective  normal\n");
}

static void test_errors(void **state)
{
	AUTO_OUTPUT struct output missing = {}, unloaded = {};

	fixture_cgroup2();
	fixture_cgroup("/a", "cpu.weight", "100\n");
	missing = run(cmd_get, "/a/b", NULL);
	assert_int_equal(missing.code, EXIT_NO_CGROUP);
	assert_contains(missing.err, "nearest one that exists is /a\n");
	unloaded = run(cmd_get, "/a", NULL);
	assert_int_equal(unloaded.code, EXIT_NO_MODULE);
	assert_contains(unloaded.err, "hint: load it: modprobe numab\n");
}

static void test_json(void **state)
{
	AUTO_OUTPUT struct output output;
	AUTO_JSON json_t *json = NULL;
	const char *cgroup, *opinion, *effective, *mode;
	int policies, written;

	tree();
	output = run(cmd_get, "-j", "/a/b", NULL);
	json = parse_json(&output);
	assert_int_equal(
		json_unpack(
			json, "{s:s, s:b, s:[{}, {s:s, s:s}], s:{s:i, s:s}}",
			"effective", &effective, "policies", &policies,
			"opinions", "cgroup", &cgroup, "opinion", &opinion,
			"system_default", "written", &written, "mode", &mode),
		0);
	assert_string_equal(effective, "normal");
	assert_true(policies);
	assert_string_equal(cgroup, "/a");
	assert_string_equal(opinion, "normal");
	assert_int_equal(written, 1);
	assert_string_equal(mode, "normal");
	assert_string_equal(
		json_string_value(json_object_get(json, "decided_by")),
		"opinions");
}

static void test_json_without_opinions(void **state)
{
	AUTO_OUTPUT struct output output;
	AUTO_JSON json_t *json = NULL;

	tree();
	output = run(cmd_get, "/", "--json", NULL);
	json = parse_json(&output);
	assert_true(json_is_null(json_object_get(json, "set")));
	assert_int_equal(json_array_size(json_object_get(json, "opinions")), 0);
	assert_string_equal(
		json_string_value(json_object_get(json, "decided_by")),
		"system default");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		fixture_test(test_opinions),
		fixture_test(test_system_default),
		fixture_test(test_without_controller),
		fixture_test(test_root),
		fixture_test(test_errors),
		fixture_test(test_json),
		fixture_test(test_json_without_opinions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
