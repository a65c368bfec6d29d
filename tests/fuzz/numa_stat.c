// SPDX-License-Identifier: GPL-2.0
/* memory.numa_stat, and lists of nodes. */
#include "flat.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct node_bytes sum = {};
	struct nodes nodes = {};

	must(!numa_stat_parse(text, &sum));
	must(sum.count <= NODES_MAX);
	must(nodes_count(&sum.seen) <= sum.count);
	must(!sum.count || nodes_has(&sum.seen, sum.count - 1));
	free(sum.bytes);
	if (nodes_parse(text, &nodes))
		must(!nodes_count(&nodes));
	free(text);
	return 0;
}
