/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands. One table makes dispatch, usage text and, through
 * tests/unit/man_test.c, the check of the manual page and the completion.
 *
 * A command's function gets its own argv, argv[0] being "numab COMMAND", and
 * returns an exit code. Only cmd_*.c and main.c print.
 */
#ifndef NUMAB_COMMAND_H
#define NUMAB_COMMAND_H

#include <argp.h>

#include "exit_codes.h"
#include "json.h"
#include "knob.h"
#include "refusal.h"

/* As in the kernel's numa_balancing_promote_rate_limit_MBps. */
#define MB (UINT64_C(1) << 20)

struct command {
	const char *name;
	const char *help; /* one line */
	int (*run)(int argc, char **argv);
	const struct argp *argp; /* options, and the arguments' names */
};

/* Ends with a command that has no name. The first is what no command means. */
extern const struct command commands[];
const struct command *command_find(const char *name);

int cmd_status(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_get(int argc, char **argv);
int cmd_set(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_task(int argc, char **argv);
int cmd_policy(int argc, char **argv);
int cmd_unload(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_help(int argc, char **argv);

extern const struct argp cmd_status_argp, cmd_list_argp, cmd_get_argp,
	cmd_set_argp, cmd_run_argp, cmd_task_argp, cmd_policy_argp,
	cmd_unload_argp, cmd_explain_argp, cmd_help_argp;

/*
 * Print "numab: what: why" and the hint below it on stderr; return the code.
 * what names the object as the user wrote it.
 */
PRINTF_LIKE(2, 3)
int complain(const struct refusal *refusal, const char *what, ...);
int complain_errno(const char *what, int error);

/*
 * Something is no mode, or no value of what name says; shown is printable,
 * values_are the hint's end.
 */
int complain_mode(const char *shown, const char *values_are);
int complain_value(const char *shown, const char *name,
		   const struct knob_key *key);
int complain_hint(const char *shown, const char *name);

/* Parse a command's arguments into input; EXIT_OK, or complain and a code. */
int parse_arguments(const struct argp *argp, int argc, char **argv,
		    void *input);

/* Print a document on stdout; takes the reference. Returns an exit code. */
int print_json(json_t *json);

/* The mode that a value of kernel.numa_balancing stands for, in words. */
const char *sysctl_words(int64_t value);

#endif
