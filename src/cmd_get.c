// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "cgroup.h"
#include "chain.h"
#include "command.h"
#include "knob.h"
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
	struct knobs knobs;
	const char *from[NR_KNOBS]; /* a path of the chain; NULL: the kernel */
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

/* From the top down: the nearest that says something has the last word. */
static int answer_read_tuning(const struct target *target,
			      struct answer *answer)
{
	for (size_t i = answer->chain.count; i--;) {
		const char *path = answer->chain.links[i].path;
		AUTO_CLOSE int dir = cgroup_open(target->mount, path, NULL);
		struct knobs knobs;

		if (dir < 0)
			return dir;
		knob_read(dir, &knobs);
		for (int knob = 0; knob < NR_KNOBS; knob++)
			if (knobs.own.value[knob])
				answer->from[knob] = path;
		if (knobs.has_effective) {
			answer->knobs.effective = knobs.effective;
			answer->knobs.has_effective = true;
		}
		if (i)
			continue;
		answer->knobs.own = knobs.own;
		answer->knobs.has_own = knobs.has_own;
	}
	return 0;
}

static json_t *tuning_json(const struct answer *answer)
{
	json_t *tuning = knob_json(&answer->knobs), *from;

	if (!json_is_object(tuning))
		return tuning;
	from = json_object();
	for (int knob = 0; from && knob < NR_KNOBS; knob++)
		json_object_set_new(from, numab_knobs[knob].name,
				    answer->from[knob] ?
					    json_text(answer->from[knob]) :
					    json_string("kernel"));
	json_object_set_new(tuning, "from", from);
	return tuning;
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
		"{s:i, s:o, s:s?, s:s, s:b, s:s, s:o, s:{s:o, s:s}, s:o}",
		"version", NUMAB_JSON_VERSION, "cgroup",
		json_text(target->path), "set",
		answer->has_file ? numab_opinion_name(answer->set) : NULL,
		"effective", numab_opinion_name(answer->effective), "policies",
		answer->policies, "decided_by",
		chain_has_opinion(chain) ? "opinions" : "system default",
		"opinions", opinions_json(chain), "system_default", "written",
		json_number(chain->written), "mode",
		sysctl_words(chain->written), "tuning", tuning_json(answer));
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

static void add_value(struct table *table, bool known, unsigned int value,
		      const char *none)
{
	if (known && value)
		table_add(table, "%u", value);
	else
		table_add(table, "%s", known ? none : "-");
}

static void print_tuning(const struct answer *answer)
{
	static const char *const heads[] = { "TUNING", "OWN", "EFFECTIVE",
					     "FROM" };
	AUTO_TABLE struct table table = { .columns = 4, .left = 4 };
	const struct knobs *knobs = &answer->knobs;

	if (!knobs->has_own && !knobs->has_effective)
		return;
	for (int i = 0; i < 4; i++)
		table_add(&table, "%s", heads[i]);
	for (int knob = 0; knob < NR_KNOBS; knob++) {
		AUTO_FREE char *from = NULL;

		if (answer->from[knob])
			from = text_printable(answer->from[knob]);
		table_add(&table, "%s", numab_knobs[knob].name);
		add_value(&table, knobs->has_own, knobs->own.value[knob],
			  "default");
		add_value(&table, knobs->has_effective,
			  knobs->effective.value[knob], "unknown");
		table_add(&table, "%s", from ? from : "kernel");
	}
	putchar('\n');
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
		refusal_of_missing_file(&target, CGROUP_MODE, &refusal);
		return complain(&refusal, "cannot show %s", cgroup);
	}
	ret = answer_read(&target, &answer);
	if (!ret)
		ret = answer_read_tuning(&target, &answer);
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
