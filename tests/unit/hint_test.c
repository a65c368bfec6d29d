// SPDX-License-Identifier: GPL-2.0
/* The hint for cache-aware scheduling, in all commands that have to do with it. */
#include "hint.h"
#include "tasks.h"

static void set_file(const char *cgroup, const char *text)
{
	fixture_cgroup(cgroup, HINT_FILE, text);
}

/* /a says 50, /a/b nothing. */
static void tree(void)
{
	fixture_cgroup2();
	fixture_module("0\n");
	fixture_workload("/a", "inherit\n", "off\n");
	fixture_workload("/a/b", "inherit\n", "off\n");
	fixture_tuning("/a/b", "default\n", "default\n", "default\n",
		       "default\n", "hot_threshold_ms 100\n");
	set_file("/a", "50\n");
	set_file("/a/b", "auto\n");
	fake_device();
	fake_add(1, "numab", "/", NUMAB_INHERIT);
}

static void assert_hint_file(const char *cgroup, const char *want)
{
	AUTO_TEXT struct fs_text text = {};
	AUTO_FREE char *path = NULL;

	assert_true(asprintf(&path, CGROUP_ROOT "%s/" HINT_FILE, cgroup) > 0);
	assert_int_equal(fs_read(path, &text), 0);
	assert_string_equal(text.data, want);
}

static void test_words(void **state)
{
	static const struct {
		const char *text;
		int hint;
	} good[] = {
		{ "auto", NUMAB_CACHE_AUTO },
		{ "default", NUMAB_CACHE_AUTO },
		{ "never", NUMAB_CACHE_NEVER },
		{ "always", NUMAB_CACHE_ALWAYS },
		{ "0", 0 },
		{ "100", 100 },
	};
	static const char *const bad[] = { "",	  " never", "never ",
					   "101", "-1",	    "-2",
					   "01",  "1.5",    "ever" };

	for (size_t i = 0; i < COUNT(good); i++) {
		int hint = 77;

		check(!hint_parse(good[i].text, &hint), "%s", good[i].text);
		check(hint == good[i].hint, "%s", good[i].text);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		int hint = 77;

		check(hint_parse(bad[i], &hint) == -EINVAL, "\"%s\"", bad[i]);
		check(hint == 77, "\"%s\"", bad[i]);
	}
}

/* What holds, and who is named for it, for each pair of places. */
static void test_who_decides(void **state)
{
	static const int values[] = { NUMAB_CACHE_AUTO, NUMAB_CACHE_NEVER,
				      NUMAB_CACHE_ALWAYS, 0, 100 };

	for (size_t i = 0; i < COUNT(values); i++)
		for (size_t j = 0; j < COUNT(values); j++) {
			int far = values[i], near = values[j];
			struct hints hints = HINTS_NONE;
			const char *want;

			hints_add_nearer(&hints, far, "far");
			hints_add_nearer(&hints, near, "near");
			check(hints.own == near, "%d %d", far, near);
			check(hints.effective == numab_cache_meet(near, far),
			      "%d %d", far, near);
			if (near == NUMAB_CACHE_AUTO)
				want = far == NUMAB_CACHE_AUTO ? NULL : "far";
			else
				want = far == NUMAB_CACHE_NEVER && near != far ?
					       "far" :
					       "near";
			check(want ? hints.from && !strcmp(hints.from, want) :
				     !hints.from,
			      "%d %d", far, near);
		}
}

static void test_set(void **state)
{
	AUTO_OUTPUT struct output set = {}, both = {}, twice = {};

	tree();
	set = run(cmd_set, "/a/b", "cache=never", NULL);
	assert_int_equal(set.code, EXIT_OK);
	assert_string_equal(set.err, "");
	assert_hint_file("/a/b", "never");
	both = run(cmd_set, "/a/b", "scan_size_mb=5", "cache=7", NULL);
	assert_int_equal(both.code, EXIT_OK);
	assert_hint_file("/a/b", "7");
	twice = run(cmd_set, "/a/b", "cache=1", "cache=2", NULL);
	assert_int_equal(twice.code, EXIT_USAGE);
	assert_hint_file("/a/b", "7");
}

static void test_get(void **state)
{
	AUTO_OUTPUT struct output above = {}, own = {}, json_out = {};
	AUTO_OUTPUT struct output none = {};
	AUTO_JSON json_t *json = NULL;
	json_t *hint;

	tree();
	above = run(cmd_get, "/a/b", NULL);
	assert_contains(above.out,
			"cache               auto     50         /a\n");
	set_file("/a/b", "always\n");
	own = run(cmd_get, "/a/b", NULL);
	assert_contains(own.out,
			"cache               always   always     /a/b\n");
	json_out = run(cmd_get, "-j", "/a/b", NULL);
	json = parse_json(&json_out);
	hint = json_object_get(json, "cache");
	assert_string_equal(json_string_value(json_object_get(hint, "own")),
			    "always");
	assert_string_equal(json_string_value(json_object_get(hint, "from")),
			    "/a/b");
	/* A kernel without has no such file. */
	fixture_workload("/c", "inherit\n", "off\n");
	none = run(cmd_get, "-j", "/c", NULL);
	assert_contains(none.out, "\"cache\": null");
}

static void test_task(void **state)
{
	AUTO_OUTPUT struct output show = {}, set = {}, json = {}, bad = {};
	struct fake_task *task;

	tree();
	task = fake_add(42, "db", "/a/b", NUMAB_INHERIT);
	show = run(cmd_task, "42", NULL);
	assert_contains(show.out,
			"cache               auto     50         /a\n");
	set = run(cmd_task, "42", "--cache", "never", NULL);
	assert_int_equal(set.code, EXIT_OK);
	assert_int_equal(task->attr.cache, NUMAB_CACHE_NEVER);
	assert_int_equal(task->attr.mode, NUMAB_INHERIT);
	json = run(cmd_task, "42", "-j", NULL);
	assert_contains(json.out, "\"from\": \"process\"");
	bad = run(cmd_task, "42", "--cache=101", NULL);
	assert_int_equal(bad.code, EXIT_USAGE);
	assert_string_equal(bad.err,
			    "numab: 101 is not a value of --cache\n"
			    "hint: it is auto, never, always or a tolerance "
			    "from 0 to 100\n");
	assert_int_equal(task->attr.cache, NUMAB_CACHE_NEVER);
}

/* Its hint alone makes a process one with settings. */
static void test_list(void **state)
{
	AUTO_OUTPUT struct output list = {}, json = {};
	struct fake_task *task;

	tree();
	fixture_file("/proc/42/status", "Name:\tdb\n");
	task = fake_add(42, "db", "/a/b", NUMAB_INHERIT);
	task->attr.cache = 30;
	list = run(cmd_list, "--tasks", NULL);
	assert_int_equal(list.code, EXIT_OK);
	assert_contains(list.out, "42   db    inherit  off        cache=30");
	task->attr.scan_size_mb = 5;
	json = run(cmd_list, "--tasks", "--json", NULL);
	assert_contains(json.out, "\"cache\": 30");
	task->attr.cache = NUMAB_CACHE_AUTO;
	task->attr.scan_size_mb = 0;
	output_release(&list);
	list = run(cmd_list, "--tasks", NULL);
	assert_lacks(list.out, "42");
}

static void test_run(void **state)
{
	AUTO_OUTPUT struct output output = {};

	tree();
	task_calls.set = fake_set;
	output = run_child(cmd_run, (char *[]){ "numab run", "--cache", "never",
						"--", "echo", "ran", NULL });
	assert_int_equal(output.code, EXIT_OK);
	assert_string_equal(output.out, "ran\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_who_decides),
		fixture_test(test_set),
		fixture_test(test_get),
		fixture_test(test_task),
		fixture_test(test_list),
		fixture_test(test_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
