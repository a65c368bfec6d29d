// SPDX-License-Identifier: GPL-2.0
/* Values of tuning: written, read, shown and listed by the tool. */
#include "cgroup.h"
#include "fixture.h"
#include "knob.h"

#define NONE "default\n", "default\n", "default\n", "default\n"

#define KERNEL                       \
	"hot_threshold_ms 1000\n"    \
	"scan_size_mb 256\n"         \
	"scan_period_min_ms 1000\n"  \
	"scan_period_max_ms 60000\n" \
	"promote_mbps 65536\n"

static void tree(void)
{
	fixture_cgroup2();
	fixture_module("0\n");
	fixture_workload("/a", "normal\n", "normal\n");
	fixture_workload("/a/b", "inherit\n", "normal\n");
	fixture_workload("/c", "inherit\n", "off\n");
	fixture_tuning("/a", "100\n", "default\n", "50 900\n", "default\n",
		       "hot_threshold_ms 100\nscan_size_mb 256\n"
		       "scan_period_min_ms 50\nscan_period_max_ms 900\n"
		       "promote_mbps 65536\n");
	fixture_tuning("/a/b", "default\n", "64\n", "default 800\n",
		       "default\n",
		       "hot_threshold_ms 100\nscan_size_mb 64\n"
		       "scan_period_min_ms 50\nscan_period_max_ms 800\n"
		       "promote_mbps 65536\n");
	fixture_tuning("/c", NONE, KERNEL);
}

static void assert_file(const char *cgroup, const char *file, const char *want)
{
	AUTO_TEXT struct fs_text text = {};
	AUTO_FREE char *path = NULL;

	assert_true(asprintf(&path, CGROUP_ROOT "%s/%s", cgroup, file) > 0);
	assert_int_equal(fs_read(path, &text), 0);
	assert_string_equal(text.data, want);
}

static void test_get(void **state)
{
	AUTO_OUTPUT struct output output;

	tree();
	output = run(cmd_get, "a/b", NULL);
	assert_int_equal(output.code, EXIT_OK);
	assert_contains(output.out,
			"opinion\n\n"
			"TUNING              OWN      EFFECTIVE  FROM\n"
			"hot_threshold_ms    default  100        /a\n"
			"scan_size_mb        64       64         /a/b\n"
			"scan_period_min_ms  default  50         /a\n"
			"scan_period_max_ms  800      800        /a/b\n"
			"promote_mbps        default  65536      kernel\n");
}

/* Without the cpu controller: what holds is said by the nearest above. */
static void test_get_without_controller(void **state)
{
	AUTO_OUTPUT struct output leaf = {}, root = {};

	tree();
	fixture_cgroup("/a/b/leaf", "cgroup.controllers", "\n");
	leaf = run(cmd_get, "/a/b/leaf", NULL);
	assert_contains(leaf.out, "hot_threshold_ms    -    100        /a\n"
				  "scan_size_mb        -    64         /a/b\n");
	root = run(cmd_get, "/", NULL);
	assert_int_equal(root.code, EXIT_OK);
	assert_lacks(root.out, "TUNING");
}

static void test_get_weird_files(void **state)
{
	AUTO_OUTPUT struct output output;

	tree();
	fixture_tuning("/c", "0\n", "x\n", "", "10 20\n",
		       "hot_threshold_ms 4294967296\nscan_size_mb -1\n\n"
		       "later_key 5\npromote_mbps 0\n");
	output = run(cmd_get, "/c", NULL);
	assert_int_equal(output.code, EXIT_OK);
	assert_contains(output.out, "hot_threshold_ms    -    unknown    "
				    "kernel\n");
	assert_contains(output.out, "promote_mbps        -    unknown    "
				    "kernel\n");
}

static json_t *at(json_t *json, const char *part, const char *knob)
{
	json_t *tuning = json_object_get(json, "tuning");
	json_t *value = json_object_get(json_object_get(tuning, part), knob);

	check(value, "%s of %s", knob, part);
	return value;
}

static void assert_tuning_of_b(json_t *json)
{
	assert_true(json_is_null(at(json, "own", "hot_threshold_ms")));
	assert_int_equal(json_integer_value(at(json, "own", "scan_size_mb")),
			 64);
	assert_true(json_is_null(at(json, "own", "scan_period_min_ms")));
	assert_int_equal(
		json_integer_value(at(json, "own", "scan_period_max_ms")), 800);
	for (int knob = 0; knob < NR_KNOBS; knob++) {
		static const int want[] = { 100, 64, 50, 800, 65536 };
		json_t *value = at(json, "effective", numab_knobs[knob].name);

		assert_int_equal(json_integer_value(value), want[knob]);
	}
}

static void test_json(void **state)
{
	AUTO_OUTPUT struct output get = {}, list = {};
	AUTO_JSON json_t *one = NULL, *all = NULL;

	tree();
	get = run(cmd_get, "--json", "/a/b", NULL);
	one = parse_json(&get);
	assert_tuning_of_b(one);
	assert_string_equal(
		json_string_value(at(one, "from", "hot_threshold_ms")), "/a");
	assert_string_equal(json_string_value(at(one, "from", "promote_mbps")),
			    "kernel");
	list = run(cmd_list, "--json", NULL);
	all = parse_json(&list);
	assert_tuning_of_b(json_array_get(json_object_get(all, "cgroups"), 1));
}

/* An older module has no such files: null, and no table. */
static void test_older_module(void **state)
{
	AUTO_OUTPUT struct output text = {}, get = {}, list = {}, set = {};
	AUTO_JSON json_t *one = NULL, *all = NULL;

	tree();
	fixture_workload("/old", "off\n", "off\n");
	text = run(cmd_get, "/old", NULL);
	assert_int_equal(text.code, EXIT_OK);
	assert_lacks(text.out, "TUNING");
	get = run(cmd_get, "--json", "/old", NULL);
	one = parse_json(&get);
	assert_true(json_is_null(json_object_get(one, "tuning")));
	list = run(cmd_list, "--json", "/old", NULL);
	all = parse_json(&list);
	assert_true(json_is_null(json_object_get(
		json_array_get(json_object_get(all, "cgroups"), 0), "tuning")));
	set = run(cmd_set, "/old", "both", "scan_size_mb=8", NULL);
	assert_int_equal(set.code, EXIT_FAILED);
	assert_string_equal(
		set.err,
		"numab: cannot set scan_size_mb of /old to 8: the module gives "
		"it no cpu.numab.scan_size_mb\n"
		"hint: see what the module says: numab status; dmesg\n"
		"numab: note: already set: the mode to both\n");
	assert_file("/old", CGROUP_MODE, "both");
}

static void test_set_every_form(void **state)
{
	static const struct {
		const char *word, *file, *want;
	} cases[] = {
		{ "hot_threshold_ms=1", "cpu.numab.hot_threshold_ms", "1" },
		{ "hot_threshold_ms=max", "cpu.numab.hot_threshold_ms",
		  "600000" },
		{ "hot_threshold_ms=default", "cpu.numab.hot_threshold_ms",
		  "default" },
		{ "scan_size_mb=64", "cpu.numab.scan_size_mb", "64" },
		{ "promote_mbps=1048576", "cpu.numab.promote_mbps", "1048576" },
		{ "scan_period_ms=default", "cpu.numab.scan_period_ms",
		  "default" },
		{ "scan_period_ms=default:default", "cpu.numab.scan_period_ms",
		  "default" },
		{ "scan_period_ms=100", "cpu.numab.scan_period_ms",
		  "100 default" },
		{ "scan_period_ms=100:2000", "cpu.numab.scan_period_ms",
		  "100 2000" },
		{ "scan_period_ms=100,2000", "cpu.numab.scan_period_ms",
		  "100 2000" },
		{ "scan_period_ms=100:max", "cpu.numab.scan_period_ms",
		  "100 120000" },
		{ "scan_period_ms=default:50", "cpu.numab.scan_period_ms",
		  "default 50" },
		{ "scan_period_ms=120000:120000", "cpu.numab.scan_period_ms",
		  "120000 120000" },
	};

	tree();
	for (size_t i = 0; i < COUNT(cases); i++) {
		AUTO_OUTPUT struct output output;

		output = run(cmd_set, "/c", cases[i].word, NULL);
		check(output.code == EXIT_OK, "%s: %s", cases[i].word,
		      output.err);
		assert_string_equal(output.out, "");
		assert_string_equal(output.err, "");
		assert_file("/c", cases[i].file, cases[i].want);
		assert_file("/c", CGROUP_MODE, "inherit\n");
	}
}

static void test_set_all_at_once(void **state)
{
	AUTO_OUTPUT struct output output;

	tree();
	fixture_cgroup("/c", CGROUP_EFFECTIVE, "tiering\n");
	output = run(cmd_set, "/c", "-v", "promote_mbps=7", "tiering",
		     "scan_period_ms=10:20", "hot_threshold_ms=5", NULL);
	assert_int_equal(output.code, EXIT_OK);
	assert_string_equal(output.out, "tiering\n");
	assert_string_equal(output.err, "");
	assert_file("/c", CGROUP_MODE, "tiering");
	assert_file("/c", "cpu.numab.promote_mbps", "7");
	assert_file("/c", "cpu.numab.scan_period_ms", "10 20");
	assert_file("/c", "cpu.numab.hot_threshold_ms", "5");
	assert_file("/c", "cpu.numab.scan_size_mb", "default\n");
}

/* A word is refused before anything is written: here after a good one. */
static void test_set_bad_words(void **state)
{
	static const char *const number = "\nhint: it is a number from 1 to ";
	static const char *const pair =
		"\nhint: it is MIN or MIN:MAX, each a number from 10 to "
		"120000 or default, MAX also max, MIN not above MAX\n";
	static const char *const hint =
		"\nhint: it is auto, never, always or a tolerance from 0 to 100\n";
	static const char *const again = "numab: one argument too many: ";
	const struct {
		const char *word, *says;
	} cases[] = {
		{ "scan_size_mb=0", number },
		{ "scan_size_mb=65537", "from 1 to 65536, max or default\n" },
		{ "scan_size_mb=", number },
		{ "scan_size_mb=1=2", number },
		{ "scan_size_mb=5 ", number },
		{ "scan_size_mb=1:2", number },
		{ "scan_size_mb=64M", "numab: scan_size_mb=64M is not a value "
				      "of scan_size_mb\n" },
		{ "promote_mbps=99999999999999999999999999999999999999999999"
		  "9999999999999999999999999999999999999999999999999999999",
		  number },
		{ "scan_period_ms=9", pair },
		{ "scan_period_ms=max", pair },
		{ "scan_period_ms=:", pair },
		{ "scan_period_ms=:100", pair },
		{ "scan_period_ms=100:", pair },
		{ "scan_period_ms=100:50", pair },
		{ "scan_period_ms=100 200", pair },
		{ "scan_period_ms=100:200:300", pair },
		{ "scan_period_ms=100:\x1b", "100:\\033 is not a value" },
		{ "scan_period_min_ms=100",
		  "has no key of numab\nhint: the keys are hot_threshold_ms, "
		  "scan_size_mb, scan_period_ms, promote_mbps, cache\n" },
		{ "cache=", hint },
		{ "cache=101", hint },
		{ "cache=-1", hint },
		{ "cache=Never",
		  "numab: cache=Never is not a value of cache\n" },
		{ "cache= 5", hint },
		{ "=", "numab: = has no key" },
		{ "=5", "has no key" },
		{ "SCAN_SIZE_MB=5", "has no key" },
		{ "\x1b=5", "\\033=5 has no key" },
		{ "scan_size_mb", "scan_size_mb is not a mode\n" },
		{ "hot_threshold_ms=2", again },
		{ "cache", "cache is not a mode\n" },
	};

	tree();
	for (size_t i = 0; i < COUNT(cases); i++) {
		AUTO_OUTPUT struct output output;

		output = run(cmd_set, "/c", "hot_threshold_ms=1", cases[i].word,
			     NULL);
		check(output.code == EXIT_USAGE, "\"%s\"", cases[i].word);
		assert_contains(output.err, cases[i].says);
		assert_lacks(output.err, "\x1b");
		assert_string_equal(output.out, "");
		assert_file("/c", "cpu.numab.hot_threshold_ms", "default\n");
	}
}

static void test_set_twice(void **state)
{
	AUTO_OUTPUT struct output output;

	tree();
	output = run(cmd_set, "/c", "off", "normal", NULL);
	assert_int_equal(output.code, EXIT_USAGE);
	assert_string_equal(output.err,
			    "numab: one argument too many: normal\n");
	assert_file("/c", CGROUP_MODE, "inherit\n");
}

static void test_set_stops_at_a_failure(void **state)
{
	AUTO_OUTPUT struct output output;
	AUTO_FREE char *path = NULL;

	tree();
	path = fixture_path(CGROUP_ROOT "/c/cpu.numab.scan_period_ms");
	assert_int_equal(remove(path), 0);
	output = run(cmd_set, "/c", "hot_threshold_ms=9", "scan_size_mb=max",
		     "scan_period_ms=10:30", "promote_mbps=3", NULL);
	assert_int_equal(output.code, EXIT_FAILED);
	assert_contains(output.err, "numab: cannot set scan_period_ms of /c to "
				    "10 30: the module gives it no "
				    "cpu.numab.scan_period_ms\n");
	assert_contains(output.err,
			"\nnumab: note: already set: hot_threshold_ms to 9, "
			"scan_size_mb to 65536\n");
	assert_file("/c", "cpu.numab.scan_size_mb", "65536");
	assert_file("/c", "cpu.numab.promote_mbps", "default\n");
}

static void test_set_names(void **state)
{
	AUTO_OUTPUT struct output root = {}, none = {};

	tree();
	root = run(cmd_set, "/", "scan_size_mb=5", NULL);
	assert_int_equal(root.code, EXIT_USAGE);
	assert_contains(root.err, "the root cgroup has no values of its own\n"
				  "hint: the kernel's hold for it: ");
	none = run(cmd_set, "/a/x", "scan_size_mb=5", "off", NULL);
	assert_int_equal(none.code, EXIT_NO_CGROUP);
	assert_string_equal(none.err,
			    "numab: cannot set scan_size_mb of /a/x to 5: no "
			    "such cgroup\nhint: the nearest one that exists is "
			    "/a\n");
}

/* The refusals that only a kernel gives, by errno. */
static void test_refusals(void **state)
{
	static const struct {
		int error;
		enum exit_code code;
		const char *why;
	} cases[] = {
		{ -ENODEV, EXIT_NO_CGROUP, "removed meanwhile" },
		{ -EACCES, EXIT_DENIED,
		  "its file cpu.numab.scan_size_mb may not be written by you" },
		{ -EROFS, EXIT_DENIED, "mounted read-only" },
		{ -EOPNOTSUPP, EXIT_UNSUPPORTED, "lacks a decision point" },
		{ -EBUSY, EXIT_UNSUPPORTED, "held by somebody else" },
		{ -EINVAL, EXIT_FAILED, "the module does not know this value" },
		{ -EPERM, EXIT_DENIED, "would make balancing heavier" },
	};
	AUTO_TARGET struct target target = TARGET_NONE;
	AUTO_REFUSAL struct refusal refusal = {};

	tree();
	assert_int_equal(target_open("/c", &target, &refusal), 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		refusal_of_tuning(&target, "cpu.numab.scan_size_mb",
				  cases[i].error, &refusal);
		assert_int_equal(refusal.code, cases[i].code);
		assert_contains(refusal.why, cases[i].why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		fixture_test(test_get),
		fixture_test(test_get_without_controller),
		fixture_test(test_get_weird_files),
		fixture_test(test_json),
		fixture_test(test_older_module),
		fixture_test(test_set_every_form),
		fixture_test(test_set_all_at_once),
		fixture_test(test_set_bad_words),
		fixture_test(test_set_twice),
		fixture_test(test_set_stops_at_a_failure),
		fixture_test(test_set_names),
		fixture_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
