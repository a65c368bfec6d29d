// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "cgroup.h"
#include "hint.h"
#include "text.h"

int hint_parse(const char *text, int *ret_hint)
{
	if (strpbrk(text, " \t\r\n"))
		return -EINVAL;
	if (!strcmp(text, "default"))
		text = numab_cache_word(NUMAB_CACHE_AUTO);
	return numab_cache_parse(text, strlen(text), ret_hint);
}

char *hint_text(int hint)
{
	const char *word = numab_cache_word(hint);

	return word ? strdup(word) : text_format("%d", hint);
}

json_t *hint_json(int hint)
{
	const char *word = numab_cache_word(hint);

	return word ? json_string(word) : json_integer(hint);
}

void hints_add_nearer(struct hints *hints, int own, const char *from)
{
	int met = numab_cache_meet(own, hints->effective);

	hints->own = own;
	if (met != hints->effective || (own == met && own != NUMAB_CACHE_AUTO))
		hints->from = from;
	hints->effective = met;
}

int hints_read(const char *mount, const struct chain *chain,
	       struct hints *ret_hints)
{
	struct hints hints = HINTS_NONE;

	for (size_t i = chain->count; i--;) {
		const char *path = chain->links[i].path;
		AUTO_CLOSE int dir = cgroup_open(mount, path, NULL);
		AUTO_TEXT struct fs_text text = {};
		int own = NUMAB_CACHE_AUTO;

		if (dir < 0)
			return dir;
		if (!fs_read_at(dir, HINT_FILE, &text) &&
		    !numab_cache_parse(text.data, strlen(text.data), &own))
			hints.is_known = true;
		hints_add_nearer(&hints, own, path);
	}
	*ret_hints = hints;
	return 0;
}
