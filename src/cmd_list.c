// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd_list_tasks.h"
#include "command.h"
#include "mode.h"
#include "module.h"
#include "table.h"
#include "tree.h"

struct arguments {
	const char *cgroup;
	bool json, all, set, tasks;
};

static const struct argp_option options[] = {
	{ "json", 'j', 0, 0, "Print JSON, with bytes and all counters", 0 },
	{ "all", 'a', 0, 0,
	  "Also the root and cgroups without the cpu controller", 0 },
	{ "set", 's', 0, 0, "Only cgroups with a mode of their own", 0 },
	{ "tasks", 't', 0, 0,
	  "Instead: processes with a mode or values of their own", 0 },
	{},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case 'j':
		args->json = true;
		return 0;
	case 'a':
		args->all = true;
		return 0;
	case 's':
		args->set = true;
		return 0;
	case 't':
		args->tasks = true;
		return 0;
	case ARGP_KEY_ARG:
		if (args->cgroup)
			argp_error(state, "one argument too many: %s", arg);
		args->cgroup = arg;
		return 0;
	case ARGP_KEY_END:
		if (args->tasks && (args->all || args->set))
			argp_error(state, "--tasks lists processes: --all and "
					  "--set are for cgroups");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp cmd_list_argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[CGROUP]",
	.doc = "List the cgroups with the cpu controller, at and below CGROUP "
	       "(normally all): modes, counters, and megabytes (2^20) of "
	       "memory on each node. Or list processes.",
};

static bool is_wanted(const struct row *row, bool set)
{
	return !set || ((row->has & ROW_MODE) && row->opinion != NUMAB_INHERIT);
}

static json_t *memory_json(const struct row *row)
{
	json_t *object;

	if (!(row->has & ROW_MEMORY_STAT))
		return json_null();
	object = json_object();
	for (int i = 0; object && i < MEMORY_KEYS; i++)
		if (row->has_memory & 1u << i)
			json_object_set_new(object, tree_memory_keys[i],
					    json_integer(row->memory[i]));
	return object;
}

static json_t *bytes_json(const struct row *row)
{
	json_t *object;
	char node[24];

	if (!(row->has & ROW_NODE_BYTES))
		return json_null();
	object = json_object();
	for (size_t i = 0; object && i < row->nodes.count; i++) {
		if (!nodes_has(&row->nodes.seen, i))
			continue;
		snprintf(node, sizeof(node), "%zu", i);
		json_object_set_new(object, node,
				    json_integer(row->nodes.bytes[i]));
	}
	return object;
}

static json_t *row_json(const struct row *row)
{
	return json_pack(
		"{s:o, s:b, s:s?, s:s?, s:b, s:o, s:o, s:o, s:o}", "cgroup",
		json_text(row->path), "cpu", !!(row->has & ROW_CPU), "set",
		row->has & ROW_MODE ? numab_opinion_name(row->opinion) : NULL,
		"effective",
		row->has & ROW_EFFECTIVE ? numab_opinion_name(row->effective) :
					   NULL,
		"policies", row->policies, "stat", json_flat(row->stat),
		"memory_stat", memory_json(row), "node_bytes", bytes_json(row),
		"tuning", knob_json(&row->knobs));
}

static int list_json(const struct tree *tree, bool set)
{
	json_t *cgroups = json_array();

	for (size_t i = 0; cgroups && i < tree->count; i++)
		if (is_wanted(&tree->rows[i], set))
			json_array_append_new(cgroups,
					      row_json(&tree->rows[i]));
	return print_json(json_pack("{s:i, s:b, s:o}", "version",
				    NUMAB_JSON_VERSION, "module_loaded",
				    module_is_loaded(), "cgroups", cgroups));
}

static void add_number(struct table *table, bool known, uint64_t number)
{
	if (known)
		table_add(table, "%" PRIu64, number);
	else
		table_add(table, "-");
}

static void add_row(struct table *table, const struct row *row,
		    const struct nodes *nodes)
{
	AUTO_FREE char *path = text_printable(row->path);
	uint64_t scans = 0;
	bool counted;

	table_add(table, "%s", path ? path : "?");
	table_add(table, "%s",
		  row->has & ROW_MODE ? numab_opinion_name(row->opinion) : "-");
	table_add(table, "%s%s",
		  row->has & ROW_EFFECTIVE ?
			  numab_opinion_name(row->effective) :
			  "-",
		  row->policies ? "+policies" : "");
	counted = row->stat && !flat_find(row->stat, "scans_run", &scans);
	add_number(table, counted, scans);
	add_number(table, row->stat,
		   row->stat ? tree_sum_skipped(row->stat) : 0);
	for (int i = 0; i < MEMORY_KEYS; i++)
		add_number(table, row->has_memory & 1u << i, row->memory[i]);
	for (size_t i = 0; i < NODES_MAX; i++) {
		if (!nodes_has(nodes, i))
			continue;
		counted = nodes_has(&row->nodes.seen, i);
		add_number(table, counted,
			   counted ? row->nodes.bytes[i] / MB : 0);
	}
}

static int list_table(const struct tree *tree, bool set)
{
	static const char *const heads[] = {
		"CGROUP", "SET",    "EFFECTIVE", "SCANS",    "SKIPPED",
		"MARKED", "FAULTS", "MIGRATED",	 "PROMOTED",
	};
	const size_t fixed = sizeof(heads) / sizeof(heads[0]);
	AUTO_TABLE struct table table = { .columns = fixed, .left = 3 };
	struct nodes nodes = {};
	int ret;

	for (size_t i = 0; i < tree->count; i++)
		nodes_join(&nodes, &tree->rows[i].nodes.seen);
	table.columns += nodes_count(&nodes);
	for (size_t i = 0; i < fixed; i++)
		table_add(&table, "%s", heads[i]);
	for (int i = 0; i < NODES_MAX; i++)
		if (nodes_has(&nodes, i))
			table_add(&table, "N%d_MB", i);
	for (size_t i = 0; i < tree->count; i++)
		if (is_wanted(&tree->rows[i], set))
			add_row(&table, &tree->rows[i], &nodes);
	ret = table_print(&table, stdout);
	return ret ? complain_errno("cannot print the list", ret) : EXIT_OK;
}

/* What the list cannot say itself; on stderr, out of a parser's way. */
static void print_notes(const struct tree *tree, const char *cgroup)
{
	if (!module_is_loaded())
		fputs("numab: note: the kernel module numab is not loaded: "
		      "modprobe numab\n",
		      stderr);
	if (!tree->count)
		fprintf(stderr,
			"numab: note: no cgroup at or below %s has the "
			"cpu controller; --all shows the others\n",
			cgroup);
	if (tree->unreadable)
		fprintf(stderr,
			"numab: warning: %zu cgroups could not be "
			"read\n",
			tree->unreadable);
}

int cmd_list(int argc, char **argv)
{
	AUTO_TARGET struct target target = TARGET_NONE;
	AUTO_REFUSAL struct refusal refusal = {};
	AUTO_TREE struct tree tree = {};
	AUTO_FREE char *cgroup = NULL;
	struct arguments args = {};
	unsigned int want;
	int ret;

	ret = parse_arguments(&cmd_list_argp, argc, argv, &args);
	if (ret)
		return ret;
	if (args.tasks && !args.cgroup)
		return list_tasks(NULL, args.json);
	if (!args.cgroup)
		args.cgroup = "/";
	cgroup = text_printable(args.cgroup);
	if (!cgroup)
		return complain_errno("starting", -ENOMEM);
	if (target_open(args.cgroup, &target, &refusal))
		return complain(&refusal, "cannot list %s", cgroup);
	if (args.tasks)
		return list_tasks(target.path, args.json);
	want = (args.all ? TREE_ALL : 0) | (args.json ? TREE_TUNING : 0);
	ret = tree_read(target.dir, target.path, want, &tree);
	if (ret)
		return complain_errno("cannot read the cgroup tree", ret);
	ret = args.json ? list_json(&tree, args.set) :
			  list_table(&tree, args.set);
	print_notes(&tree, cgroup);
	return ret;
}
