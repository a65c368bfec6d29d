// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd_wish.h"
#include "command.h"
#include "task.h"

struct arguments {
	struct wish wish;
	bool if_loaded;
	char **command; /* what follows --, or NULL */
};

static const struct argp_option options[] = {
	{ "if-loaded", 'l', 0, 0,
	  "Where numab is not loaded, run the command as it is", 0 },
	{},
};

static const struct argp_child children[] = { { &wish_argp, 0, NULL, 0 }, {} };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->wish;
		return 0;
	case 'l':
		args->if_loaded = true;
		return 0;
	case ARGP_KEY_ARG:
		if (args->wish.mode)
			argp_error(state, "a COMMAND follows after --: %s",
				   arg);
		args->wish.mode = arg;
		return 0;
	case ARGP_KEY_END:
		if (!args->command || !*args->command)
			argp_error(state, "-- and a COMMAND are needed");
		if (wish_is_empty(&args->wish))
			argp_error(state, "a MODE or a value is needed");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp cmd_run_argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.args_doc = "[MODE] -- COMMAND [ARG ...]",
	.doc = "Run a command with a mode of its own (inherit, off, normal, "
	       "tiering or both), or values of its own in place of its "
	       "cgroup's and the kernel's: each a number, max or default, or "
	       "as said at the option.\v"
	       "Its children have them too. See numab-task(7).",
};

/* Cut argv where the command begins. */
static char **cut_command(int *argc, char **argv)
{
	for (int i = 1; i < *argc; i++)
		if (!strcmp(argv[i], "--")) {
			*argc = i;
			argv[i] = NULL;
			return &argv[i + 1];
		}
	return NULL;
}

static int refuse(const struct numab_attr *attr, int error)
{
	AUTO_REFUSAL struct refusal refusal = {};
	struct numab_attr present = {};
	struct task_wish wish = { .fields = attr->fields, .mode = attr->mode };

	task_calls.get(NUMAB_SELF, &present);
	wish.present = present.mode;
	wish.cgroups = present.cgroup_mode;
	refusal_of_task(&wish, error, &refusal);
	complain(&refusal, "cannot set what the command is to run with");
	if (task_error_is_no_device(error))
		fputs("hint: or run the command as it is there: "
		      "numab run --if-loaded\n",
		      stderr);
	return EXIT_NOT_RUN;
}

static int set_self(struct numab_attr *attr, bool if_loaded)
{
	struct numab_attr now;
	int ret = task_calls.set(attr);

	if (ret && !(if_loaded && task_error_is_no_device(ret)))
		return refuse(attr, ret);
	if (!ret && attr->fields & NUMAB_FIELD_MODE &&
	    !task_calls.get(NUMAB_SELF, &now))
		wish_warn("the command", attr->mode, &now);
	return EXIT_OK;
}

int cmd_run(int argc, char **argv)
{
	struct arguments args = { .command = cut_command(&argc, argv) };
	AUTO_FREE char *shown = NULL;
	struct numab_attr attr;
	int error;

	/* As env(1): so that it cannot be taken for the command's own. */
	argp_err_exit_status = EXIT_NOT_RUN;
	if (parse_arguments(&cmd_run_argp, argc, argv, &args) ||
	    wish_make(&args.wish, &attr) || set_self(&attr, args.if_loaded))
		return EXIT_NOT_RUN;
	fflush(NULL);
	execvp(*args.command, args.command);
	error = errno;
	shown = text_printable(*args.command);
	fprintf(stderr, "numab: cannot run %s: %s\n", shown ? shown : "",
		strerror(error));
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}
