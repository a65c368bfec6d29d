/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an administrator should know about this machine: derived from what
 * was read, reads nothing itself. Errors: negative errno.
 */
#ifndef NUMAB_ADVICE_H
#define NUMAB_ADVICE_H

#include "machine.h"
#include "module.h"

struct advice_line {
	bool is_warning; /* else a note: nothing is wrong */
	char *text;
};

struct advice {
	size_t count;
	struct advice_line *lines;
};

#define AUTO_ADVICE AUTO(advice_release)
void advice_release(struct advice *advice);
int advice_collect(const struct machine *machine, const struct module *module,
		   struct advice *ret_advice);

#endif
