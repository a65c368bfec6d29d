// SPDX-License-Identifier: GPL-2.0
#include "tasks.h"

/* The device is in the child's memory: the command prints what it was told. */
static int say_set(struct numab_attr *attr)
{
	printf("%#x mode %d hot %u size %u period %u-%u rate %u to %d\n",
	       attr->fields, attr->mode, attr->hot_threshold_ms,
	       attr->scan_size_mb, attr->scan_period_min_ms,
	       attr->scan_period_max_ms, attr->promote_mbps, attr->pidfd);
	return fake_set(attr);
}

static void device(void)
{
	fixture_cgroup2();
	fixture_module("0\n");
	fake_device();
	fake_add(1, "numab", "/", NUMAB_INHERIT);
	task_calls.set = say_set;
}

#define RUN(...) \
	run_child(cmd_run, (char *[]){ "numab run", __VA_ARGS__, NULL })

static void test_mode(void **state)
{
	AUTO_OUTPUT struct output output;

	device();
	output = RUN("off", "--", "echo", "-n", "--", "off");
	assert_int_equal(output.code, EXIT_OK);
	assert_string_equal(output.out,
			    "0x1 mode 0 hot 0 size 0 period 0-0 rate 0 to -1\n"
			    "-- off");
	assert_string_equal(output.err, "");
}

static void test_values(void **state)
{
	AUTO_OUTPUT struct output all = {}, none = {};

	device();
	all = RUN("--hot-threshold-ms", "200", "--scan-size-mb=64",
		  "--scan-period-ms", "50,1000", "tiering", "--promote-mbps",
		  "max", "--", "true");
	assert_int_equal(all.code, EXIT_OK);
	assert_string_equal(all.out, "0x1f mode 2 hot 200 size 64 period "
				     "50-1000 rate 1048576 to -1\n");
	none = RUN("--scan-period-ms", "default", "--promote-mbps=default",
		   "--", "true");
	assert_string_equal(none.out, "0x18 mode 0 hot 0 size 0 period 0-0 "
				      "rate 0 to -1\n");
}

/* The words for "nothing of its own". */
static void test_inherit(void **state)
{
	static char *const words[] = { "inherit", "default" };

	device();
	for (size_t i = 0; i < COUNT(words); i++) {
		AUTO_OUTPUT struct output output = RUN(words[i], "--", "true");

		assert_int_equal(output.code, EXIT_OK);
		assert_contains(output.out, "0x1 mode -1 ");
		assert_string_equal(output.err, "");
	}
}

/* As env(1) has it. */
static void test_exit_codes(void **state)
{
	AUTO_OUTPUT struct output own = {}, nothing = {}, no_program = {};

	device();
	own = RUN("off", "--", "sh", "-c", "exit 9");
	assert_int_equal(own.code, 9);
	nothing = RUN("off", "--", "/nothing/a b");
	assert_int_equal(nothing.code, 127);
	assert_string_equal(nothing.err, "numab: cannot run /nothing/a\\040b: "
					 "No such file or directory\n");
	no_program = RUN("off", "--", "/");
	assert_int_equal(no_program.code, 126);
	assert_contains(no_program.err, "cannot run /: Permission denied\n");
}

static void test_wrong_usage(void **state)
{
	static const struct {
		char *args[3];
		const char *says;
	} cases[] = {
		{ { "off" }, "-- and a COMMAND are needed" },
		{ { "off", "--" }, "-- and a COMMAND are needed" },
		{ { "--", "true" }, "a MODE or a value is needed" },
		{ { "-l", "--", "true" }, "a MODE or a value is needed" },
		{ { "off", "true", "--" }, "a COMMAND follows after --" },
		{ { "on", "--", "true" }, "on is not a mode" },
		{ { "4", "--", "true" }, "values are options" },
		{ { "--scan-size-mb=0", "--", "true" },
		  "0 is not a value of --scan-size-mb\nhint: it is a number "
		  "from 1 to 65536, max or default\n" },
		{ { "--scan-period-ms=9,5", "--", "true" },
		  "MIN not above MAX" },
		{ { "--scan-period-ms=20,10", "--", "true" },
		  "MIN not above MAX" },
		{ { "--promote-mbps=-1", "--", "true" },
		  "-1 is not a value of --promote-mbps" },
		{ { "--hot-threshold-ms=\x1b[m", "--", "true" },
		  "\\033[m is not a value" },
	};

	device();
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *const *args = cases[i].args;
		AUTO_OUTPUT struct output output =
			RUN(args[0], args[1], args[2]);

		assert_int_equal(output.code, EXIT_NOT_RUN);
		assert_contains(output.err, cases[i].says);
		assert_string_equal(output.out, "");
	}
}

static void test_not_loaded(void **state)
{
	AUTO_OUTPUT struct output refused = {}, forced = {}, container = {};

	fake_device();
	fake_add(1, "numab", "/", NUMAB_INHERIT)->set_error = -ENOENT;
	refused = RUN("off", "--", "echo", "ran");
	assert_int_equal(refused.code, EXIT_NOT_RUN);
	assert_string_equal(refused.out, "");
	assert_string_equal(
		refused.err,
		"numab: cannot set what the command is to run with: the kernel "
		"module numab is not loaded\nhint: load it: modprobe numab\n"
		"hint: or run the command as it is there: numab run "
		"--if-loaded\n");
	forced = RUN("--if-loaded", "off", "--", "echo", "ran");
	assert_int_equal(forced.code, EXIT_OK);
	assert_string_equal(forced.out, "ran\n");
	assert_string_equal(forced.err, "");
	fixture_module("0\n");
	container = RUN("off", "--", "true");
	assert_contains(container.err, "there is no /dev/numab here\nhint: in "
				       "a container, hand it in (--device");
}

/* --if-loaded is no excuse for any other error. */
static void test_refused(void **state)
{
	static const struct {
		int error;
		const char *says;
	} cases[] = {
		{ -EPERM, "enabling both needs CAP_SYS_NICE\nhint: neither" },
		{ -EOPNOTSUPP, "lacks a decision point" },
		{ -EBUSY, "held by somebody else" },
		{ -ENOMEM, "Cannot allocate memory" },
		{ -EACCES, "/dev/numab may not be opened by you" },
		{ -E2BIG, "does not know this setting" },
	};

	device();
	for (size_t i = 0; i < COUNT(cases); i++) {
		AUTO_OUTPUT struct output output = {};

		fake_tasks[0].set_error = cases[i].error;
		output = RUN("--if-loaded", "both", "--", "echo", "ran");
		assert_int_equal(output.code, EXIT_NOT_RUN);
		assert_contains(output.err, cases[i].says);
		assert_lacks(output.out, "ran");
	}
}

static void test_heavier_value(void **state)
{
	AUTO_OUTPUT struct output output;

	device();
	fake_tasks[0].set_error = -EPERM;
	output = RUN("off", "--scan-size-mb", "max", "--", "true");
	assert_int_equal(output.code, EXIT_NOT_RUN);
	assert_contains(output.err, "a value would make balancing heavier");
}

static void test_narrowed(void **state)
{
	AUTO_OUTPUT struct output output;

	device();
	fake_tasks[0].attr.cgroup_mode = NUMAB_NORMAL;
	output = RUN("both", "--", "true");
	assert_int_equal(output.code, EXIT_OK);
	assert_string_equal(output.err,
			    "numab: warning: the command is set to both, but "
			    "normal holds: its cgroups allow only normal\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		fixture_test(test_mode),
		fixture_test(test_values),
		fixture_test(test_inherit),
		fixture_test(test_exit_codes),
		fixture_test(test_wrong_usage),
		fixture_test(test_not_loaded),
		fixture_test(test_refused),
		fixture_test(test_heavier_value),
		fixture_test(test_narrowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
