// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "text.h"

static struct span span_of(const char *text)
{
	return (struct span){ text, strlen(text) };
}

static void test_lines(void **state)
{
	const char *text = "a b\n\nlast";
	struct span line;

	assert_true(text_next_line(&text, &line));
	assert_true(text_equals(line, "a b"));
	assert_true(text_next_line(&text, &line));
	assert_true(text_equals(line, ""));
	assert_true(text_next_line(&text, &line));
	assert_true(text_equals(line, "last"));
	assert_false(text_next_line(&text, &line));
	assert_false(text_next_line(&text, &line));
}

static void test_words(void **state)
{
	struct span rest = span_of(" \tone  two\r\n"), word;

	assert_true(text_next_word(&rest, &word));
	assert_true(text_equals(word, "one"));
	assert_true(text_next_word(&rest, &word));
	assert_true(text_equals(word, "two"));
	assert_false(text_next_word(&rest, &word));
	assert_false(text_equals(word, "tw"));
	assert_false(text_equals(word, "twos"));
}

static void test_has_word(void **state)
{
	assert_true(text_has_word("cpuset cpu io\n", "cpu"));
	assert_true(text_has_word("cpu", "cpu"));
	assert_false(text_has_word("cpuset io\n", "cpu"));
	assert_false(text_has_word("", "cpu"));
}

static void test_numbers(void **state)
{
	static const struct {
		const char *text;
		int ret;
		uint64_t value;
	} cases[] = {
		{ "0", 0, 0 },
		{ "007", 0, 7 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "99999999999999999999999", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },
		{ "0x1", -EINVAL, 0 },
		{ "1 ", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },
		{ "1k", -EINVAL, 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t value = 42;

		check(text_parse_u64(span_of(cases[i].text), &value) ==
			      cases[i].ret,
		      "\"%s\"", cases[i].text);
		assert_int_equal(value, cases[i].ret ? 42 : cases[i].value);
	}
}

static void test_nodes(void **state)
{
	static const struct {
		const char *text;
		int ret;
		unsigned int count, member;
	} cases[] = {
		{ "0\n", 0, 1, 0 },	      { "0-3\n", 0, 4, 3 },
		{ "0-1,4,6-7", 0, 5, 6 },     { "1023", 0, 1, 1023 },
		{ "2,2,2-2", 0, 1, 2 },	      { "1024", -ERANGE, 0, 0 },
		{ "0-99999", -ERANGE, 0, 0 }, { "3-1", -EINVAL, 0, 0 },
		{ ",", -EINVAL, 0, 0 },	      { "1,", -EINVAL, 0, 0 },
		{ "1-", -EINVAL, 0, 0 },      { "-1", -EINVAL, 0, 0 },
		{ "1 2", -EINVAL, 0, 0 },     { "a", -EINVAL, 0, 0 },
		{ "1-2-3", -EINVAL, 0, 0 },
	};
	struct nodes nodes = {};

	assert_int_equal(nodes_parse("\n", &nodes), 0);
	assert_int_equal(nodes_count(&nodes), 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		memset(&nodes, 0, sizeof(nodes));
		check(nodes_parse(cases[i].text, &nodes) == cases[i].ret,
		      "\"%s\"", cases[i].text);
		assert_int_equal(nodes_count(&nodes), cases[i].count);
		if (!cases[i].ret)
			assert_true(nodes_has(&nodes, cases[i].member));
	}
}

/* name, as shown in a table, as put into JSON */
static const char *const names[][3] = {
	{ "/a.service", "/a.service", "/a.service" },
	{ "/a b", "/a\\040b", "/a b" },
	{ "/a\nb\t", "/a\\012b\\011", "/a\nb\t" },
	{ "/\x1b[31m", "/\\033[31m", "/\x1b[31m" },
	{ "/a\\x2db", "/a\\x2db", "/a\\x2db" },
	{ "/\"q\"", "/\"q\"", "/\"q\"" },
	{ "/größe", "/größe", "/größe" },
	{ "/\xe2\x82\xac", "/\xe2\x82\xac", "/\xe2\x82\xac" },
	{ "/\xc2\x9b", "/\\302\\233", "/\xc2\x9b" },
	{ "/\xff", "/\\377", "/\\377" },
	{ "/\xc0\xaf", "/\\300\\257", "/\\300\\257" }, /* overlong */
	{ "/\xed\xa0\x80", "/\\355\\240\\200", "/\\355\\240\\200" },
	{ "/\xf0\x9f\x98\x80", "/\xf0\x9f\x98\x80", "/\xf0\x9f\x98\x80" },
	{ "/\xf4\x90\x80\x80", "/\\364\\220\\200\\200",
	  "/\\364\\220\\200\\200" },
	{ "/\xe2\x82", "/\\342\\202", "/\\342\\202" }, /* cut off */
	{ "\x7f", "\\177", "\x7f" },
	{ "", "", "" },
};

static void test_names(void **state)
{
	for (size_t i = 0; i < COUNT(names); i++) {
		char *shown = text_printable(names[i][0]);
		char *utf8 = text_utf8(names[i][0]);

		assert_string_equal(shown, names[i][1]);
		assert_string_equal(utf8, names[i][2]);
		free(shown);
		free(utf8);
	}
}

static void test_columns(void **state)
{
	assert_int_equal(text_columns(""), 0);
	assert_int_equal(text_columns("abc"), 3);
	assert_int_equal(text_columns("größe"), 5);
}

static void test_chomp(void **state)
{
	char text[] = " a b \r\n\n", blank[] = " \n";

	text_chomp(text);
	assert_string_equal(text, " a b");
	text_chomp(blank);
	assert_string_equal(blank, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),	 cmocka_unit_test(test_words),
		cmocka_unit_test(test_has_word), cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_nodes),	 cmocka_unit_test(test_names),
		cmocka_unit_test(test_columns),	 cmocka_unit_test(test_chomp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
