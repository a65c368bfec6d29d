// SPDX-License-Identifier: GPL-2.0
/*
 * numab: NUMA balancing for each workload. See numab(8).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command.h"

const char *argp_program_version = "numab " NUMAB_VERSION;

/* The commands for --help, from their table. */
static char *append_commands(int key, const char *text, void *input)
{
	char *help = NULL;
	size_t size;
	FILE *out;

	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;
	out = open_memstream(&help, &size);
	if (!out)
		return NULL;
	fputs("Commands:\n", out);
	for (const struct command *c = commands; c->name; c++)
		fprintf(out, "  %-6s %-32s %s\n", c->name,
			c->argp->args_doc ? c->argp->args_doc : "", c->help);
	fputs("\nWithout a command: status. See numab(8), numab-cgroup(7), "
	      "numab-task(7).",
	      out);
	fclose(out);
	return help;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	int *command = state->input;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	/* The rest is the command's. */
	*command = state->next - 1;
	state->next = state->argc;
	return 0;
}

static const struct argp argp = {
	.parser = parse,
	.args_doc = "[COMMAND [ARGUMENT...]]",
	.doc = "NUMA balancing for each workload.\v",
	.help_filter = append_commands,
};

static int run(int argc, char **argv)
{
	const struct command *command = &commands[0];
	int first = 0;
	char name[64];

	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &first);
	if (first) {
		command = command_find(argv[first]);
		if (!command) {
			fprintf(stderr,
				"numab: no command %s\n"
				"hint: numab --help lists them\n",
				argv[first]);
			return EXIT_USAGE;
		}
		argv += first;
		argc -= first;
	} else {
		argc = 1;
	}
	snprintf(name, sizeof(name), "numab %s", command->name);
	argv[0] = name;
	return command->run(argc, argv);
}

int main(int argc, char **argv)
{
	int code;

	argp_err_exit_status = EXIT_USAGE;
	code = run(argc, argv);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "numab: writing the output: %s\n",
			strerror(errno));
		return EXIT_FAILED;
	}
	return code;
}
