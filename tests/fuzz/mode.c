// SPDX-License-Identifier: GPL-2.0
/* Words written to a mode file: accepted or EINVAL, never in between. */
#include <errno.h>

#include "fuzz.h"
#include "mode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int untouched = 42;
	int opinion = untouched, again;
	int ret = numab_opinion_parse((const char *)data, size, &opinion);

	if (ret) {
		must(ret == -EINVAL && opinion == untouched);
		return 0;
	}
	must(opinion >= NUMAB_INHERIT && opinion <= NUMAB_BOTH);
	must(!memchr(data, '\0', size));
	/* What was understood has a word that means the same. */
	must(!numab_opinion_parse(numab_opinion_name(opinion),
				  strlen(numab_opinion_name(opinion)), &again));
	must(again == opinion);
	return 0;
}
