// SPDX-License-Identifier: GPL-2.0
#include <sys/wait.h>

#include "cgroup.h"
#include "fixture.h"
#include "mode.h"

static void tree(void)
{
	fixture_cgroup2();
	fixture_module("0\n");
	fixture_workload("/a", "inherit\n", "off\n");
}

static void assert_mode_file(const char *cgroup, const char *want)
{
	AUTO_TEXT struct fs_text text = {};
	AUTO_FREE char *path = NULL;

	assert_true(asprintf(&path, CGROUP_ROOT "%s/" CGROUP_MODE, cgroup) > 0);
	assert_int_equal(fs_read(path, &text), 0);
	assert_string_equal(text.data, want);
}

/* What was written is what the effective mode says here, or it is told. */
static void test_every_word(void **state)
{
	static const char *const words[][2] = {
		{ "inherit", "inherit" }, { "off", "off" },
		{ "normal", "normal" },	  { "tiering", "tiering" },
		{ "both", "both" },	  { "0", "off" },
		{ "1", "normal" },	  { "2", "tiering" },
		{ "3", "both" },
	};

	tree();
	for (size_t i = 0; i < COUNT(words); i++) {
		AUTO_OUTPUT struct output output;
		const char *holds = i ? words[i][1] : "off";

		fixture_cgroup("/a", CGROUP_EFFECTIVE, holds);
		output = run(cmd_set, "/a", words[i][0], NULL);
		assert_int_equal(output.code, EXIT_OK);
		assert_string_equal(output.out, "");
		assert_string_equal(output.err, "");
		assert_mode_file("/a", words[i][1]);
	}
}

static void test_verbose(void **state)
{
	AUTO_OUTPUT struct output output;

	tree();
	output = run(cmd_set, "-v", "a", "off", NULL);
	assert_int_equal(output.code, EXIT_OK);
	assert_string_equal(output.out, "off\n");
}

static void test_ancestor_narrows(void **state)
{
	AUTO_OUTPUT struct output output;

	tree();
	fixture_workload("/a", "normal\n", "normal\n");
	fixture_workload("/a/b", "inherit\n", "normal\n");
	output = run(cmd_set, "/a/b", "both", NULL);
	assert_int_equal(output.code, EXIT_OK);
	assert_mode_file("/a/b", "both");
	assert_string_equal(output.out, "");
	assert_string_equal(output.err,
			    "numab: warning: /a/b is set to both, but normal "
			    "holds: /a allows only normal\n");
}

static void test_policy_narrows(void **state)
{
	AUTO_OUTPUT struct output output;

	tree();
	fixture_cgroup("/a", CGROUP_EFFECTIVE, "off policies\n");
	output = run(cmd_set, "/a", "both", NULL);
	assert_int_equal(output.code, EXIT_OK);
	assert_contains(output.err, "off holds: a BPF policy decides\n");
}

static void test_bad_words(void **state)
{
	static const char *const words[] = { "",   "on",      "OFF",
					     "4",  "-",	      "0x1",
					     "01", "off off", "\x1b[31m" };

	tree();
	for (size_t i = 0; i < COUNT(words); i++) {
		AUTO_OUTPUT struct output output;

		output = run(cmd_set, "/a", "--", words[i], NULL);
		assert_int_equal(output.code, EXIT_USAGE);
		assert_contains(output.err, "is not a mode\nhint: the modes "
					    "are inherit, off, normal, "
					    "tiering and both");
		assert_lacks(output.err, "\x1b");
		assert_mode_file("/a", "inherit\n");
	}
}

/* Each way in which a name leads to no file: code, and what is said. */
static void test_bad_names(void **state)
{
	static const struct {
		const char *name;
		enum exit_code code;
		const char *says;
	} cases[] = {
		{ "", EXIT_USAGE, "the name is empty" },
		{ "..", EXIT_USAGE, "\"..\" leads out of the cgroup tree" },
		{ "/a/../../etc", EXIT_USAGE, "leads out" },
		{ "/sys/fs/cgroup/../x", EXIT_USAGE, "leads out" },
		{ "/", EXIT_USAGE, "sysctl kernel.numa_balancing=VALUE" },
		{ "/sys/fs/cgroup", EXIT_USAGE, "sysctl" },
		{ "/b", EXIT_NO_CGROUP, "the nearest one that exists is /\n" },
		{ "/a/x/y", EXIT_NO_CGROUP, "that exists is /a\n" },
		{ "/a/cpu.weight", EXIT_NO_CGROUP, "no such cgroup" },
		{ "/a/link/x", EXIT_NO_CGROUP, "no such cgroup" },
		{ "/a\nb", EXIT_NO_CGROUP, "cannot set /a\\012b to off" },
	};
	AUTO_FREE char *link = NULL;

	tree();
	link = fixture_path(CGROUP_ROOT "/a/link");
	assert_int_equal(symlink("/etc", link), 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		AUTO_OUTPUT struct output output;

		output = run(cmd_set, cases[i].name, "off", NULL);
		check(output.code == (int)cases[i].code, "\"%s\"",
		      cases[i].name);
		assert_contains(output.err, cases[i].says);
		assert_string_equal(output.out, "");
	}
}

static void test_no_module(void **state)
{
	AUTO_OUTPUT struct output output;

	fixture_cgroup2();
	fixture_cgroup("/a", "cpu.weight", "100\n");
	output = run(cmd_set, "/a", "off", NULL);
	assert_int_equal(output.code, EXIT_NO_MODULE);
	assert_string_equal(output.err,
			    "numab: cannot set /a to off: the kernel module "
			    "numab is not loaded\nhint: load it: modprobe "
			    "numab\n");
}

static void test_no_controller(void **state)
{
	AUTO_OUTPUT struct output output;

	tree();
	fixture_cgroup("/a", "cgroup.subtree_control", "memory\n");
	fixture_cgroup("/a/b", "cgroup.controllers", "memory\n");
	fixture_cgroup("/a/b", "cgroup.subtree_control", "memory\n");
	fixture_cgroup("/a/b/c", "cgroup.controllers", "memory\n");
	output = run(cmd_set, "/a/b/c", "off", NULL);
	assert_int_equal(output.code, EXIT_NO_CONTROLLER);
	assert_string_equal(
		output.err,
		"numab: cannot set /a/b/c to off: the cgroup has no cpu "
		"controller\nhint: enable it from above:\n"
		"  echo +cpu > /sys/fs/cgroup/a/cgroup.subtree_control\n"
		"  echo +cpu > /sys/fs/cgroup/a/b/cgroup.subtree_control\n");
}

static void test_v1_only(void **state)
{
	AUTO_OUTPUT struct output v1 = {}, hybrid = {};

	fixture_module("0\n");
	fixture_file("/proc/self/mountinfo",
		     "32 29 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup "
		     "rw,cpu\n");
	v1 = run(cmd_set, "/a", "off", NULL);
	assert_int_equal(v1.code, EXIT_NO_CGROUP);
	assert_contains(v1.err, "mounts no cgroup v2\nhint: boot with "
				"systemd.unified_cgroup_hierarchy=1");
	fixture_file("/proc/self/mountinfo",
		     "31 23 0:27 / /sys/fs/cgroup/unified rw - cgroup2 none "
		     "rw\n");
	fixture_file("/sys/fs/cgroup/unified/cgroup.controllers", "\n");
	fixture_file("/sys/fs/cgroup/unified/a/cgroup.controllers", "\n");
	hybrid = run(cmd_set, "/a", "off", NULL);
	assert_int_equal(hybrid.code, EXIT_NO_CONTROLLER);
	assert_contains(hybrid.err, "the cgroup v2 tree at "
				    "/sys/fs/cgroup/unified has no cpu "
				    "controller\nhint: a cgroup v1 mount");
}

/* The refusals that only a kernel gives, by errno. */
static void test_refused_writes(void **state)
{
	static const struct {
		int error;
		enum exit_code code;
		const char *why, *hint;
	} cases[] = {
		{ -ENODEV, EXIT_NO_CGROUP, "removed meanwhile", NULL },
		{ -EACCES, EXIT_DENIED, "may not be written by you",
		  "run this as root" },
		{ -EPERM, EXIT_DENIED, "enabling both here needs CAP_SYS_NICE",
		  "/a allows only normal" },
		{ -EROFS, EXIT_DENIED, "mounted read-only", "container" },
		{ -EOPNOTSUPP, EXIT_UNSUPPORTED, "lacks a decision point",
		  "\n  fb is absent: no such function\n  fc is held: klp" },
		{ -EBUSY, EXIT_UNSUPPORTED, "held by somebody else",
		  "missing:\n  fc is held: klp" },
		{ -EINVAL, EXIT_FAILED, "does not know this mode",
		  "numab --version" },
		{ -EIO, EXIT_FAILED, "Input/output error", NULL },
	};
	AUTO_TARGET struct target target = TARGET_NONE;
	AUTO_REFUSAL struct refusal refusal = {};

	tree();
	fixture_workload("/a", "normal\n", "normal\n");
	fixture_workload("/a/b", "inherit\n", "normal\n");
	fixture_file("/sys/kernel/numab/points",
		     "fa live\nfb absent no such function\nfc held klp\n");
	assert_int_equal(target_open("/a/b", &target, &refusal), 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		refusal_of_write(&target, NUMAB_BOTH, cases[i].error, &refusal);
		assert_int_equal(refusal.code, cases[i].code);
		assert_contains(refusal.why, cases[i].why);
		if (cases[i].hint)
			assert_contains(refusal.hint, cases[i].hint);
		else
			assert_null(refusal.hint);
	}
}

/* Enabling where no ancestor speaks: the system default is what refuses. */
static void test_refused_by_the_system_default(void **state)
{
	AUTO_TARGET struct target target = TARGET_NONE;
	AUTO_REFUSAL struct refusal refusal = {};

	tree();
	assert_int_equal(target_open("/a", &target, &refusal), 0);
	refusal_of_write(&target, NUMAB_NORMAL, -EPERM, &refusal);
	assert_contains(refusal.hint, "neither an ancestor nor "
				      "kernel.numa_balancing allows it");
}

static int exit_code_of(char **argv, int argc)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		fclose(stderr);
		_exit(cmd_set(argc, argv));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_wrong_usage(void **state)
{
	char *none[] = { "numab set", NULL };
	char *one[] = { "numab set", "/a", NULL };
	char *three[] = { "numab set", "/a", "off", "on", NULL };
	char *option[] = { "numab set", "--nope", NULL };

	tree();
	argp_err_exit_status = EXIT_USAGE;
	assert_int_equal(exit_code_of(none, 1), EXIT_USAGE);
	assert_int_equal(exit_code_of(one, 2), EXIT_USAGE);
	assert_int_equal(exit_code_of(three, 4), EXIT_USAGE);
	assert_int_equal(exit_code_of(option, 2), EXIT_USAGE);
	assert_mode_file("/a", "inherit\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		fixture_test(test_every_word),
		fixture_test(test_verbose),
		fixture_test(test_ancestor_narrows),
		fixture_test(test_policy_narrows),
		fixture_test(test_bad_words),
		fixture_test(test_bad_names),
		fixture_test(test_no_module),
		fixture_test(test_no_controller),
		fixture_test(test_v1_only),
		fixture_test(test_refused_writes),
		fixture_test(test_refused_by_the_system_default),
		fixture_test(test_wrong_usage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
