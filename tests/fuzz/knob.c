// SPDX-License-Identifier: GPL-2.0
/* KEY=VALUE of numab set: what is written to the file means the same. */
#include <errno.h>

#include "fuzz.h"
#include "knob.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct numab_tuning values = {}, again = {};
	char *text = fuzz_text(data, size), *written;
	const struct knob_key *key;
	const char *value;

	key = knob_find_key(text, &value);
	if (key && !knob_parse(key, value, &values)) {
		written = knob_print(key, &values);
		must(written != NULL);
		if (key->is_pair)
			must(!numab_scan_period_parse(
				written, strlen(written),
				&again.value[KNOB_SCAN_PERIOD_MIN],
				&again.value[KNOB_SCAN_PERIOD_MAX]));
		else
			must(!numab_knob_parse(key->knob, written,
					       strlen(written),
					       &again.value[key->knob]));
		must(!memcmp(&values, &again, sizeof(values)));
		free(written);
	}
	free(text);
	return 0;
}
