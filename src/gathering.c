// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../decide/cache.h"
#include "fs.h"
#include "gathering.h"
#include "text.h"

/* Decimal, perhaps negative; 0 for anything else. */
static int64_t number(struct span value)
{
	bool negative = value.len && *value.start == '-';
	uint64_t u = 0;

	value.start += negative;
	value.len -= negative;
	if (text_parse_u64(value, &u) || u > INT64_MAX)
		return 0;
	return negative ? -(int64_t)u : (int64_t)u;
}

static int verdict_of(struct span value)
{
	char name[32];
	int verdict;

	if (value.len >= sizeof(name))
		return -1;
	memcpy(name, value.start, value.len);
	name[value.len] = '\0';
	verdict = numab_cache_verdict_find(name);
	return verdict < 0 ? -1 : verdict;
}

static void set(struct gathering *g, struct span key, struct span value)
{
	int64_t n = number(value);

	if (text_equals(key, "footprint"))
		g->footprint = n;
	else if (text_equals(key, "in_sweep"))
		g->in_sweep = n;
	else if (text_equals(key, "rss"))
		g->rss = n;
	else if (text_equals(key, "llc"))
		g->llc = n;
	else if (text_equals(key, "tolerance"))
		g->tolerance = n;
	else if (text_equals(key, "asked"))
		g->asked = n;
	else if (text_equals(key, "estimated"))
		g->estimated = n;
	else if (text_equals(key, "verdict"))
		g->verdict = verdict_of(value);
	else if (text_equals(key, "kernel_refuses"))
		g->kernel_refuses = n;
	else if (text_equals(key, "lifted"))
		g->lifted = n;
	else if (text_equals(key, "cpu"))
		g->cpu = n;
}

int gathering_parse(const char *text, int pid, struct gathering *ret_gathering)
{
	struct gathering g = { .pid = pid, .verdict = -1, .cpu = -1 };
	struct span line, key, value;
	bool within = false;

	while (text_next_line(&text, &line)) {
		if (!text_next_word(&line, &key) ||
		    !text_next_word(&line, &value))
			continue;
		if (text_equals(key, "pid")) {
			if (within)
				break;
			within = number(value) == pid;
		} else if (within) {
			set(&g, key, value);
		}
	}
	if (!within)
		return -ENOENT;
	*ret_gathering = g;
	return 0;
}

int gathering_read(int pid, struct gathering *ret_gathering)
{
	AUTO_TEXT struct fs_text text = {};
	int ret = fs_read(GATHERING_FILE, &text);

	if (ret == -ENOENT || ret == -ENOTDIR)
		return -ENODATA;
	return ret ? ret : gathering_parse(text.data, pid, ret_gathering);
}

uint64_t gathering_bound(const struct gathering *gathering)
{
	int tolerance =
		gathering->asked >= 0 ? gathering->asked : gathering->tolerance;

	if (tolerance < 1 || tolerance >= NUMAB_TOLERANCE_MAX)
		return 0;
	return numab_cache_bound(gathering->llc, tolerance);
}
