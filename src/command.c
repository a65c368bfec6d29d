// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "hint.h"
#include "mode.h"

const struct command commands[] = {
	{ "status", "machine, module, what may be wrong", cmd_status,
	  &cmd_status_argp },
	{ "list", "modes, counters and memory of cgroups", cmd_list,
	  &cmd_list_argp },
	{ "get", "what holds for a cgroup, and why", cmd_get, &cmd_get_argp },
	{ "set", "give a cgroup a mode or values", cmd_set, &cmd_set_argp },
	{ "run", "run a command with a mode of its own", cmd_run,
	  &cmd_run_argp },
	{ "task", "a process's own mode and values", cmd_task, &cmd_task_argp },
	{ "policy", "BPF programs that say the mode", cmd_policy,
	  &cmd_policy_argp },
	{ "unload", "unload the kernel module", cmd_unload, &cmd_unload_argp },
	{ "explain", "what holds for a process, and why", cmd_explain,
	  &cmd_explain_argp },
	{ "help", "how a command is used", cmd_help, &cmd_help_argp },
	{},
};

const struct command *command_find(const char *name)
{
	const struct command *command;

	for (command = commands; command->name; command++)
		if (!strcmp(command->name, name))
			return command;
	return NULL;
}

int complain(const struct refusal *refusal, const char *what, ...)
{
	va_list args;

	fflush(stdout);
	fputs("numab: ", stderr);
	va_start(args, what);
	vfprintf(stderr, what, args);
	va_end(args);
	fprintf(stderr, ": %s\n",
		refusal->why ? refusal->why : strerror(ENOMEM));
	if (refusal->hint)
		fprintf(stderr, "hint: %s\n", refusal->hint);
	return refusal->code ? refusal->code : EXIT_FAILED;
}

int complain_errno(const char *what, int error)
{
	fflush(stdout);
	fprintf(stderr, "numab: %s: %s\n", what, strerror(-error));
	return EXIT_FAILED;
}

int complain_mode(const char *shown, const char *values_are)
{
	fprintf(stderr,
		"numab: %s is not a mode\n"
		"hint: the modes are inherit, off, normal, tiering and both "
		"(or 0 to 3); %s\n",
		shown, values_are);
	return EXIT_USAGE;
}

int complain_value(const char *shown, const char *name,
		   const struct knob_key *key)
{
	const struct numab_knob_range *range = &numab_knobs[key->knob];

	fprintf(stderr, "numab: %s is not a value of %s\nhint: it is ", shown,
		name);
	if (key->is_pair)
		fprintf(stderr,
			"MIN or MIN:MAX, each a number from %u to %u or "
			"default, MAX also max, MIN not above MAX\n",
			range->min, range->max);
	else
		fprintf(stderr, "a number from %u to %u, max or default\n",
			range->min, range->max);
	return EXIT_USAGE;
}

int complain_hint(const char *shown, const char *name)
{
	fprintf(stderr,
		"numab: %s is not a value of %s\n"
		"hint: it is auto, never, always or a tolerance from %d to %d\n",
		shown, name, 0, NUMAB_TOLERANCE_MAX);
	return EXIT_USAGE;
}

int parse_arguments(const struct argp *argp, int argc, char **argv, void *input)
{
	/* Wrong usage does not come back; being out of memory does. */
	error_t error = argp_parse(argp, argc, argv, 0, NULL, input);

	return error ? complain_errno("parsing the arguments", -error) :
		       EXIT_OK;
}

int print_json(json_t *json)
{
	int ret;

	if (!json)
		return complain_errno("cannot make JSON", -ENOMEM);
	ret = json_dumpf(json, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(json);
	/* What could not be written shows when main() closes stdout. */
	return ret ? EXIT_FAILED : EXIT_OK;
}

const char *sysctl_words(int64_t value)
{
	if (value == NUMAB_SYSCTL_CGROUP)
		return "per cgroup";
	if (value < 0 || value > NUMAB_SYSCTL_MAX)
		return "unknown";
	return numab_opinion_name(value);
}
