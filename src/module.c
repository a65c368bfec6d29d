// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "fs.h"
#include "module.h"
#include "text.h"

static const char *const state_words[] = {
	[POINT_LIVE] = "live",	   [POINT_IDLE] = "idle",
	[POINT_ABSENT] = "absent", [POINT_MISMATCH] = "mismatch",
	[POINT_HELD] = "held",
};

void points_release(struct points *points)
{
	for (size_t i = 0; i < points->count; i++) {
		free(points->items[i].name);
		free(points->items[i].word);
		free(points->items[i].reason);
	}
	free(points->items);
	memset(points, 0, sizeof(*points));
}

void module_release(struct module *module)
{
	free(module->version);
	free(module->hooks);
	free(module->promotion_scans);
	free(module->stat);
	free(module->cache);
	free(module->scan_pinned);
	points_release(&module->points);
	memset(module, 0, sizeof(*module));
}

static enum point_state state_of(struct span word)
{
	for (int i = 0; i < POINT_UNKNOWN; i++)
		if (text_equals(word, state_words[i]))
			return i;
	return POINT_UNKNOWN;
}

static int points_add(struct points *points, struct span name, struct span word,
		      struct span reason)
{
	struct point *grown, *point;

	grown = reallocarray(points->items, points->count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	points->items = grown;
	point = &points->items[points->count++];
	point->state = state_of(word);
	point->name = text_copy(name);
	point->word = text_copy(word);
	point->reason = text_copy(reason);
	if (!point->name || !point->word || !point->reason)
		return -ENOMEM;
	text_chomp(point->reason);
	return 0;
}

int points_parse(const char *text, struct points *ret_points)
{
	AUTO_POINTS struct points points = {};
	struct span line, name, word;
	int ret;

	while (text_next_line(&text, &line)) {
		if (!text_next_word(&line, &name) ||
		    !text_next_word(&line, &word))
			continue;
		while (line.len &&
		       (*line.start == ' ' || *line.start == '\t')) {
			line.start++;
			line.len--;
		}
		ret = points_add(&points, name, word, line);
		if (ret)
			return ret;
	}
	*ret_points = points;
	memset(&points, 0, sizeof(points));
	return 0;
}

bool point_is_missing(const struct point *point)
{
	return point->state != POINT_LIVE && point->state != POINT_IDLE;
}

bool module_is_loaded(void)
{
	return fs_exists(MODULE_DIR);
}

int module_read(struct module *ret_module)
{
	AUTO_FREE char *points = NULL;
	AUTO_MODULE struct module module = {};
	int ret;

	module.loaded = module_is_loaded();
	module.written = fs_read_number(MODULE_DIR "/written");
	module.running = fs_read_number(MODULE_DIR "/running");
	module.settings = fs_read_number(MODULE_DIR "/settings");
	module.policies = fs_read_number(MODULE_DIR "/policies");
	module.tasks = fs_read_number(MODULE_DIR "/tasks");
	module.tasks_lost = fs_read_number(MODULE_DIR "/tasks_lost");
	fs_read_word(MODULE_SCAN_PINNED, &module.scan_pinned);
	fs_read_word(MODULE_DIR "/version", &module.version);
	fs_read_word(MODULE_DIR "/hooks", &module.hooks);
	fs_read_word(MODULE_DIR "/promotion_scans", &module.promotion_scans);
	fs_read_word(MODULE_DIR "/stat", &module.stat);
	fs_read_word(MODULE_DIR "/cache", &module.cache);
	if (!fs_read_word(MODULE_DIR "/points", &points)) {
		ret = points_parse(points, &module.points);
		if (ret)
			return ret;
	}
	*ret_module = module;
	memset(&module, 0, sizeof(module));
	return 0;
}
