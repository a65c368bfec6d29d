// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A program that places its own memory and wants no NUMA balancing, whatever
 * its cgroup and the machine say. It needs numab.h alone.
 *
 *	cc -o self_opt_out self_opt_out.c
 *
 * Where numab is not loaded nothing happens and nothing is said; numab_error
 * has the reason (-ENOENT) for whoever wants to look.
 */
#include <stdio.h>
#include <string.h>

#include "../include/numab.h"

/* 0, or the negative errno with which opting out failed. */
static int numab_error;

/* First thing: the threads and children that come later have it too. */
static void opt_out(void)
{
	numab_error = numab_set_mode(NUMAB_SELF, NUMAB_MODE_OFF);
}

static const char *mode_name(int mode)
{
	static const char *const names[] = { "off", "normal", "tiering",
					     "both" };

	return mode >= 0 && mode < 4 ? names[mode] : "unknown";
}

int main(void)
{
	struct numab_attr attr;

	opt_out();

	/* What a real program does instead: its work. */
	if (numab_error)
		printf("as the kernel does: %s\n", strerror(-numab_error));
	else if (!numab_get(NUMAB_SELF, &attr))
		printf("balancing: %s\n", mode_name(attr.effective_mode));
	return 0;
}
