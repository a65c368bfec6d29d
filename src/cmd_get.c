// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "answer.h"
#include "cgroup.h"
#include "command.h"
#include "mode.h"
#include "module.h"
#include "table.h"

struct arguments {
	const char *cgroup;
	bool json;
};

static const struct argp_option options[] = {
	{ "json", 'j', 0, 0, "Print JSON", 0 },
	{},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case 'j':
		args->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (args->cgroup)
			argp_error(state, "one argument too many: %s", arg);
		args->cgroup = arg;
		return 0;
	case ARGP_KEY_END:
		if (!args->cgroup)
			argp_error(state, "a CGROUP is needed");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp cmd_get_argp = {
	.options = options,
	.parser = parse,
	.args_doc = "CGROUP",
	.doc = "Show the mode of a cgroup and its values of tuning, set and "
	       "effective, and who decides them.",
};

static json_t *answer_json(const struct target *target,
			   const struct answer *answer)
{
	const struct chain *chain = &answer->chain;

	return json_pack(
		"{s:i, s:o, s:s?, s:s, s:b, s:s, s:o, s:{s:o, s:s}, s:o, s:o}",
		"version", NUMAB_JSON_VERSION, "cgroup",
		json_text(target->path), "set",
		answer->has_file ? numab_opinion_name(answer->set) : NULL,
		"effective", numab_opinion_name(answer->effective), "policies",
		answer->policies, "decided_by",
		chain_has_opinion(chain) ? "opinions" : "system default",
		"opinions", answer_opinions_json(answer), "system_default",
		"written", json_number(chain->written), "mode",
		sysctl_words(chain->written), "tuning",
		answer_tuning_json(answer), "cache", answer_hint_json(answer));
}

static void table_add_pair(struct table *table, const char *key,
			   const char *value)
{
	table_add(table, "%s", key);
	table_add(table, "%s", value);
}

static void answer_print(const struct target *target,
			 const struct answer *answer)
{
	AUTO_TABLE struct table table = { .columns = 2, .left = 2 };
	AUTO_FREE char *path = text_printable(target->path);
	const struct chain *chain = &answer->chain;

	table_add_pair(&table, "cgroup", path ? path : "");
	table_add_pair(&table, "set",
		       answer->has_file ? numab_opinion_name(answer->set) :
					  "- (no file of its own)");
	table_add(&table, "effective");
	table_add(&table, "%s%s", numab_opinion_name(answer->effective),
		  answer->policies ? ", BPF policies take part" : "");
	answer_add_opinions(&table, answer);
	table_add(&table, "default");
	table_add(&table, "kernel.numa_balancing = %d (%s)%s", chain->written,
		  sysctl_words(chain->written),
		  chain_has_opinion(chain) ?
			  ", not asked: there is an opinion" :
			  ": nobody else has an opinion");
	table_print(&table, stdout);
}

static void print_tuning(const struct answer *answer)
{
	AUTO_TABLE struct table table = { .columns = 4, .left = 4 };

	if (!answer->knobs.has_own && !answer->knobs.has_effective)
		return;
	answer_add_tuning(&table, answer);
	putchar('\n');
	table_print(&table, stdout);
}

int cmd_get(int argc, char **argv)
{
	AUTO_ANSWER struct answer answer = {};
	AUTO_TARGET struct target target = TARGET_NONE;
	AUTO_REFUSAL struct refusal refusal = {};
	AUTO_FREE char *cgroup = NULL;
	struct arguments args = {};
	int ret;

	ret = parse_arguments(&cmd_get_argp, argc, argv, &args);
	if (ret)
		return ret;
	cgroup = text_printable(args.cgroup);
	if (!cgroup)
		return complain_errno("starting", -ENOMEM);
	if (target_open(args.cgroup, &target, &refusal))
		return complain(&refusal, "cannot show %s", cgroup);
	if (!module_is_loaded()) {
		refusal_of_missing_file(&target, CGROUP_MODE, &refusal);
		return complain(&refusal, "cannot show %s", cgroup);
	}
	ret = answer_read(target.mount, target.path, &answer);
	if (ret) {
		refusal_of_write(&target, NUMAB_INHERIT, ret, &refusal);
		return complain(&refusal, "cannot show %s", cgroup);
	}
	if (args.json)
		return print_json(answer_json(&target, &answer));
	answer_print(&target, &answer);
	print_tuning(&answer);
	return EXIT_OK;
}
