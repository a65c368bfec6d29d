// SPDX-License-Identifier: GPL-2.0
/*
 * include/numab.h, as a program has it that knows nothing else. Run from the
 * root of the tree.
 */
#include <stdlib.h>
#include <unistd.h>

#include "fixture.h"
#include "mode.h"
#include "numab.h"
#include "task.h"

#define COMPILE                                                           \
	"clang%s -Wall -Wextra -Wshadow -Werror -pedantic -fsyntax-only " \
	"%s examples/self_opt_out.c"

static void assert_compiles(const char *compiler, const char *language)
{
	char command[256];

	snprintf(command, sizeof(command), COMPILE, compiler, language);
	check(!system(command), "%s", command);
}

static void test_languages(void **state)
{
	assert_compiles("", "-std=c99");
	assert_compiles("", "-std=gnu2x");
	assert_compiles("++", "-x c++ -std=c++98");
	assert_compiles("++", "-x c++ -std=c++20");
}

/* The layout of the first version, which no later one may change. */
static void test_layout(void **state)
{
	static const size_t offsets[] = {
		offsetof(struct numab_attr, size),
		offsetof(struct numab_attr, pidfd),
		offsetof(struct numab_attr, fields),
		offsetof(struct numab_attr, mode),
		offsetof(struct numab_attr, hot_threshold_ms),
		offsetof(struct numab_attr, scan_size_mb),
		offsetof(struct numab_attr, scan_period_min_ms),
		offsetof(struct numab_attr, scan_period_max_ms),
		offsetof(struct numab_attr, promote_mbps),
		offsetof(struct numab_attr, cgroup_mode),
		offsetof(struct numab_attr, effective_mode),
	};

	for (size_t i = 0; i < COUNT(offsets); i++)
		assert_int_equal(offsets[i], 4 * i);
	assert_int_equal(NUMAB_IOC_GET, 0xba01);
	assert_int_equal(NUMAB_IOC_SET, 0xba02);
}

/* The interface's numbers are those that everything else goes by. */
static void test_modes(void **state)
{
	assert_int_equal(NUMAB_MODE_INHERIT, NUMAB_INHERIT);
	assert_int_equal(NUMAB_MODE_OFF, NUMAB_OFF);
	assert_int_equal(NUMAB_MODE_NORMAL, NUMAB_NORMAL);
	assert_int_equal(NUMAB_MODE_TIERING, NUMAB_TIERING);
	assert_int_equal(NUMAB_MODE_BOTH, NUMAB_BOTH);
}

static void test_values(void **state)
{
	struct numab_tuning values = { { 1, 2, 3, 4, 5 } }, back;
	struct numab_attr attr = {};

	task_set_values(&attr, &values);
	assert_int_equal(attr.hot_threshold_ms, 1);
	assert_int_equal(attr.scan_size_mb, 2);
	assert_int_equal(attr.scan_period_min_ms, 3);
	assert_int_equal(attr.scan_period_max_ms, 4);
	assert_int_equal(attr.promote_mbps, 5);
	back = task_values(&attr);
	assert_memory_equal(&back, &values, sizeof(back));
}

/* The header's own calls, on whatever this machine is. */
static void test_device(void **state)
{
	int want = access(NUMAB_DEVICE, F_OK) ? -ENOENT : 0;
	struct numab_attr attr;

	assert_int_equal(numab_get(NUMAB_SELF, &attr), want);
	assert_int_equal(attr.size, want ? 0 : sizeof(attr));
	assert_int_equal(numab_set_mode(NUMAB_SELF, NUMAB_MODE_INHERIT), want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_languages), cmocka_unit_test(test_layout),
		cmocka_unit_test(test_modes),	  cmocka_unit_test(test_values),
		cmocka_unit_test(test_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
