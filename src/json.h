/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Small helpers around jansson. Every document is an object that begins with
 * "version": 1; keys are only ever added to it. References are new; NULL
 * when out of memory, which json_pack() passes on.
 */
#ifndef NUMAB_JSON_H
#define NUMAB_JSON_H

#include <jansson.h>
#include <stdint.h>

#include "text.h"

#define NUMAB_JSON_VERSION 1

#define AUTO_JSON __attribute__((cleanup(json_release)))

static inline void json_release(json_t **json)
{
	json_decref(*json);
}

/* Any text of the system: made UTF-8 first. NULL becomes null. */
json_t *json_text(const char *text);

/* null where there is no number (negative). */
json_t *json_number(int64_t number);

/* A flat-keyed file as an object; NULL becomes null. */
json_t *json_flat(const char *text);

json_t *json_nodes(const struct nodes *nodes);

#endif
