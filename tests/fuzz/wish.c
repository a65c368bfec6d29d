// SPDX-License-Identifier: GPL-2.0
/* The arguments of numab run and task: whatever passes, the kernel takes. */
#include <stdio.h>

#include "cmd_wish.h"
#include "fuzz.h"
#include "mode.h"
#include "task.h"

/* The first byte says which option, or the mode. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct numab_tuning values;
	struct numab_attr attr;
	struct wish wish = {};
	static FILE *nowhere;
	FILE *real = stderr;

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	must(nowhere != NULL);
	if (!size)
		wish.mode = text;
	else if (data[0] % 5 == 4)
		wish.mode = text + 1;
	else
		wish.values[data[0] % 5] = text + 1;
	stderr = nowhere;
	if (!wish_make(&wish, &attr)) {
		values = task_values(&attr);
		must(numab_tuning_is_valid(&values));
		must(attr.fields && !(attr.fields & ~NUMAB_FIELDS_ALL));
		must(attr.mode >= NUMAB_MODE_INHERIT &&
		     attr.mode <= NUMAB_MODE_BOTH);
	}
	stderr = real;
	free(text);
	return 0;
}
