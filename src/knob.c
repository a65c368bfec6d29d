// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "flat.h"
#include "fs.h"
#include "knob.h"

const struct knob_key knob_keys[] = {
	{ "hot_threshold_ms", "cpu.numab.hot_threshold_ms", KNOB_HOT_THRESHOLD,
	  false },
	{ "scan_size_mb", "cpu.numab.scan_size_mb", KNOB_SCAN_SIZE, false },
	{ "scan_period_ms", "cpu.numab.scan_period_ms", KNOB_SCAN_PERIOD_MIN,
	  true },
	{ "promote_mbps", "cpu.numab.promote_mbps", KNOB_PROMOTE_RATE, false },
	{},
};

const struct knob_key *knob_find_key(const char *assignment,
				     const char **ret_value)
{
	struct span name = { assignment, strcspn(assignment, "=") };
	const struct knob_key *key;

	if (!assignment[name.len])
		return NULL;
	for (key = knob_keys; key->name; key++)
		if (text_equals(name, key->name)) {
			*ret_value = assignment + name.len + 1;
			return key;
		}
	return NULL;
}

static int parse_file(const struct knob_key *key, const char *text,
		      struct numab_tuning *values)
{
	unsigned int *value = &values->value[key->knob];

	if (key->is_pair)
		return numab_scan_period_parse(text, strlen(text), value,
					       value + 1);
	return numab_knob_parse(key->knob, text, strlen(text), value);
}

int knob_parse(const struct knob_key *key, const char *value,
	       struct numab_tuning *values)
{
	char text[64], *colon;
	size_t len = strlen(value);

	/* Nothing that is in range is as long as that. */
	if (!len || len >= sizeof(text) || strpbrk(value, " \t\r\n"))
		return -EINVAL;
	memcpy(text, value, len + 1);
	colon = key->is_pair ? strpbrk(text, ":,") : NULL;
	if (colon) {
		if (colon == text || !colon[1])
			return -EINVAL;
		*colon = ' ';
	}
	return parse_file(key, text, values);
}

static void print_value(char *text, size_t size, unsigned int value)
{
	if (value)
		snprintf(text, size, "%u", value);
	else
		snprintf(text, size, "default");
}

char *knob_print(const struct knob_key *key, const struct numab_tuning *values)
{
	const unsigned int *value = &values->value[key->knob];
	char first[16], second[16], *text;

	print_value(first, sizeof(first), value[0]);
	if (!key->is_pair || (!value[0] && !value[1]))
		return strdup(first);
	print_value(second, sizeof(second), value[1]);
	return asprintf(&text, "%s %s", first, second) < 0 ? NULL : text;
}

static void parse_effective(const char *text, struct numab_tuning *effective)
{
	uint64_t value;

	for (int knob = 0; knob < NR_KNOBS; knob++)
		if (!flat_find(text, numab_knobs[knob].name, &value) &&
		    value <= UINT_MAX)
			effective->value[knob] = value;
}

void knob_read(int dir, struct knobs *ret_knobs)
{
	AUTO_TEXT struct fs_text text = {};
	struct knobs knobs = {};

	for (const struct knob_key *key = knob_keys; key->name; key++)
		if (!fs_read_at(dir, key->file, &text) &&
		    !parse_file(key, text.data, &knobs.own))
			knobs.has_own = true;
	if (!fs_read_at(dir, KNOB_EFFECTIVE, &text)) {
		knobs.has_effective = true;
		parse_effective(text.data, &knobs.effective);
	}
	*ret_knobs = knobs;
}

json_t *knob_values_json(const struct numab_tuning *values)
{
	json_t *object = json_object();

	for (int knob = 0; object && knob < NR_KNOBS; knob++)
		json_object_set_new(object, numab_knobs[knob].name,
				    values->value[knob] ?
					    json_integer(values->value[knob]) :
					    json_null());
	return object;
}

json_t *knob_json(const struct knobs *knobs)
{
	if (!knobs->has_own && !knobs->has_effective)
		return json_null();
	return json_pack("{s:o, s:o}", "own", knob_values_json(&knobs->own),
			 "effective", knob_values_json(&knobs->effective));
}
