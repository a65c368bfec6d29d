/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What somebody wants for a process: the mode and the options for values that
 * run and task have in common.
 */
#ifndef NUMAB_CMD_WISH_H
#define NUMAB_CMD_WISH_H

#include <argp.h>

#include "knob.h"
#include "numab.h"

/* As the arguments have it; NULL: not said. */
struct wish {
	const char *mode;
	const char *values[KNOB_KEYS_MAX];
	const char *hint;
};

/* The options, a child parser of the command's; its input is a wish. */
extern const struct argp wish_argp;

bool wish_is_empty(const struct wish *wish);

/* What to write, without pidfd. EXIT_OK, or complain and EXIT_USAGE. */
int wish_make(const struct wish *wish, struct numab_attr *ret_attr);

/*
 * Warn when, of the mode that was set, less holds, or less comes of it; attr
 * was read after.
 */
void wish_warn(const char *whom, int mode, const struct numab_attr *attr);

#endif
