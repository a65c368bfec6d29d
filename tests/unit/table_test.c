// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "table.h"
#include "test.h"

static void assert_prints(const struct table *table, const char *want)
{
	char *got;
	size_t size;
	FILE *out = open_memstream(&got, &size);

	assert_int_equal(table_print(table, out), 0);
	fclose(out);
	assert_string_equal(got, want);
	free(got);
}

static void test_columns_line_up(void **state)
{
	AUTO_TABLE struct table table = { .columns = 3, .left = 1 };
	static const char *const cells[] = { "NAME",  "A",    "BYTES",
					     "größe", "1000", "-",
					     "x",     "7",    "123456" };

	for (size_t i = 0; i < COUNT(cells); i++)
		table_add(&table, "%s", cells[i]);
	assert_prints(&table, "NAME      A   BYTES\n"
			      "größe  1000       -\n"
			      "x         7  123456\n");
}

static void test_no_blanks_at_the_end(void **state)
{
	AUTO_TABLE struct table table = { .columns = 2, .left = 2 };

	for (int i = 0; i < 3; i++) {
		table_add(&table, "k%d", i * 500);
		table_add(&table, "%s", i == 0 ? "v" : i == 1 ? "" : "long");
	}
	assert_prints(&table, "k0     v\nk500\nk1000  long\n");
}

static void test_empty(void **state)
{
	AUTO_TABLE struct table table = { .columns = 2, .left = 2 };

	assert_prints(&table, "");
}

static void test_many(void **state)
{
	AUTO_TABLE struct table table = { .columns = 1 };

	for (int i = 0; i < 5000; i++)
		table_add(&table, "%d", i);
	assert_int_equal(table.count, 5000);
	assert_int_equal(table.error, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns_line_up),
		cmocka_unit_test(test_no_blanks_at_the_end),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
