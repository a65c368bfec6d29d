/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A cgroup's files of tuning: what it sets itself, what holds for it, and how
 * a person writes it. The values and their ranges are in decide/tuning.h.
 *
 * A module that is older than these files has none of them: that is no error,
 * nothing is known then. Errors: negative errno. Nothing prints.
 */
#ifndef NUMAB_KNOB_H
#define NUMAB_KNOB_H

#include <stdbool.h>

#include "json.h"
#include "tuning.h"

#define KNOB_EFFECTIVE "cpu.numab.tuning"

/* A file that can be written, with one knob, or two: the scan periods. */
struct knob_key {
	const char *name; /* KEY of numab set KEY=VALUE */
	const char *file;
	enum numab_knob knob;
	bool is_pair; /* with the knob that follows */
};

/* Ends with a key that has no name. At most KNOB_KEYS_MAX. */
#define KNOB_KEYS_MAX 4
extern const struct knob_key knob_keys[];

/* The key of "KEY=VALUE" and where VALUE begins; NULL: there is no such key. */
const struct knob_key *knob_find_key(const char *assignment,
				     const char **ret_value);

/*
 * Parse VALUE: as in the file, but the two of a pair have a colon (or
 * comma) between them, and no white space. Sets the key's knobs; -EINVAL leaves them alone.
 */
int knob_parse(const struct knob_key *key, const char *value,
	       struct numab_tuning *values);

/* What is written to the key's file. The caller frees; NULL: no memory. */
char *knob_print(const struct knob_key *key, const struct numab_tuning *values);

/* What the files say. 0 is: no value of its own; what holds is not known. */
struct knobs {
	bool has_own, has_effective; /* whether there are such files */
	struct numab_tuning own, effective;
};

void knob_read(int dir, struct knobs *ret_knobs);

/* {"own": {...}, "effective": {...}}, or null where there are no files. */
json_t *knob_json(const struct knobs *knobs);

/* An object of all knobs; null where there is no value. */
json_t *knob_values_json(const struct numab_tuning *values);

#endif
