/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What holds in a cgroup, and from where: for the cgroup itself (numab get)
 * and for a process in it (numab task). Errors: negative errno. Nothing
 * prints.
 */
#ifndef NUMAB_ANSWER_H
#define NUMAB_ANSWER_H

#include "chain.h"
#include "cleanup.h"
#include "hint.h"
#include "knob.h"
#include "table.h"

struct answer {
	bool is_known; /* was read */
	bool has_file; /* a setting of its own is possible */
	int set, effective;
	bool policies; /* BPF policies take part in effective */
	struct chain chain;
	struct knobs knobs;
	const char *from[NR_KNOBS]; /* a path of the chain; NULL: the kernel */
	struct hints hints;
};

#define AUTO_ANSWER AUTO(answer_release)
void answer_release(struct answer *answer);

/* mount and path as in cgroup.h. -ENOENT or -ENODEV: the cgroup is gone. */
int answer_read(const char *mount, const char *path, struct answer *answer);

/* [{"cgroup": path, "opinion": word}], the nearest first. */
json_t *answer_opinions_json(const struct answer *answer);

/* knob_json() with "from" in it. */
json_t *answer_tuning_json(const struct answer *answer);

/* {"own", "effective", "from"} of the hint for caches; null: none is known. */
json_t *answer_hint_json(const struct answer *answer);

/* Rows of two columns: each opinion on the way up. */
void answer_add_opinions(struct table *table, const struct answer *answer);

/* The value as a cell; 0 is none. */
void answer_add_value(struct table *table, bool known, unsigned int value,
		      const char *none);

/* Four columns, a row for each knob, and the hint, below a heading. */
void answer_add_tuning(struct table *table, const struct answer *answer);

#endif
