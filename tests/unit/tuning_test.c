// SPDX-License-Identifier: GPL-2.0
/* A workload's own values: every form of text, every range, every chain. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "test.h"
#include "tuning.h"

#define UNTOUCHED 42424242

/* The ranges once more, as the manual has them. */
static const struct numab_knob_range ranges[] = {
	[KNOB_HOT_THRESHOLD] = { "hot_threshold_ms", 1, 600000 },
	[KNOB_SCAN_SIZE] = { "scan_size_mb", 1, 65536 },
	[KNOB_SCAN_PERIOD_MIN] = { "scan_period_min_ms", 10, 120000 },
	[KNOB_SCAN_PERIOD_MAX] = { "scan_period_max_ms", 10, 120000 },
	[KNOB_PROMOTE_RATE] = { "promote_mbps", 1, 1048576 },
};

static const char *const around[][2] = {
	{ "", "" },  { "", "\n" },     { " ", "" },
	{ "", " " }, { "\t", "\r\n" }, { " \n\t ", " \n \n" },
};

static void test_ranges(void **state)
{
	assert_int_equal(COUNT(ranges), NR_KNOBS);
	for (int knob = 0; knob < NR_KNOBS; knob++) {
		assert_string_equal(numab_knobs[knob].name, ranges[knob].name);
		assert_int_equal(numab_knobs[knob].min, ranges[knob].min);
		assert_int_equal(numab_knobs[knob].max, ranges[knob].max);
	}
}

/* The text in a block of its own, so that ASan sees its end. */
static int parse_sized(int knob, const char *text, size_t len,
		       unsigned int *ret_value)
{
	char *copy = test_malloc(len ? len : 1);
	int ret;

	memcpy(copy, text, len);
	ret = numab_knob_parse(knob, copy, len, ret_value);
	test_free(copy);
	return ret;
}

static void assert_parses(int knob, const char *text, unsigned int want)
{
	unsigned int value = UNTOUCHED;
	int ret = parse_sized(knob, text, strlen(text), &value);

	check(!ret && value == want, "%s: \"%s\" gives %d, %u",
	      ranges[knob].name, text, ret, value);
}

static void assert_refused(int knob, const char *text, size_t len)
{
	unsigned int value = UNTOUCHED;
	int ret = parse_sized(knob, text, len, &value);

	check(ret == -EINVAL && value == UNTOUCHED, "%s: \"%s\" gives %d, %u",
	      ranges[knob].name, text, ret, value);
}

static void test_words(void **state)
{
	char text[64];

	for (int knob = 0; knob < NR_KNOBS; knob++)
		for (size_t a = 0; a < COUNT(around); a++) {
			snprintf(text, sizeof(text), "%sdefault%s",
				 around[a][0], around[a][1]);
			assert_parses(knob, text, 0);
			snprintf(text, sizeof(text), "%smax%s", around[a][0],
				 around[a][1]);
			assert_parses(knob, text, ranges[knob].max);
			snprintf(text, sizeof(text), "%s1234%s", around[a][0],
				 around[a][1]);
			assert_parses(knob, text, 1234);
		}
}

static void test_range_edges(void **state)
{
	char text[32];

	for (int knob = 0; knob < NR_KNOBS; knob++) {
		unsigned int min = ranges[knob].min, max = ranges[knob].max;
		const unsigned int inside[] = { min, min + 1, max / 2, max - 1,
						max };
		const unsigned int outside[] = { 0,	  min - 1, max + 1,
						 max + 9, max * 2, max * 10,
						 INT_MAX, UINT_MAX };

		for (size_t i = 0; i < COUNT(inside); i++) {
			snprintf(text, sizeof(text), "%u", inside[i]);
			assert_parses(knob, text, inside[i]);
		}
		for (size_t i = 0; i < COUNT(outside); i++) {
			snprintf(text, sizeof(text), "%u", outside[i]);
			assert_refused(knob, text, strlen(text));
		}
	}
}

/* All numbers around each power of ten, where a digit more is looked at. */
static void test_every_length(void **state)
{
	char text[32];

	for (int knob = 0; knob < NR_KNOBS; knob++)
		for (uint64_t ten = 1; ten <= 1000000000000; ten *= 10)
			for (uint64_t n = ten - 1; n <= ten + 1; n++) {
				snprintf(text, sizeof(text), "%llu",
					 (unsigned long long)n);
				if (n >= ranges[knob].min &&
				    n <= ranges[knob].max)
					assert_parses(knob, text, n);
				else
					assert_refused(knob, text,
						       strlen(text));
			}
}

#define TEXT(text)                     \
	{                              \
		text, sizeof(text) - 1 \
	}

static const struct {
	const char *text;
	size_t len;
} rubbish[] = {
	TEXT(""),
	TEXT(" "),
	TEXT("\n"),
	TEXT("0"),
	TEXT("00"),
	TEXT("0100"),
	TEXT("0x64"),
	TEXT("0b11"),
	TEXT("+100"),
	TEXT("-100"),
	TEXT("-1"),
	TEXT("100.0"),
	TEXT("1e3"),
	TEXT("1,000"),
	TEXT("100ms"),
	TEXT("100 ms"),
	TEXT("100k"),
	TEXT("100 100"),
	TEXT("100\n100"),
	TEXT("100:200"),
	TEXT("100-200"),
	TEXT("default1"),
	TEXT("defaults"),
	TEXT("Default"),
	TEXT("MAX"),
	TEXT("ma"),
	TEXT("maxi"),
	TEXT("max max"),
	TEXT("default 100"),
	TEXT("inherit"),
	TEXT("off"),
	TEXT("none"),
	TEXT("100\0"),
	TEXT("\0100"),
	TEXT("1\0000"),
	TEXT("max\0"),
	TEXT("default\0"),
	TEXT("\0"),
	TEXT("100\v"),
	TEXT("\f100"),
	TEXT("100\xc2\xa0"),
	TEXT("\xef\xbc\x91"),
	TEXT("/00"),
	TEXT("1:0"),
	TEXT("'100'"),
	/* What is 100 in 32 or 64 bits that wrap. */
	TEXT("4294967396"),
	TEXT("18446744073709551716"),
	TEXT("340282366920938463463374607431768211556"),
	TEXT("99999999999999999999999999999999999999999999999999"),
};

static void test_rubbish(void **state)
{
	for (int knob = 0; knob < NR_KNOBS; knob++)
		for (size_t i = 0; i < COUNT(rubbish); i++)
			assert_refused(knob, rubbish[i].text, rubbish[i].len);
}

/* buf need not be terminated: what follows must not be looked at. */
static void test_stops_at_the_length(void **state)
{
	unsigned int value, min, max;

	assert_int_equal(numab_knob_parse(KNOB_SCAN_SIZE, "12345x", 3, &value),
			 0);
	assert_int_equal(value, 123);
	assert_int_equal(numab_knob_parse(KNOB_SCAN_SIZE, "maxi", 3, &value),
			 0);
	assert_int_equal(value, 65536);
	assert_int_equal(numab_scan_period_parse("10 200 x", 5, &min, &max), 0);
	assert_int_equal(min, 10);
	assert_int_equal(max, 20);
}

/* Each byte behind, before, within and alone. */
static void test_every_byte(void **state)
{
	for (int byte = 0; byte < 256; byte++) {
		char behind[] = { '9', '9', byte }, before[] = { byte, '9' };
		char within[] = { '9', byte, '9' }, alone = byte;
		bool blank = byte && strchr(" \t\r\n", byte);
		bool digit = byte >= '0' && byte <= '9';
		unsigned int value;

		assert_int_equal(numab_knob_parse(KNOB_SCAN_SIZE, behind, 3,
						  &value),
				 blank || digit ? 0 : -EINVAL);
		assert_int_equal(numab_knob_parse(KNOB_SCAN_SIZE, before, 2,
						  &value),
				 blank || (digit && byte != '0') ? 0 : -EINVAL);
		assert_int_equal(numab_knob_parse(KNOB_SCAN_SIZE, within, 3,
						  &value),
				 digit ? 0 : -EINVAL);
		assert_int_equal(numab_knob_parse(KNOB_SCAN_SIZE, &alone, 1,
						  &value),
				 digit && byte != '0' ? 0 : -EINVAL);
	}
}

static void test_huge(void **state)
{
	static const char fills[] = { '0', '1', '9', ' ', 'm', '\0' };
	const size_t size = 1 << 20;
	char *text = test_malloc(size);
	unsigned int value = UNTOUCHED, min = UNTOUCHED, max = UNTOUCHED;

	for (size_t i = 0; i < COUNT(fills); i++) {
		memset(text, fills[i], size);
		assert_int_equal(numab_knob_parse(KNOB_SCAN_SIZE, text, size,
						  &value),
				 -EINVAL);
		assert_int_equal(numab_scan_period_parse(text, size, &min,
							 &max),
				 -EINVAL);
		assert_int_equal(value, UNTOUCHED);
		assert_int_equal(min, UNTOUCHED);
		assert_int_equal(max, UNTOUCHED);
	}
	memset(text, ' ', size);
	memcpy(text + size / 2, "77", 2);
	assert_int_equal(numab_knob_parse(KNOB_SCAN_SIZE, text, size, &value),
			 0);
	assert_int_equal(value, 77);
	test_free(text);
}

static void test_periods(void **state)
{
	static const struct {
		const char *text;
		unsigned int min, max;
	} good[] = {
		{ "default", 0, 0 },
		{ "default default", 0, 0 },
		{ "10", 10, 0 },
		{ "120000", 120000, 0 },
		{ "10 120000", 10, 120000 },
		{ "100 2000", 100, 2000 },
		{ "100 default", 100, 0 },
		{ "default 2000", 0, 2000 },
		{ "default 10", 0, 10 },
		{ "100 max", 100, 120000 },
		{ "default max", 0, 120000 },
		{ "120000 max", 120000, 120000 },
		{ "100 100", 100, 100 },
		{ "100  2000", 100, 2000 },
		{ "100\t2000", 100, 2000 },
		{ "100\n2000", 100, 2000 },
	};
	char text[64];

	for (size_t i = 0; i < COUNT(good); i++)
		for (size_t a = 0; a < COUNT(around); a++) {
			unsigned int min = UNTOUCHED, max = UNTOUCHED;
			int len = snprintf(text, sizeof(text), "%s%s%s",
					   around[a][0], good[i].text,
					   around[a][1]);

			check(!numab_scan_period_parse(text, len, &min, &max),
			      "%s", text);
			check(min == good[i].min && max == good[i].max,
			      "%s gives %u %u", text, min, max);
		}
}

static void assert_periods_refused(const char *text, size_t len)
{
	unsigned int min = UNTOUCHED, max = UNTOUCHED;
	int ret = numab_scan_period_parse(text, len, &min, &max);

	check(ret == -EINVAL && min == UNTOUCHED && max == UNTOUCHED,
	      "\"%s\" gives %d, %u %u", text, ret, min, max);
}

static void test_bad_periods(void **state)
{
	static const char *const bad[] = {
		"9",	    "120001",	      "9 100",	     "100 9",
		"0 100",    "100 0",	      "100 120001",  "101 100",
		"2000 100", "120000 10",      "max",	     "max max",
		"max 100",  "max default",    "100:2000",    "100-2000",
		"100,2000", "100 2000 3000",  "100 200 max", "100 default 1",
		"100 x",    "x 100",	      "default x",   "x default",
		"100 -1",   "default:default"
	};

	for (size_t i = 0; i < COUNT(bad); i++)
		assert_periods_refused(bad[i], strlen(bad[i]));
	assert_periods_refused("100\0002000", 8);
	assert_periods_refused("100 2000\0", 9);
	assert_periods_refused("100\0", 4);
	assert_periods_refused("default\0", 8);
}

/* As the one of two, each rubbish is refused as it is alone. */
static void test_rubbish_as_a_period(void **state)
{
	char text[128];

	for (size_t i = 0; i < COUNT(rubbish); i++) {
		size_t len = rubbish[i].len;

		/* White space only is not there; two words are periods. */
		if (strspn(rubbish[i].text, " \n") == len ||
		    strpbrk(rubbish[i].text, " \n"))
			continue;
		assert_periods_refused(rubbish[i].text, len);
		memcpy(text, "100 ", 4);
		memcpy(text + 4, rubbish[i].text, len);
		assert_periods_refused(text, 4 + len);
		memcpy(text, rubbish[i].text, len);
		memcpy(text + len, " 120000", 8);
		assert_periods_refused(text, len + 8);
	}
}

/* Bit k of set: the place has a value for knob k, which is its own number. */
static struct numab_tuning place(unsigned int set, unsigned int number)
{
	struct numab_tuning tuning = {};

	for (int knob = 0; knob < NR_KNOBS; knob++)
		if (set >> knob & 1)
			tuning.value[knob] = 100 * number + knob;
	return tuning;
}

/* For each knob the nearest of three that has it; from either end. */
static void assert_inherits(unsigned int a, unsigned int b, unsigned int c)
{
	const unsigned int sets[] = { a, b, c };
	struct numab_tuning up = place(a, 1), down = place(b, 2);
	struct numab_tuning middle = place(b, 2), top = place(c, 3);

	numab_tuning_inherit(&up, &middle);
	numab_tuning_inherit(&up, &top);
	numab_tuning_inherit(&down, &top);
	middle = down;
	down = place(a, 1);
	numab_tuning_inherit(&down, &middle);
	for (int knob = 0; knob < NR_KNOBS; knob++) {
		unsigned int want = 0;

		for (int i = 2; i >= 0; i--)
			if (sets[i] >> knob & 1)
				want = 100 * (i + 1) + knob;
		check(up.value[knob] == want && down.value[knob] == want,
		      "%s of %#x %#x %#x: %u and %u", ranges[knob].name, a, b,
		      c, up.value[knob], down.value[knob]);
	}
}

static void test_inherit(void **state)
{
	const unsigned int all = 1u << NR_KNOBS;

	for (unsigned int a = 0; a < all; a++)
		for (unsigned int b = 0; b < all; b++)
			for (unsigned int c = 0; c < all; c++)
				assert_inherits(a, b, c);
}

static void test_empty(void **state)
{
	for (unsigned int set = 0; set < 1u << NR_KNOBS; set++) {
		struct numab_tuning tuning = place(set, 1);

		assert_int_equal(numab_tuning_is_empty(&tuning), !set);
	}
}

/* Dropping leaves what is free, and all of that. */
static void test_drop_heavier(void **state)
{
	struct numab_tuning base = { .value = { 100, 200, 300, 400, 0 } };
	struct numab_tuning own = { .value = { 100, 201, 299, 500, 7 } };
	struct numab_tuning none = { .value = { 0 } };

	assert_false(numab_tuning_is_free(&own, &base));
	numab_tuning_drop_heavier(&own, &base);
	assert_true(numab_tuning_is_free(&own, &base));
	assert_int_equal(own.value[KNOB_HOT_THRESHOLD], 100);
	assert_int_equal(own.value[KNOB_SCAN_SIZE], 0);
	assert_int_equal(own.value[KNOB_SCAN_PERIOD_MIN], 0);
	assert_int_equal(own.value[KNOB_SCAN_PERIOD_MAX], 500);
	assert_int_equal(own.value[KNOB_PROMOTE_RATE], 0); /* base unknown */
	numab_tuning_drop_heavier(&none, &base);
	assert_true(numab_tuning_is_empty(&none));
}

static void test_valid(void **state)
{
	for (int knob = 0; knob < NR_KNOBS; knob++) {
		const struct numab_knob_range *range = &numab_knobs[knob];
		struct numab_tuning own = { .value = { 0 } };

		assert_true(numab_tuning_is_valid(&own));
		own.value[knob] = range->min;
		assert_true(numab_tuning_is_valid(&own));
		own.value[knob] = range->max;
		assert_true(numab_tuning_is_valid(&own));
		own.value[knob] = range->max + 1;
		assert_false(numab_tuning_is_valid(&own));
		own.value[knob] = range->min - 1;
		assert_int_equal(numab_tuning_is_valid(&own), !own.value[knob]);
	}
	assert_false(numab_tuning_is_valid(
		&(struct numab_tuning){ .value = { 0, 0, 20, 10 } }));
	assert_true(numab_tuning_is_valid(
		&(struct numab_tuning){ .value = { 0, 0, 20, 20 } }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_range_edges),
		cmocka_unit_test(test_every_length),
		cmocka_unit_test(test_rubbish),
		cmocka_unit_test(test_stops_at_the_length),
		cmocka_unit_test(test_every_byte),
		cmocka_unit_test(test_huge),
		cmocka_unit_test(test_periods),
		cmocka_unit_test(test_bad_periods),
		cmocka_unit_test(test_rubbish_as_a_period),
		cmocka_unit_test(test_inherit),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_drop_heavier),
		cmocka_unit_test(test_valid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
