// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advice.h"
#include "command.h"
#include "flat.h"
#include "table.h"

static const char *const cache_aware_words[] = {
	[CACHE_AWARE_ABSENT] = "absent",
	[CACHE_AWARE_OFF] = "off",
	[CACHE_AWARE_ON] = "on",
	[CACHE_AWARE_UNKNOWN] = "unknown",
};

static const struct argp_option options[] = {
	{ "json", 'j', 0, 0, "Print JSON", 0 },
	{},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	bool *json = state->input;

	if (key == ARGP_KEY_ARG)
		argp_error(state, "no argument is expected: %s", arg);
	if (key != 'j')
		return ARGP_ERR_UNKNOWN;
	*json = true;
	return 0;
}

const struct argp cmd_status_argp = {
	.options = options,
	.parser = parse,
	.doc = "Show the kernel, the module and its decision points, tiers and "
	       "nodes, the switches of the kernel, and what may be wrong.",
};

static void print_module(const struct module *module)
{
	AUTO_TABLE struct table points = { .columns = 4, .left = 4 };

	if (!module->loaded) {
		puts("module       not loaded (modprobe numab loads it)");
		return;
	}
	printf("module       numab %s, hooks %s",
	       module->version ? module->version : "of an unknown version",
	       module->hooks ? module->hooks : "unknown");
	if (module->settings >= 0)
		printf(", settings %" PRId64, module->settings);
	if (module->tasks >= 0)
		printf(", processes %" PRId64, module->tasks);
	if (module->policies >= 0)
		printf(", policies %" PRId64, module->policies);
	putchar('\n');
	for (size_t i = 0; i < module->points.count; i++) {
		const struct point *point = &module->points.items[i];

		table_add(&points, "point      ");
		table_add(&points, "%s", point->name);
		table_add(&points, "%s", point->word);
		table_add(&points, "%s", point->reason);
	}
	table_print(&points, stdout);
	if (module->promotion_scans)
		printf("scans        for promotion only: %s\n",
		       module->promotion_scans);
}

static void print_memory(const struct machine *machine)
{
	for (size_t i = 0; i < machine->tier_count; i++) {
		const struct tier *tier = &machine->tiers[i];

		printf("tier         %u: nodes %s, %s tier\n", tier->id,
		       *tier->nodelist ? tier->nodelist : "none",
		       tier->top ? "top" : "slow");
	}
	for (size_t i = 0; i < machine->node_count; i++) {
		const struct node *node = &machine->nodes[i];

		printf("node         %u: %s%s, %" PRIu64 " MB, %" PRIu64
		       " MB free\n",
		       node->id, *node->cpus ? "CPUs " : "no CPUs", node->cpus,
		       node->total_bytes / MB, node->free_bytes / MB);
	}
}

static const char *on_off(int is_on)
{
	return is_on < 0 ? "unknown" : is_on ? "on" : "off";
}

/* Without the module the kernel runs with what was written. */
static int64_t written_value(const struct machine *machine,
			     const struct module *module)
{
	return module->written >= 0 ? module->written : machine->balancing;
}

static int64_t running_value(const struct machine *machine,
			     const struct module *module)
{
	return module->running >= 0 ? module->running :
				      written_value(machine, module);
}

/* What the module makes of cache-aware scheduling. */
static void print_gate(const char *text)
{
	uint64_t usable = 0, gate = 0, sized = 0, min = 0, max = 0;

	flat_find(text, "usable", &usable);
	flat_find(text, "gate", &gate);
	flat_find(text, "sized", &sized);
	flat_find(text, "llc_min", &min);
	flat_find(text, "llc_max", &max);
	if (!usable)
		puts("cache gate   not to be had here: see the points above");
	else
		printf("cache gate   %s, caches of %" PRIu64 " to %" PRIu64
		       " kB%s\n",
		       gate ? "on" : "off", min / 1024, max / 1024,
		       sized ? "" : ": that cannot be, sizes do not count");
}

static void print_switches(const struct machine *machine,
			   const struct module *module)
{
	int64_t written = written_value(machine, module);
	int64_t running = running_value(machine, module);

	if (written < 0)
		puts("sysctl       kernel.numa_balancing is not in this kernel");
	else
		printf("sysctl       kernel.numa_balancing = %" PRId64
		       " (%s) as written; running with %" PRId64 " (%s)\n",
		       written, sysctl_words(written), running,
		       sysctl_words(running));
	printf("demotion     %s\n", on_off(machine->demotion));
	if (machine->promote_mbps >= 0)
		printf("promotion    at most %" PRId64 " MB/s for each node\n",
		       machine->promote_mbps);
	printf("cache-aware  scheduling %s%s\n",
	       cache_aware_words[machine->cache_aware],
	       machine->cache_aware == CACHE_AWARE_UNKNOWN ?
		       " (needs root and debugfs)" :
		       "");
	if (module->cache && machine->cache_aware != CACHE_AWARE_ABSENT)
		print_gate(module->cache);
}

static void print_status(const struct machine *machine,
			 const struct module *module,
			 const struct advice *advice)
{
	printf("kernel       %s%s\n",
	       machine->release ? machine->release : "unknown",
	       machine->tested ? ", tested" : "");
	print_module(module);
	print_memory(machine);
	print_switches(machine, module);
	for (size_t i = 0; i < advice->count; i++)
		printf("%-11s  %s\n",
		       advice->lines[i].is_warning ? "WARNING" : "note",
		       advice->lines[i].text);
}

static json_t *points_json(const struct points *points)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < points->count; i++)
		json_array_append_new(
			array,
			json_pack("{s:o, s:o, s:o}", "name",
				  json_text(points->items[i].name), "state",
				  json_text(points->items[i].word), "reason",
				  json_text(points->items[i].reason)));
	return array;
}

static json_t *module_json(const struct module *module)
{
	return json_pack(
		"{s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"loaded", module->loaded, "version", json_text(module->version),
		"hooks", json_text(module->hooks), "settings",
		json_number(module->settings), "policies",
		json_number(module->policies), "tasks",
		json_number(module->tasks), "tasks_lost",
		json_number(module->tasks_lost), "scan_pinned",
		json_text(module->scan_pinned), "promotion_scans",
		json_text(module->promotion_scans), "points",
		points_json(&module->points), "stat", json_flat(module->stat),
		"cache_gate", json_flat(module->cache));
}

static json_t *tiers_json(const struct machine *machine)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < machine->tier_count; i++) {
		const struct tier *tier = &machine->tiers[i];

		json_array_append_new(array,
				      json_pack("{s:I, s:o, s:b}", "tier",
						(json_int_t)tier->id, "nodes",
						json_nodes(&tier->nodes), "top",
						tier->top));
	}
	return array;
}

static json_t *nodes_json(const struct machine *machine)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < machine->node_count; i++) {
		const struct node *node = &machine->nodes[i];

		json_array_append_new(
			array,
			json_pack("{s:i, s:o, s:I, s:I}", "node", node->id,
				  "cpus", json_text(node->cpus), "total_bytes",
				  (json_int_t)node->total_bytes, "free_bytes",
				  (json_int_t)node->free_bytes));
	}
	return array;
}

static json_t *advice_json(const struct advice *advice, bool warnings)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < advice->count; i++)
		if (advice->lines[i].is_warning == warnings)
			json_array_append_new(array,
					      json_text(advice->lines[i].text));
	return array;
}

static json_t *words_json(const char *words)
{
	struct span rest = { words, strlen(words) }, word;
	json_t *array = json_array();

	while (array && text_next_word(&rest, &word))
		json_array_append_new(array,
				      json_stringn(word.start, word.len));
	return array;
}

static json_t *kernel_json(const struct machine *machine)
{
	return json_pack("{s:o, s:b, s:o}", "release",
			 json_text(machine->release), "tested", machine->tested,
			 "tested_kernels", words_json(machine_tested_kernels));
}

static json_t *switches_json(const struct machine *machine,
			     const struct module *module)
{
	return json_pack(
		"{s:o, s:o, s:o, s:o, s:s}", "written",
		json_number(written_value(machine, module)), "running",
		json_number(running_value(machine, module)), "demotion",
		machine->demotion < 0 ? json_null() :
					json_boolean(machine->demotion),
		"promote_rate_limit_mbps", json_number(machine->promote_mbps),
		"cache_aware_scheduling",
		cache_aware_words[machine->cache_aware]);
}

static json_t *status_json(const struct machine *machine,
			   const struct module *module,
			   const struct advice *advice)
{
	json_t *cgroups;

	cgroups = json_pack("{s:o, s:b, s:b}", "mount",
			    json_text(machine->cgroup_mount), "cpu_available",
			    machine->cpu_is_available, "cpu_enabled",
			    machine->cpu_is_enabled);
	return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "version", NUMAB_JSON_VERSION, "kernel",
			 kernel_json(machine), "module", module_json(module),
			 "tiers", tiers_json(machine), "nodes",
			 nodes_json(machine), "switches",
			 switches_json(machine, module), "cgroups", cgroups,
			 "notes", advice_json(advice, false), "warnings",
			 advice_json(advice, true));
}

int cmd_status(int argc, char **argv)
{
	AUTO_MACHINE struct machine machine = {};
	AUTO_MODULE struct module module = {};
	AUTO_ADVICE struct advice advice = {};
	bool json = false;
	int ret;

	ret = parse_arguments(&cmd_status_argp, argc, argv, &json);
	if (ret)
		return ret;
	ret = machine_read(&machine);
	if (!ret)
		ret = module_read(&module);
	if (!ret)
		ret = advice_collect(&machine, &module, &advice);
	if (ret)
		return complain_errno("cannot read the state of the machine",
				      ret);
	if (json)
		return print_json(status_json(&machine, &module, &advice));
	print_status(&machine, &module, &advice);
	return EXIT_OK;
}
