// SPDX-License-Identifier: GPL-2.0
/* What is written to cpu.numab.cache: accepted or EINVAL. */
#include <errno.h>
#include <stdio.h>

#include "cache.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int untouched = 4242;
	int value = untouched, again = untouched;
	int ret = numab_cache_parse((const char *)data, size, &value);
	char number[8];
	const char *text;

	if (ret) {
		must(ret == -EINVAL && value == untouched);
		return 0;
	}
	must(value >= NUMAB_CACHE_ALWAYS && value <= NUMAB_TOLERANCE_MAX);
	must(!memchr(data, '\0', size));
	/* What was understood can be written again and means the same. */
	snprintf(number, sizeof(number), "%d", value);
	text = numab_cache_word(value) ?: number;
	must(!numab_cache_parse(text, strlen(text), &again));
	must(again == value);
	return 0;
}
