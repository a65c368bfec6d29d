// SPDX-License-Identifier: GPL-2.0
#include "fixture.h"
#include "tree.h"

#define ONE_MB "1048576"

static void workload_counters(const char *cgroup)
{
	fixture_cgroup(cgroup, "cpu.numab.stat",
		       "scans_run 12\nscans_skipped_mode 3\n"
		       "scans_skipped_pinned 4\nhint_faults_local 5\n");
	fixture_cgroup(cgroup, "memory.stat",
		       "anon 5\nnuma_pages_migrated 30\nnuma_pte_updates 10\n"
		       "numa_hint_faults 20\npgpromote_success 40\n");
	fixture_cgroup(cgroup, "memory.numa_stat",
		       "anon N0=" ONE_MB " N2=2097152\nfile N0=" ONE_MB
		       " N2=0\n"
		       "kernel_stack N0=99999999 N2=99999999\n");
}

static void nested_tree(void)
{
	fixture_cgroup2();
	fixture_module("0\n");
	fixture_workload("/b", "inherit\n", "off\n");
	fixture_workload("/a", "both\n", "both\n");
	fixture_workload("/a/y", "tiering\n", "tiering policies\n");
	workload_counters("/a/y");
	fixture_cgroup("/c", "cgroup.controllers", "\n");
	fixture_cgroup("/c/d", "cgroup.controllers", "\n");
}

static void test_table(void **state)
{
	AUTO_OUTPUT struct output output;

	nested_tree();
	output = run(cmd_list, NULL);
	assert_int_equal(output.code, EXIT_OK);
	assert_string_equal(output.err, "");
	assert_string_equal(
		output.out,
		"CGROUP  SET      EFFECTIVE         SCANS  SKIPPED  MARKED"
		"  FAULTS  MIGRATED  PROMOTED  N0_MB  N2_MB\n"
		"/a      both     both                  -        -       -"
		"       -         -         -      -      -\n"
		"/a/y    tiering  tiering+policies     12        7      10"
		"      20        30        40      2      2\n"
		"/b      inherit  off                   -        -       -"
		"       -         -         -      -      -\n");
}

static void test_below_a_cgroup(void **state)
{
	AUTO_OUTPUT struct output output;

	nested_tree();
	output = run(cmd_list, "/sys/fs/cgroup/a", NULL);
	assert_contains(output.out, "/a ");
	assert_contains(output.out, "/a/y");
	assert_lacks(output.out, "/b");
}

static void test_all(void **state)
{
	AUTO_OUTPUT struct output output;

	nested_tree();
	output = run(cmd_list, "--all", NULL);
	assert_contains(output.out, "\n/       -        -  ");
	assert_contains(output.out, "\n/c/d    -        -  ");
}

static void test_set_only(void **state)
{
	AUTO_OUTPUT struct output output;

	nested_tree();
	output = run(cmd_list, "--set", NULL);
	assert_contains(output.out, "\n/a ");
	assert_contains(output.out, "\n/a/y ");
	assert_lacks(output.out, "/b");
}

static void test_without_module(void **state)
{
	AUTO_OUTPUT struct output output;

	fixture_cgroup2();
	fixture_cgroup("/a", "cpu.weight", "100\n");
	fixture_cgroup("/a", "memory.stat", "numa_hint_faults 9\n");
	output = run(cmd_list, NULL);
	assert_int_equal(output.code, EXIT_OK);
	assert_contains(output.out, "\n/a      -    -              -        -"
				    "       -       9         -         -\n");
	assert_contains(output.err, "modprobe numab");
}

static void test_no_controller_anywhere(void **state)
{
	AUTO_OUTPUT struct output output;

	fixture_cgroup2();
	fixture_module("0\n");
	fixture_cgroup("/c", "cgroup.controllers", "\n");
	output = run(cmd_list, "c", NULL);
	assert_int_equal(output.code, EXIT_OK);
	assert_contains(output.err, "no cgroup at or below c has the cpu "
				    "controller; --all");
}

static void test_errors(void **state)
{
	AUTO_OUTPUT struct output v1 = {}, missing = {};

	v1 = run(cmd_list, NULL);
	assert_int_equal(v1.code, EXIT_NO_CGROUP);
	fixture_cgroup2();
	missing = run(cmd_list, "/no/such", NULL);
	assert_int_equal(missing.code, EXIT_NO_CGROUP);
	assert_string_equal(missing.out, "");
	assert_contains(missing.err,
			"cannot list /no/such: no such cgroup\n"
			"hint: the nearest one that exists is /\n");
}

static json_t *cgroup_at(json_t *json, size_t i)
{
	return json_array_get(json_object_get(json, "cgroups"), i);
}

static json_int_t integer_at(json_t *cgroup, const char *object,
			     const char *key)
{
	json_t *value = json_object_get(json_object_get(cgroup, object), key);

	assert_true(json_is_integer(value));
	return json_integer_value(value);
}

static void test_json(void **state)
{
	AUTO_OUTPUT struct output output;
	AUTO_JSON json_t *json = NULL;
	json_t *y;

	nested_tree();
	output = run(cmd_list, "--json", NULL);
	json = parse_json(&output);
	assert_true(json_is_true(json_object_get(json, "module_loaded")));
	assert_int_equal(json_array_size(json_object_get(json, "cgroups")), 3);
	y = cgroup_at(json, 1);
	assert_string_equal(json_string_value(json_object_get(y, "cgroup")),
			    "/a/y");
	assert_string_equal(json_string_value(json_object_get(y, "effective")),
			    "tiering");
	assert_true(json_is_true(json_object_get(y, "policies")));
	assert_int_equal(integer_at(y, "stat", "scans_skipped_pinned"), 4);
	assert_int_equal(integer_at(y, "memory_stat", "pgpromote_success"), 40);
	assert_int_equal(integer_at(y, "node_bytes", "0"), 2097152);
	assert_int_equal(integer_at(y, "node_bytes", "2"), 2097152);
	assert_true(json_is_null(
		json_object_get(cgroup_at(json, 0), "node_bytes")));
}

static void test_weird_names(void **state)
{
	static const struct {
		const char *name, *shown, *json;
	} names[] = {
		{ "/ a b", "\n/\\040a\\040b  ", "/ a b" },
		{ "/\"q\\", "\n/\"q\\  ", "/\"q\\" },
		{ "/a\x1b[31m", "\n/a\\033[31m  ", "/a\x1b[31m" },
		{ "/line\nfeed", "\n/line\\012feed  ", "/line\nfeed" },
		{ "/größe", "\n/größe  ", "/größe" },
		{ "/\xff", "\n/\\377  ", "/\\377" },
	};
	AUTO_OUTPUT struct output table = {}, output = {};
	AUTO_JSON json_t *json = NULL;

	fixture_cgroup2();
	fixture_module("0\n");
	for (size_t i = 0; i < COUNT(names); i++)
		fixture_workload(names[i].name, "off\n", "off\n");
	table = run(cmd_list, NULL);
	output = run(cmd_list, "--json", NULL);
	json = parse_json(&output);
	for (size_t i = 0; i < COUNT(names); i++) {
		bool found = false;

		for (size_t j = 0; j < COUNT(names); j++)
			found |= !strcmp(json_string_value(json_object_get(
						 cgroup_at(json, j), "cgroup")),
					 names[i].json);
		check(found, "%s", names[i].json);
	}
	/* Padded to the widest name: two blanks at least. */
	for (size_t i = 0; i < COUNT(names); i++)
		assert_contains(table.out, names[i].shown);
}

static void test_malformed_files(void **state)
{
	AUTO_OUTPUT struct output output;

	fixture_cgroup2();
	fixture_module("0\n");
	fixture_workload("/a", "rubbish\n", "");
	fixture_cgroup("/a", "cpu.numab.stat", "scans_run -5\n\xff 7\n");
	fixture_cgroup("/a", "memory.stat", "numa_pte_updates\n\n 5\n");
	fixture_cgroup("/a", "memory.numa_stat", "anon N0= Nx=5\n");
	output = run(cmd_list, NULL);
	assert_int_equal(output.code, EXIT_OK);
	assert_contains(output.out, "\n/a      -    -              -        0"
				    "       -       -         -         -\n");
	output_release(&output);
	output = run(cmd_list, "--json", NULL);
	json_decref(parse_json(&output));
}

/* A cgroup with many children takes one read of its directory, not many. */
static void test_many(void **state)
{
	AUTO_TREE struct tree tree = {};
	AUTO_CLOSE int dir = -1;
	char name[32];

	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "/a/%d", i);
		fixture_cgroup(name, "cpu.weight", "100\n");
	}
	dir = fs_open_dir(CGROUP_ROOT);
	assert_int_equal(tree_read(dir, "/", 0, &tree), 0);
	assert_int_equal(tree.count, 1000);
	assert_int_equal(tree.unreadable, 0);
	assert_string_equal(tree.rows[2].path, "/a/10");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		fixture_test(test_table),
		fixture_test(test_below_a_cgroup),
		fixture_test(test_all),
		fixture_test(test_set_only),
		fixture_test(test_without_module),
		fixture_test(test_no_controller_anywhere),
		fixture_test(test_errors),
		fixture_test(test_json),
		fixture_test(test_weird_names),
		fixture_test(test_malformed_files),
		fixture_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
