// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "cgroup.h"
#include "chain.h"
#include "command.h"
#include "mode.h"

struct arguments {
	const char *cgroup, *mode;
	bool verbose;
};

static const struct argp_option options[] = {
	{ "verbose", 'v', 0, 0, "Print the mode that holds afterwards", 0 },
	{},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case 'v':
		args->verbose = true;
		return 0;
	case ARGP_KEY_ARG:
		if (!args->cgroup)
			args->cgroup = arg;
		else if (!args->mode)
			args->mode = arg;
		else
			argp_error(state, "one argument too many: %s", arg);
		return 0;
	case ARGP_KEY_END:
		if (!args->mode)
			argp_error(state, "a CGROUP and a MODE are needed");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp cmd_set_argp = {
	.options = options,
	.parser = parse,
	.args_doc = "CGROUP MODE",
	.doc = "Give a cgroup a mode: inherit, off, normal, tiering or both "
	       "(or 0 to 3).\v"
	       "CGROUP is a path below /sys/fs/cgroup or as in "
	       "/proc/PID/cgroup. See numab-cgroup(7).",
};

static int refuse_root(void)
{
	fputs("numab: the root cgroup has no mode of its own\n"
	      "hint: its setting is the system default: "
	      "sysctl kernel.numa_balancing=VALUE\n",
	      stderr);
	return EXIT_USAGE;
}

/* The write was accepted; does it also hold? */
static void warn_if_narrowed(const struct target *target, const char *cgroup,
			     int set, int effective, bool policies)
{
	AUTO_CHAIN struct chain chain = {};
	AUTO_FREE char *place = NULL;
	const struct chain_link *link = NULL;

	if (set == NUMAB_INHERIT || set == effective)
		return;
	fprintf(stderr,
		"numab: warning: %s is set to %s, but %s holds: ", cgroup,
		numab_opinion_name(set), numab_opinion_name(effective));
	if (!chain_read(target->mount, target->path, &chain))
		link = chain_find_narrowing(&chain, set & ~effective);
	if (link) {
		place = text_printable(link->path);
		fprintf(stderr, "%s allows only %s\n",
			place ? place : "an ancestor",
			numab_opinion_name(link->opinion));
	} else {
		fputs(policies ? "a BPF policy decides\n" :
				 "see numab status\n",
		      stderr);
	}
}

static int show_effective(const struct target *target, const char *cgroup,
			  int set, bool verbose)
{
	bool policies;
	int effective, ret;

	ret = cgroup_read_effective(target->dir, &effective, &policies);
	if (ret)
		return complain_errno("the mode is set; reading what holds",
				      ret);
	warn_if_narrowed(target, cgroup, set, effective, policies);
	if (verbose)
		printf("%s\n", numab_opinion_name(effective));
	return EXIT_OK;
}

int cmd_set(int argc, char **argv)
{
	AUTO_TARGET struct target target = TARGET_NONE;
	AUTO_REFUSAL struct refusal refusal = {};
	AUTO_FREE char *cgroup = NULL, *shown = NULL;
	struct arguments args = {};
	const char *word;
	int opinion, ret;

	ret = parse_arguments(&cmd_set_argp, argc, argv, &args);
	if (ret)
		return ret;
	cgroup = text_printable(args.cgroup);
	shown = text_printable(args.mode);
	if (!cgroup || !shown)
		return complain_errno("starting", -ENOMEM);
	if (numab_opinion_parse(args.mode, strlen(args.mode), &opinion)) {
		fprintf(stderr,
			"numab: %s is not a mode\n"
			"hint: the modes are inherit, off, normal, tiering "
			"and both (or 0 to 3)\n",
			shown);
		return EXIT_USAGE;
	}
	word = numab_opinion_name(opinion);
	if (target_open(args.cgroup, &target, &refusal))
		return complain(&refusal, "cannot set %s to %s", cgroup, word);
	if (cgroup_is_root(target.path))
		return refuse_root();
	ret = fs_write_at(target.dir, CGROUP_MODE, word);
	if (ret) {
		refusal_of_write(&target, opinion, ret, &refusal);
		return complain(&refusal, "cannot set %s to %s", cgroup, word);
	}
	return show_effective(&target, cgroup, opinion, args.verbose);
}
