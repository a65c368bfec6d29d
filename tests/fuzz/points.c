// SPDX-License-Identifier: GPL-2.0
/* /sys/kernel/numab/points: every point has a name and a state. */
#include "fuzz.h"
#include "module.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct points points = {};

	must(!points_parse(text, &points));
	for (size_t i = 0; i < points.count; i++) {
		const struct point *point = &points.items[i];

		must(*point->name && *point->word);
		must(!strpbrk(point->name, " \t\n"));
		must(!strchr(point->reason, '\n'));
		must(point->state <= POINT_UNKNOWN);
	}
	points_release(&points);
	free(text);
	return 0;
}
