// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "flat.h"

bool flat_next(const char **cursor, struct flat_entry *ret_entry)
{
	struct span line, key, value, more;
	uint64_t number;

	while (text_next_line(cursor, &line)) {
		if (!text_next_word(&line, &key) ||
		    !text_next_word(&line, &value) ||
		    text_next_word(&line, &more) ||
		    text_parse_u64(value, &number))
			continue;
		ret_entry->key = key;
		ret_entry->value = number;
		return true;
	}
	return false;
}

int flat_find(const char *text, const char *key, uint64_t *ret_value)
{
	struct flat_entry entry;

	while (flat_next(&text, &entry)) {
		if (!text_equals(entry.key, key))
			continue;
		*ret_value = entry.value;
		return 0;
	}
	return -ENOENT;
}

static int node_bytes_add(struct node_bytes *sum, uint64_t node, uint64_t bytes)
{
	uint64_t *grown;

	if (node >= sum->count) {
		grown = reallocarray(sum->bytes, node + 1, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		memset(grown + sum->count, 0,
		       (node + 1 - sum->count) * sizeof(*grown));
		sum->bytes = grown;
		sum->count = node + 1;
	}
	nodes_add(&sum->seen, node);
	sum->bytes[node] += bytes;
	return 0;
}

/* "N<node>=<bytes>"; anything else is passed over. */
static int item_parse(struct span item, struct node_bytes *sum)
{
	const char *equals = memchr(item.start, '=', item.len);
	struct span left, right;
	uint64_t node, bytes;

	if (!equals || *item.start != 'N')
		return 0;
	left.start = item.start + 1;
	left.len = equals - left.start;
	right.start = equals + 1;
	right.len = item.start + item.len - right.start;
	if (text_parse_u64(left, &node) || text_parse_u64(right, &bytes) ||
	    node >= NODES_MAX)
		return 0;
	return node_bytes_add(sum, node, bytes);
}

int numa_stat_parse(const char *text, struct node_bytes *ret_bytes)
{
	struct node_bytes sum = {};
	struct span line, kind, item;
	int ret;

	while (text_next_line(&text, &line)) {
		if (!text_next_word(&line, &kind) ||
		    (!text_equals(kind, "anon") && !text_equals(kind, "file")))
			continue;
		while (text_next_word(&line, &item)) {
			ret = item_parse(item, &sum);
			if (ret) {
				free(sum.bytes);
				return ret;
			}
		}
	}
	*ret_bytes = sum;
	return 0;
}
