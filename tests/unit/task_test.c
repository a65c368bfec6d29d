// SPDX-License-Identifier: GPL-2.0
#include "process.h"
#include "tasks.h"

/* /a allows normal; /a/b says both and has values. */
static void tree(void)
{
	fixture_cgroup2();
	fixture_module("0\n");
	fixture_workload("/a", "normal\n", "normal\n");
	fixture_workload("/a/b", "both\n", "normal\n");
	fixture_tuning("/a", "100\n", "default\n", "default\n", "default\n",
		       "hot_threshold_ms 100\nscan_size_mb 256\n");
	fixture_tuning("/a/b", "default\n", "64\n", "default\n", "default\n",
		       "hot_threshold_ms 100\nscan_size_mb 64\n"
		       "scan_period_min_ms 1000\nscan_period_max_ms 60000\n"
		       "promote_mbps 65536\n");
	fake_device();
	fake_add(1, "numab", "/", NUMAB_INHERIT);
}

static void test_show(void **state)
{
	AUTO_OUTPUT struct output output;
	struct fake_task *task;

	tree();
	task = fake_add(42, "my db", "/a/b", NUMAB_NORMAL);
	task->attr.mode = task->attr.effective_mode = NUMAB_OFF;
	task->attr.scan_size_mb = 16;
	output = run(cmd_task, "42", NULL);
	assert_int_equal(output.code, EXIT_OK);
	assert_string_equal(output.out,
			    "process     42 (my\\040db)\n"
			    "own         off\n"
			    "effective   off\n"
			    "decided by  the process itself\n"
			    "cgroup      /a/b\n"
			    "opinion     /a/b: both\n"
			    "opinion     /a: normal\n"
			    "default     kernel.numa_balancing = 0 (off)\n"
			    "\n"
			    "TUNING              OWN      EFFECTIVE  FROM\n"
			    "hot_threshold_ms    default  100        /a\n"
			    "scan_size_mb        16       16         process\n"
			    "scan_period_min_ms  default  1000       kernel\n"
			    "scan_period_max_ms  default  60000      kernel\n"
			    "promote_mbps        default  65536      kernel\n");
	assert_string_equal(output.err, "");
}

static void test_who_decides(void **state)
{
	static const struct {
		int own, cgroups, effective;
		const char *says, *json;
	} cases[] = {
		{ NUMAB_INHERIT, NUMAB_INHERIT, NUMAB_NORMAL,
		  "the system default", "system default" },
		{ NUMAB_OFF, NUMAB_INHERIT, NUMAB_OFF, "the process itself",
		  "process" },
		{ NUMAB_NORMAL, NUMAB_NORMAL, NUMAB_NORMAL,
		  "the process itself", "process" },
		{ NUMAB_INHERIT, NUMAB_NORMAL, NUMAB_NORMAL, "/a: normal",
		  "cgroups" },
		{ NUMAB_BOTH, NUMAB_NORMAL, NUMAB_NORMAL, "/a: normal",
		  "cgroups" },
		{ NUMAB_TIERING, NUMAB_NORMAL, NUMAB_OFF,
		  "the process and /a: normal", "process and cgroups" },
		/* not what the files say together */
		{ NUMAB_INHERIT, NUMAB_OFF, NUMAB_OFF, "a BPF policy",
		  "policies" },
		{ NUMAB_NORMAL, NUMAB_NORMAL, NUMAB_OFF, "a BPF policy",
		  "policies" },
	};

	tree();
	for (size_t i = 0; i < COUNT(cases); i++) {
		AUTO_OUTPUT struct output text = {}, json = {};
		AUTO_JSON json_t *document = NULL;
		struct fake_task *task;
		char line[80];

		fake_count = 1;
		task = fake_add(42, "db",
				cases[i].cgroups == NUMAB_INHERIT ? "/" :
								    "/a/b",
				cases[i].cgroups);
		task->attr.mode = cases[i].own;
		task->attr.effective_mode = cases[i].effective;
		text = run(cmd_task, "42", NULL);
		snprintf(line, sizeof(line), "decided by  %s\n", cases[i].says);
		assert_contains(text.out, line);
		json = run(cmd_task, "-j", "42", NULL);
		document = parse_json(&json);
		assert_string_equal(json_string_value(json_object_get(
					    document, "decided_by")),
				    cases[i].json);
	}
}

static void test_json(void **state)
{
	AUTO_OUTPUT struct output output;
	AUTO_JSON json_t *json = NULL;
	json_t *tuning;

	tree();
	fake_add(42, "db\xff", "/a/b", NUMAB_NORMAL)->attr.promote_mbps = 7;
	output = run(cmd_task, "--json", "42", NULL);
	assert_int_equal(output.code, EXIT_OK);
	json = parse_json(&output);
	assert_int_equal(json_integer_value(json_object_get(json, "pid")), 42);
	assert_string_equal(json_string_value(json_object_get(json, "name")),
			    "db\\377");
	assert_string_equal(json_string_value(json_object_get(json, "cgroup")),
			    "/a/b");
	assert_string_equal(
		json_string_value(json_object_get(json, "deciding_cgroup")),
		"/a");
	tuning = json_object_get(json, "tuning");
	assert_string_equal(
		json_string_value(json_object_get(
			json_object_get(tuning, "from"), "promote_mbps")),
		"process");
	assert_int_equal(
		json_integer_value(json_object_get(
			json_object_get(tuning, "effective"), "promote_mbps")),
		7);
}

/* What the kernel says stands; what explains it is missing. */
static void test_cgroup_out_of_sight(void **state)
{
	static const char *const cgroups[] = { "/../other", "/gone (deleted)" };

	tree();
	for (size_t i = 0; i < COUNT(cgroups); i++) {
		AUTO_OUTPUT struct output output = {};
		struct fake_task *task;

		fake_count = 1;
		task = fake_add(42, "db", cgroups[i], NUMAB_NORMAL);
		task->attr.scan_size_mb = 16;
		output = run(cmd_task, "42", NULL);
		assert_int_equal(output.code, EXIT_OK);
		assert_contains(output.out, "effective   normal\n");
		assert_contains(output.out,
				"decided by  its cgroups: normal\n");
		assert_contains(output.out,
				"scan_size_mb        16       16         "
				"process\n");
		assert_contains(output.out,
				"promote_mbps        default  unknown    "
				"unknown\n");
	}
}

static void test_set(void **state)
{
	AUTO_OUTPUT struct output set = {}, take = {}, values = {};
	struct fake_task *task;

	tree();
	task = fake_add(42, "db", "/a/b", NUMAB_NORMAL);
	set = run(cmd_task, "42", "off", NULL);
	assert_int_equal(set.code, EXIT_OK);
	assert_string_equal(set.out, "");
	assert_string_equal(set.err, "");
	assert_int_equal(task->attr.mode, NUMAB_OFF);
	values = run(cmd_task, "42", "--scan-period-ms=50:100", "--json", NULL);
	assert_int_equal(values.code, EXIT_OK);
	assert_contains(values.out, "\"scan_period_max_ms\": 100");
	assert_int_equal(task->attr.mode, NUMAB_OFF);
	assert_int_equal(task->attr.scan_period_min_ms, 50);
	take = run(cmd_task, "42", "default", "--scan-period-ms=default", NULL);
	assert_int_equal(take.code, EXIT_OK);
	assert_false(task_has_settings(&task->attr));
}

static void test_warnings(void **state)
{
	AUTO_OUTPUT struct output narrowed = {}, pages = {};

	tree();
	fake_add(42, "db", "/a/b", NUMAB_NORMAL);
	narrowed = run(cmd_task, "42", "both", NULL);
	assert_int_equal(narrowed.code, EXIT_OK);
	assert_string_equal(narrowed.err,
			    "numab: warning: process 42 is set to both, but "
			    "normal holds: its cgroups allow only normal\n");
	fake_add(43, "db", "/", NUMAB_INHERIT);
	pages = run(cmd_task, "43", "tiering", NULL);
	assert_int_equal(pages.code, EXIT_OK);
	assert_string_equal(pages.err,
			    "numab: note: process 43 is set to tiering, but "
			    "pages go by their cgroup, which has off: set that "
			    "as well (numab set)\n");
}

static void test_no_process(void **state)
{
	static const struct {
		char *pid;
		int open_error, get_error;
		enum exit_code code;
		const char *says;
	} cases[] = {
		{ "41", 0, 0, EXIT_NO_PROCESS, "process 41: no such process" },
		{ "42", 0, -ESRCH, EXIT_NO_PROCESS, "no such process" },
		{ "42", 0, -EINVAL, EXIT_NO_PROCESS, "it is a kernel thread" },
		{ "42", -ENOENT, 0, EXIT_NO_PROCESS,
		  "it is a thread; settings are a process's\nhint: its process "
		  "is 40" },
		{ "42", -EINVAL, 0, EXIT_NO_PROCESS, "it is a thread" },
		{ "42", 0, -EPERM, EXIT_DENIED,
		  "you may not trace it, nor have CAP_SYS_NICE over it\n"
		  "hint: run this as root" },
		{ "42", 0, -ENOENT, EXIT_NO_MODULE, "there is no /dev/numab" },
		{ "0", 0, 0, EXIT_USAGE, "0 is not a process id" },
		{ "-1", 0, 0, EXIT_USAGE, "invalid option" },
		{ "2147483648", 0, 0, EXIT_USAGE, "is not a process id" },
		{ "4 2", 0, 0, EXIT_USAGE, "4\\0402 is not a process id" },
		{ "", 0, 0, EXIT_USAGE, "is not a process id" },
	};

	tree();
	fixture_file("/proc/42/status", "Name:\tdb\nTgid:\t40\n");
	argp_err_exit_status = EXIT_USAGE;
	for (size_t i = 0; i < COUNT(cases); i++) {
		AUTO_OUTPUT struct output output = {};
		struct fake_task *task;

		fake_count = 1;
		task = fake_add(42, "db", "/a/b", NUMAB_NORMAL);
		task->open_error = cases[i].open_error;
		task->get_error = cases[i].get_error;
		output = run_child(cmd_task, (char *[]){ "numab task",
							 cases[i].pid, NULL });
		check(output.code == (int)cases[i].code, "case %zu", i);
		assert_contains(output.err, cases[i].says);
		assert_string_equal(output.out, "");
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *argument;
		int error;
		enum exit_code code;
		const char *says;
	} cases[] = {
		{ "off", -EPERM, EXIT_DENIED, "you may not trace it, nor" },
		{ "tiering", -EPERM, EXIT_DENIED,
		  "cannot set process 42: enabling tiering needs" },
		{ "--promote-mbps=5", -EPERM, EXIT_DENIED,
		  "you may not trace it, or a value would make" },
		{ "--scan-period-ms=500", -EINVAL, EXIT_USAGE,
		  "shortest scan period would be above its longest" },
		{ "off", -EINVAL, EXIT_FAILED, "does not know this setting" },
		{ "off", -ESRCH, EXIT_NO_PROCESS, "no such process" },
		{ "off", -EBUSY, EXIT_UNSUPPORTED, "held by somebody else" },
		{ "off", -EOPNOTSUPP, EXIT_UNSUPPORTED, "lacks a decision" },
		{ "off", -ENOMEM, EXIT_FAILED, "Cannot allocate memory" },
		{ "on", 0, EXIT_USAGE, "on is not a mode" },
		{ "--scan-size-mb=x", 0, EXIT_USAGE, "x is not a value" },
	};

	tree();
	fake_add(42, "db", "/a/b", NUMAB_NORMAL);
	for (size_t i = 0; i < COUNT(cases); i++) {
		AUTO_OUTPUT struct output output = {};

		fake_tasks[1].set_error = cases[i].error;
		output = run(cmd_task, "42", cases[i].argument, NULL);
		check(output.code == (int)cases[i].code, "case %zu", i);
		assert_contains(output.err, cases[i].says);
		assert_false(task_has_settings(&fake_tasks[1].attr));
	}
}

static void test_list(void **state)
{
	AUTO_OUTPUT struct output all = {}, some = {}, json = {};
	AUTO_JSON json_t *document = NULL;
	struct fake_task *task;

	tree();
	fake_add(100, "worker", "/a/b", NUMAB_NORMAL)->attr.mode = NUMAB_OFF;
	fake_add(9, "hidden", "/a", NUMAB_NORMAL)->get_error = -EPERM;
	fake_add(10, "kthread", "/", NUMAB_INHERIT)->get_error = -EINVAL;
	fake_add(11, "gone", "/", NUMAB_INHERIT)->get_error = -ESRCH;
	fake_add(12, "nothing", "/a", NUMAB_NORMAL);
	task = fake_add(7, "my db", "/ab", NUMAB_INHERIT);
	task->attr.hot_threshold_ms = 200;
	task->attr.scan_period_min_ms = 50;
	all = run(cmd_list, "--tasks", NULL);
	assert_int_equal(all.code, EXIT_OK);
	assert_string_equal(
		all.out,
		"PID  NAME      OWN      EFFECTIVE  VALUES"
		"                                          CGROUP\n"
		"7    my\\040db  inherit  off        hot_threshold_ms=200,"
		"scan_period_ms=50:default  /ab\n"
		"100  worker    off      normal     -"
		"                                               /a/b\n");
	assert_string_equal(all.err,
			    "numab: note: processes that you may not look at: "
			    "1; run this as root\n");
	some = run(cmd_list, "--tasks", "a", NULL);
	assert_contains(some.out, "worker");
	assert_lacks(some.out, "db");
	json = run(cmd_list, "-tj", NULL);
	document = parse_json(&json);
	assert_int_equal(json_array_size(json_object_get(document, "tasks")),
			 2);
	assert_int_equal(
		json_integer_value(json_object_get(document, "hidden")), 1);
}

static void test_list_not_loaded(void **state)
{
	AUTO_OUTPUT struct output output = {}, wrong = {};

	fake_device();
	fake_add(1, "init", "/", NUMAB_INHERIT)->get_error = -ENOENT;
	output = run(cmd_list, "--tasks", NULL);
	assert_int_equal(output.code, EXIT_NO_MODULE);
	assert_contains(output.err, "module numab is not loaded\nhint: load");
	argp_err_exit_status = EXIT_USAGE;
	wrong = run_child(cmd_list,
			  (char *[]){ "numab list", "-t", "--all", NULL });
	assert_int_equal(wrong.code, EXIT_USAGE);
}

static void test_parse_cgroup(void **state)
{
	static const struct {
		const char *text, *path;
		int ret;
	} cases[] = {
		{ "0::/\n", "/", 0 },
		{ "5:cpu:/v1\n0::/a/b c\n", "/a/b c", 0 },
		{ "0::/a", "/a", 0 },
		{ "0::/../a\n", NULL, -EXDEV },
		{ "0::\n10::/a\n", NULL, -ENOENT },
		{ "", NULL, -ENOENT },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		AUTO_FREE char *path = NULL;

		assert_int_equal(process_parse_cgroup(cases[i].text, &path),
				 cases[i].ret);
		if (cases[i].path)
			assert_string_equal(path, cases[i].path);
		else
			assert_null(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		fixture_test(test_show),
		fixture_test(test_who_decides),
		fixture_test(test_json),
		fixture_test(test_cgroup_out_of_sight),
		fixture_test(test_set),
		fixture_test(test_warnings),
		fixture_test(test_no_process),
		fixture_test(test_refused),
		fixture_test(test_list),
		fixture_test(test_list_not_loaded),
		cmocka_unit_test(test_parse_cgroup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
