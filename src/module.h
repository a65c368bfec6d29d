/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the module says of itself in /sys/kernel/numab, which is there for as
 * long as it is loaded. A file that a later or earlier module does not have
 * leaves its field empty; that is no error.
 */
#ifndef NUMAB_MODULE_H
#define NUMAB_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cleanup.h"

#define MODULE_DIR	   "/sys/kernel/numab"
#define MODULE_SCAN_PINNED "/sys/module/numab/parameters/scan_pinned"

enum point_state {
	POINT_LIVE,	/* hooked */
	POINT_IDLE,	/* can be hooked, nothing needs it now */
	POINT_ABSENT,	/* this kernel has no such function */
	POINT_MISMATCH, /* the function or a field is not as expected */
	POINT_HELD,	/* a livepatch has it */
	POINT_UNKNOWN,	/* a word of a later module */
};

struct point {
	enum point_state state;
	char *name;
	char *word;   /* the state as the module wrote it */
	char *reason; /* may be empty */
};

struct points {
	size_t count;
	struct point *items;
};

/* Numbers are -1 where the module does not say. Strings may be NULL. */
struct module {
	bool loaded;
	char *version;
	char *hooks;
	char *promotion_scans; /* on, or why not */
	char *stat;	       /* flat-keyed, see flat.h */
	char *cache;	       /* the same, of cache-aware scheduling */
	int64_t written, running, settings, policies;
	int64_t tasks,
		tasks_lost; /* processes with settings; children without */
	char *scan_pinned;  /* the module's parameter */
	struct points points;
};

#define AUTO_MODULE AUTO(module_release)
#define AUTO_POINTS AUTO(points_release)
void module_release(struct module *module);
void points_release(struct points *points);

/* Not loaded is no error. */
int module_read(struct module *ret_module);
bool module_is_loaded(void);

/* Lines "NAME STATE REASON..."; a line without a state is passed over. */
int points_parse(const char *text, struct points *ret_points);

/* Whether the module cannot use the point. */
bool point_is_missing(const struct point *point);

#endif
