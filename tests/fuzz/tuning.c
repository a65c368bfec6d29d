// SPDX-License-Identifier: GPL-2.0
/* Values written to the files of tuning: in range or EINVAL. */
#include <errno.h>
#include <stdio.h>

#include "fuzz.h"
#include "tuning.h"

#define UNTOUCHED 42424242

static void must_be_in_range(enum numab_knob knob, unsigned int value)
{
	must(!value || (value >= numab_knobs[knob].min &&
			value <= numab_knobs[knob].max));
}

/* What was understood, as the files show it, means the same again. */
static void one_value(enum numab_knob knob, const char *data, size_t size)
{
	unsigned int value = UNTOUCHED, again;
	char text[32];
	int ret = numab_knob_parse(knob, data, size, &value);

	if (ret) {
		must(ret == -EINVAL && value == UNTOUCHED);
		return;
	}
	must_be_in_range(knob, value);
	must(!memchr(data, '\0', size));
	snprintf(text, sizeof(text), value ? "%u" : "default", value);
	must(!numab_knob_parse(knob, text, strlen(text), &again));
	must(again == value);
}

static void two_periods(const char *data, size_t size)
{
	unsigned int min = UNTOUCHED, max = UNTOUCHED;
	int ret = numab_scan_period_parse(data, size, &min, &max);

	if (ret) {
		must(ret == -EINVAL && min == UNTOUCHED && max == UNTOUCHED);
		return;
	}
	must_be_in_range(KNOB_SCAN_PERIOD_MIN, min);
	must_be_in_range(KNOB_SCAN_PERIOD_MAX, max);
	must(!max || min <= max);
	must(!memchr(data, '\0', size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (int knob = 0; knob < NR_KNOBS; knob++)
		one_value(knob, (const char *)data, size);
	two_periods((const char *)data, size);
	return 0;
}
