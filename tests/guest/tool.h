/* SPDX-License-Identifier: GPL-2.0 */
/* The command-line tool, as people run it. */
#ifndef TESTS_GUEST_TOOL_H
#define TESTS_GUEST_TOOL_H

/* Run "numab ..."; its exit status. */
int tool(const char *arguments, ...) __attribute__((format(printf, 1, 2)));

/* What the last one printed, errors included. */
const char *tool_output(void);

/* The number after a word in that, such as "map_id": 3; -1: not there. */
long long tool_number(const char *word);

#endif
