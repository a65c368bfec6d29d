/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tool's exit status means. numab(8) lists the same numbers under
 * EXIT STATUS; tests/unit/man_test.c compares them.
 */
#ifndef NUMAB_EXIT_CODES_H
#define NUMAB_EXIT_CODES_H

enum exit_code {
	EXIT_OK = 0,
	EXIT_FAILED = 1,	/* anything that has no number of its own */
	EXIT_USAGE = 2,		/* wrong option, wrong word, the root cgroup */
	EXIT_NO_MODULE = 3,	/* the module is not loaded */
	EXIT_NO_CGROUP = 4,	/* no such cgroup, or no cgroup v2 at all */
	EXIT_NO_CONTROLLER = 5, /* the cgroup has no cpu controller */
	EXIT_DENIED = 6,	/* file permission, or CAP_SYS_NICE */
	EXIT_UNSUPPORTED = 7,	/* a decision point is missing or held */
	EXIT_NO_PROCESS = 8,	/* no such process, or a kernel thread */
	EXIT_CODES,
	EXIT_NOT_RUN = 125, /* numab run: the command was not started */
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
};

#endif
