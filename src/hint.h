/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a cgroup or a process asks of cache-aware scheduling: a word, or a
 * tolerance (decide/cache.h). How a person writes it, and what the files of a
 * cgroup and of those above it make of it together.
 *
 * Errors: negative errno. Nothing prints.
 */
#ifndef NUMAB_HINT_H
#define NUMAB_HINT_H

#include <stdbool.h>

#include "cache.h"
#include "chain.h"
#include "json.h"

#define HINT_FILE "cpu.numab.cache"

/* KEY of numab set KEY=VALUE. */
#define HINT_NAME "cache"

/* A hint on a command line, which is no file: "default" is auto there. */
int hint_parse(const char *text, int *ret_hint);

/* The word or the number. The caller frees; NULL: no memory. */
char *hint_text(int hint);

/* A string or a number. */
json_t *hint_json(int hint);

/* What holds somewhere, and who says so. */
struct hints {
	bool is_known; /* there is such a file: the kernel knows of caches */
	int own, effective;
	const char *from; /* a path of the chain; NULL: nobody says anything */
};

#define HINTS_NONE                                \
	((struct hints){ .own = NUMAB_CACHE_AUTO, \
			 .effective = NUMAB_CACHE_AUTO })

/* All along a chain: of the cgroup that it begins with. */
int hints_read(const char *mount, const struct chain *chain,
	       struct hints *ret_hints);

/* A nearer place, such as a process, is asked before them. */
void hints_add_nearer(struct hints *hints, int own, const char *from);

#endif
