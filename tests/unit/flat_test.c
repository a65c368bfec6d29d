// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>

#include "flat.h"
#include "test.h"

static void test_find(void **state)
{
	const char *text = "anon 4096\nanon_thp 8192\nfile 0\n";
	uint64_t value = 42;

	assert_int_equal(flat_find(text, "anon", &value), 0);
	assert_int_equal(value, 4096);
	assert_int_equal(flat_find(text, "file", &value), 0);
	assert_int_equal(value, 0);
	assert_int_equal(flat_find(text, "ano", &value), -ENOENT);
	assert_int_equal(flat_find("", "anon", &value), -ENOENT);
	assert_int_equal(value, 0);
}

static void test_rubbish_is_passed_over(void **state)
{
	const char *text = "\n  \nkey\nkey -1\nkey 0x1\nkey 1 2\n 7\n"
			   "key 18446744073709551616\nlast 3";
	struct flat_entry entry;

	assert_true(flat_next(&text, &entry));
	assert_true(text_equals(entry.key, "last"));
	assert_int_equal(entry.value, 3);
	assert_false(flat_next(&text, &entry));
}

static void test_numa_stat(void **state)
{
	struct node_bytes sum;
	const char *text = "anon N0=100 N1=0 N3=7\n"
			   "file N0=11 N1=22 N3=0\n"
			   "kernel_stack N0=1000 N1=1000 N3=1000\n"
			   "shmem N0=11 N1=0 N3=0\n"
			   "inactive_anon N0=100 N1=0 N3=7\n";

	assert_int_equal(numa_stat_parse(text, &sum), 0);
	assert_int_equal(nodes_count(&sum.seen), 3);
	assert_int_equal(sum.count, 4);
	assert_int_equal(sum.bytes[0], 111);
	assert_int_equal(sum.bytes[1], 22);
	assert_int_equal(sum.bytes[2], 0);
	assert_int_equal(sum.bytes[3], 7);
	assert_false(nodes_has(&sum.seen, 2));
	free(sum.bytes);
}

static void test_numa_stat_rubbish(void **state)
{
	static const char *const texts[] = {
		"",
		"\n\n",
		"anon\n",
		"anon N0\n",
		"anon N=1\n",
		"anon N0=\n",
		"anon N0=-1\n",
		"anon 0=1\n",
		"anon N1024=1\n",
		"anon N99999999999999999999=1\n",
		"anon Nx=1 =\n",
		"anonN0=1\n",
		"anon N0=0x10",
	};
	struct node_bytes sum;

	for (size_t i = 0; i < COUNT(texts); i++) {
		assert_int_equal(numa_stat_parse(texts[i], &sum), 0);
		check(!sum.count && !nodes_count(&sum.seen), "%s", texts[i]);
		assert_null(sum.bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_rubbish_is_passed_over),
		cmocka_unit_test(test_numa_stat),
		cmocka_unit_test(test_numa_stat_rubbish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
