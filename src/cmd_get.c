// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "cgroup.h"
#include "chain.h"
#include "command.h"
#include "mode.h"
#include "module.h"
#include "table.h"

struct arguments {
	const char *cgroup;
	bool json;
};

/* What is known about the cgroup. */
struct answer {
	bool has_file; /* a setting of its own is possible */
	int set, effective;
	bool policies;
	struct chain chain;
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
	.doc = "Show the mode of a cgroup, set and effective, and who decides "
	       "it.",
};

static void answer_release(struct answer *answer)
{
	chain_release(&answer->chain);
}

/*
 * A cgroup without the cpu controller has no file: what holds for its tasks
 * is the mode of the nearest ancestor that has one, or the system default.
 */
static int answer_read(const struct target *target, struct answer *answer)
{
	const struct chain *chain = &answer->chain;
	AUTO_CLOSE int dir = -1;
	size_t i = 0;
	int ret;

	ret = chain_read(target->mount, target->path, &answer->chain);
	if (ret)
		return ret;
	answer->effective = chain_effective(chain);
	answer->has_file = chain->count && chain->links[0].has_file;
	if (answer->has_file)
		answer->set = chain->links[0].opinion;
	while (i < chain->count && !chain->links[i].has_file)
		i++;
	if (i == chain->count)
		return 0;
	dir = cgroup_open(target->mount, chain->links[i].path, NULL);
	if (dir < 0)
		return dir;
	return cgroup_read_effective(dir, &answer->effective,
				     &answer->policies);
}

static json_t *opinions_json(const struct chain *chain)
{
	json_t *opinions = json_array();

	for (size_t i = 0; opinions && i < chain->count; i++) {
		const struct chain_link *link = &chain->links[i];

		if (link->opinion != NUMAB_INHERIT)
			json_array_append_new(
				opinions,
				json_pack("{s:o,s:s}", "cgroup",
					  json_text(link->path), "opinion",
					  numab_opinion_name(link->opinion)));
	}
	return opinions;
}

static json_t *answer_json(const struct target *target,
			   const struct answer *answer)
{
	const struct chain *chain = &answer->chain;

	return json_pack(
		"{s:i, s:o, s:s?, s:s, s:b, s:s, s:o, s:{s:o, s:s}}", "version",
		NUMAB_JSON_VERSION, "cgroup", json_text(target->path), "set",
		answer->has_file ? numab_opinion_name(answer->set) : NULL,
		"effective", numab_opinion_name(answer->effective), "policies",
		answer->policies, "decided_by",
		chain_has_opinion(chain) ? "opinions" : "system default",
		"opinions", opinions_json(chain), "system_default", "written",
		json_number(chain->written), "mode",
		sysctl_words(chain->written));
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
	for (size_t i = 0; i < chain->count; i++) {
		AUTO_FREE char *place = text_printable(chain->links[i].path);

		if (chain->links[i].opinion == NUMAB_INHERIT)
			continue;
		table_add(&table, "opinion");
		table_add(&table, "%s: %s", place ? place : "",
			  numab_opinion_name(chain->links[i].opinion));
	}
	table_add(&table, "default");
	table_add(&table, "kernel.numa_balancing = %d (%s)%s", chain->written,
		  sysctl_words(chain->written),
		  chain_has_opinion(chain) ?
			  ", not asked: there is an opinion" :
			  ": nobody else has an opinion");
	table_print(&table, stdout);
}

int cmd_get(int argc, char **argv)
{
	AUTO(answer_release) struct answer answer = {};
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
		refusal_of_missing_file(&target, &refusal);
		return complain(&refusal, "cannot show %s", cgroup);
	}
	ret = answer_read(&target, &answer);
	if (ret) {
		refusal_of_write(&target, NUMAB_INHERIT, ret, &refusal);
		return complain(&refusal, "cannot show %s", cgroup);
	}
	if (args.json)
		return print_json(answer_json(&target, &answer));
	answer_print(&target, &answer);
	return EXIT_OK;
}
