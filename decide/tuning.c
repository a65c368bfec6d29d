// SPDX-License-Identifier: GPL-2.0
#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#else
#include <errno.h>
#include <string.h>
#endif

#include "tuning.h"

/* Ten hours are as good as never, 64 GB as good as all, a TB/s no limit. */
const struct numab_knob_range numab_knobs[NR_KNOBS] = {
	[KNOB_HOT_THRESHOLD] = { "hot_threshold_ms", 1, 600000 },
	[KNOB_SCAN_SIZE] = { "scan_size_mb", 1, 65536 },
	[KNOB_SCAN_PERIOD_MIN] = { "scan_period_min_ms", 10, 120000 },
	[KNOB_SCAN_PERIOD_MAX] = { "scan_period_max_ms", 10, 120000 },
	[KNOB_PROMOTE_RATE] = { "promote_mbps", 1, 1048576 },
};

/* A piece of what was written, not terminated. */
struct word {
	const char *start;
	size_t len;
};

void numab_tuning_inherit(struct numab_tuning *own,
			  const struct numab_tuning *above)
{
	int knob;

	for (knob = 0; knob < NR_KNOBS; knob++)
		if (!own->value[knob])
			own->value[knob] = above->value[knob];
}

bool numab_tuning_is_empty(const struct numab_tuning *tuning)
{
	int knob;

	for (knob = 0; knob < NR_KNOBS; knob++)
		if (tuning->value[knob])
			return false;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Cut the next word off rest; false when there is none. */
static bool next_word(struct word *rest, struct word *ret_word)
{
	while (rest->len && is_blank(*rest->start)) {
		rest->start++;
		rest->len--;
	}
	ret_word->start = rest->start;
	while (rest->len && !is_blank(*rest->start)) {
		rest->start++;
		rest->len--;
	}
	ret_word->len = rest->start - ret_word->start;
	return ret_word->len;
}

static bool word_is(struct word word, const char *text)
{
	return strlen(text) == word.len && !memcmp(text, word.start, word.len);
}

/* Digits only, and no more of them than the number needs. */
static int parse_number(struct word word, unsigned int min, unsigned int max,
			unsigned int *ret_value)
{
	unsigned int digit, value = 0;
	size_t i;

	if (*word.start == '0')
		return -EINVAL;
	for (i = 0; i < word.len; i++) {
		if (word.start[i] < '0' || word.start[i] > '9')
			return -EINVAL;
		digit = word.start[i] - '0';
		if (digit > max || value > (max - digit) / 10)
			return -EINVAL;
		value = value * 10 + digit;
	}
	if (value < min)
		return -EINVAL;
	*ret_value = value;
	return 0;
}

static int parse_word(enum numab_knob knob, struct word word,
		      unsigned int *ret_value)
{
	const struct numab_knob_range *range = &numab_knobs[knob];

	if (word_is(word, "default"))
		*ret_value = 0;
	else if (word_is(word, "max"))
		*ret_value = range->max;
	else
		return parse_number(word, range->min, range->max, ret_value);
	return 0;
}

int numab_knob_parse(enum numab_knob knob, const char *buf, size_t len,
		     unsigned int *ret_value)
{
	struct word rest = { buf, len }, word, more;

	if (!next_word(&rest, &word) || next_word(&rest, &more))
		return -EINVAL;
	return parse_word(knob, word, ret_value);
}

int numab_scan_period_parse(const char *buf, size_t len, unsigned int *ret_min,
			    unsigned int *ret_max)
{
	struct word rest = { buf, len }, word, more;
	unsigned int min, max = 0;

	/* As a minimum, "max" is no more than a slip. */
	if (!next_word(&rest, &word) || word_is(word, "max") ||
	    parse_word(KNOB_SCAN_PERIOD_MIN, word, &min))
		return -EINVAL;
	if (next_word(&rest, &word) &&
	    parse_word(KNOB_SCAN_PERIOD_MAX, word, &max))
		return -EINVAL;
	if (next_word(&rest, &more) || (max && min > max))
		return -EINVAL;
	*ret_min = min;
	*ret_max = max;
	return 0;
}

bool numab_knob_is_heavier(enum numab_knob knob, unsigned int value,
			   unsigned int base)
{
	if (knob == KNOB_SCAN_PERIOD_MIN || knob == KNOB_SCAN_PERIOD_MAX)
		return value < base;
	return value > base;
}

static bool is_free(int knob, unsigned int value, unsigned int base)
{
	return !value || (base && !numab_knob_is_heavier(knob, value, base));
}

bool numab_tuning_is_free(const struct numab_tuning *own,
			  const struct numab_tuning *base)
{
	int i;

	for (i = 0; i < NR_KNOBS; i++)
		if (!is_free(i, own->value[i], base->value[i]))
			return false;
	return true;
}

void numab_tuning_drop_heavier(struct numab_tuning *own,
			       const struct numab_tuning *base)
{
	int i;

	for (i = 0; i < NR_KNOBS; i++)
		if (!is_free(i, own->value[i], base->value[i]))
			own->value[i] = 0;
}

bool numab_tuning_is_valid(const struct numab_tuning *own)
{
	unsigned int min = own->value[KNOB_SCAN_PERIOD_MIN];
	unsigned int max = own->value[KNOB_SCAN_PERIOD_MAX];
	int i;

	for (i = 0; i < NR_KNOBS; i++)
		if (own->value[i] && (own->value[i] < numab_knobs[i].min ||
				      own->value[i] > numab_knobs[i].max))
			return false;
	return !max || min <= max;
}
