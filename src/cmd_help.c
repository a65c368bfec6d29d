// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "command.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const char **topic = state->input;

	if (key != ARGP_KEY_ARG || *topic)
		return ARGP_ERR_UNKNOWN;
	*topic = arg;
	return 0;
}

const struct argp cmd_help_argp = {
	.parser = parse,
	.args_doc = "[COMMAND]",
	.doc = "Show how a command is used.",
};

int cmd_help(int argc, char **argv)
{
	const struct command *command;
	const char *topic = NULL;
	char name[64];

	if (parse_arguments(&cmd_help_argp, argc, argv, &topic))
		return EXIT_FAILED;
	if (!topic) {
		for (command = commands; command->name; command++)
			printf("numab %-6s %-29s %s\n", command->name,
			       command->argp->args_doc ?
				       command->argp->args_doc :
				       "",
			       command->help);
		return EXIT_OK;
	}
	command = command_find(topic);
	if (!command) {
		fprintf(stderr,
			"numab: no command %s\n"
			"hint: numab --help lists them\n",
			topic);
		return EXIT_USAGE;
	}
	snprintf(name, sizeof(name), "numab %s", command->name);
	argp_help(command->argp, stdout,
		  ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK, name);
	return EXIT_OK;
}
