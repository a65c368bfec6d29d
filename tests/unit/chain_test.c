// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "chain.h"
#include "fixture.h"
#include "mode.h"

static void test_read(void **state)
{
	AUTO_CHAIN struct chain chain = {};

	fixture_module("1\n");
	fixture_workload("/a", "both\n", "both\n");
	fixture_workload("/a/b", "normal\n", "normal\n");
	fixture_workload("/a/b/c", "inherit\n", "normal\n");
	fixture_cgroup("/a/b/c/d", "cgroup.controllers", "\n");
	assert_int_equal(chain_read(CGROUP_ROOT, "/a/b/c/d", &chain), 0);
	assert_int_equal(chain.count, 4);
	assert_string_equal(chain.links[0].path, "/a/b/c/d");
	assert_string_equal(chain.links[3].path, "/a");
	assert_false(chain.links[0].has_file);
	assert_true(chain.links[1].has_file);
	assert_int_equal(chain.links[1].opinion, NUMAB_INHERIT);
	assert_int_equal(chain_effective(&chain), NUMAB_NORMAL);
	assert_true(chain_has_opinion(&chain));
	assert_string_equal(chain_find_narrowing(&chain, NUMAB_TIERING)->path,
			    "/a/b");
	assert_null(chain_find_narrowing(&chain, NUMAB_NORMAL));
	assert_int_equal(chain.written, 1);
}

/* The cgroup's own opinion narrows nothing: it is what was asked for. */
static void test_own_opinion_is_not_narrowing(void **state)
{
	AUTO_CHAIN struct chain chain = {};

	fixture_workload("/a", "off\n", "off\n");
	assert_int_equal(chain_read(CGROUP_ROOT, "/a", &chain), 0);
	assert_null(chain_find_narrowing(&chain, NUMAB_BOTH));
}

static void test_system_default(void **state)
{
	AUTO_CHAIN struct chain root = {}, chain = {};

	fixture_cgroup2();
	fixture_file("/proc/sys/kernel/numa_balancing", "2\n");
	assert_int_equal(chain_read(CGROUP_ROOT, "/", &root), 0);
	assert_int_equal(root.count, 0);
	assert_int_equal(chain_effective(&root), NUMAB_TIERING);
	assert_false(chain_has_opinion(&root));
	/* What the module says goes first; 4 is the default of 0. */
	fixture_module("4\n");
	fixture_workload("/a", "inherit\n", "off\n");
	assert_int_equal(chain_read(CGROUP_ROOT, "/a", &chain), 0);
	assert_int_equal(chain.written, 4);
	assert_int_equal(chain_effective(&chain), NUMAB_OFF);
}

static void test_errors(void **state)
{
	AUTO_CHAIN struct chain chain = {};

	fixture_cgroup2();
	assert_int_equal(chain_read(CGROUP_ROOT, "/a", &chain), -ENOENT);
	fixture_workload("/a", "rubbish\n", "off\n");
	assert_int_equal(chain_read(CGROUP_ROOT, "/a", &chain), -EINVAL);
	assert_int_equal(chain.count, 0);
	assert_int_equal(chain_system_written(), -ENOENT);
	fixture_file("/proc/sys/kernel/numa_balancing", "9\n");
	assert_int_equal(chain_system_written(), -ERANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		fixture_test(test_read),
		fixture_test(test_own_opinion_is_not_narrowing),
		fixture_test(test_system_default),
		fixture_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
