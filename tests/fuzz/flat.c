// SPDX-License-Identifier: GPL-2.0
/* cpu.numab.stat, memory.stat: every entry found lies within the text. */
#include "cgroup.h"
#include "flat.h"
#include "fuzz.h"
#include "json.h"
#include "tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *key;
	const char *cursor = text;
	struct flat_entry entry;
	uint64_t value;
	bool policies;
	int mode = -1;

	while (flat_next(&cursor, &entry)) {
		must(entry.key.len > 0);
		must(entry.key.start >= text &&
		     entry.key.start + entry.key.len < text + size);
		key = text_copy(entry.key);
		must(!flat_find(text, key, &value));
		free(key);
	}
	must(*cursor == '\0');
	tree_sum_skipped(text);
	json_decref(json_flat(text));
	if (!cgroup_parse_effective(text, &mode, &policies))
		must(mode >= 0 && mode <= 3);
	free(text);
	return 0;
}
