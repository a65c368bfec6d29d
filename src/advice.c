// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "advice.h"

void advice_release(struct advice *advice)
{
	for (size_t i = 0; i < advice->count; i++)
		free(advice->lines[i].text);
	free(advice->lines);
	memset(advice, 0, sizeof(*advice));
}

PRINTF_LIKE(3, 4)
static int advise(struct advice *advice, bool is_warning, const char *format,
		  ...)
{
	struct advice_line *grown;
	char *text;
	va_list args;
	int len;

	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	if (len < 0)
		return -ENOMEM;
	grown = reallocarray(advice->lines, advice->count + 1, sizeof(*grown));
	if (!grown) {
		free(text);
		return -ENOMEM;
	}
	advice->lines = grown;
	grown[advice->count++] = (struct advice_line){ is_warning, text };
	return 0;
}

static int advise_kernel(const struct machine *machine, struct advice *advice)
{
	if (machine->release && !machine->tested)
		return advise(
			advice, true,
			"kernel %s is not one that numab is tested on (%s)",
			machine->release, machine_tested_kernels);
	return 0;
}

static int advise_balancing(const struct machine *machine,
			    struct advice *advice)
{
	if (machine->balancing < 0)
		return advise(advice, true,
			      "this kernel has no NUMA balancing "
			      "(CONFIG_NUMA_BALANCING): nothing can be set");
	return 0;
}

static bool has_slow_tier(const struct machine *machine)
{
	for (size_t i = 0; i < machine->tier_count; i++)
		if (!machine->tiers[i].top &&
		    nodes_count(&machine->tiers[i].nodes))
			return true;
	return false;
}

static int advise_nodes(const struct machine *machine, struct advice *advice)
{
	unsigned int nodes = machine_count_memory_nodes(machine);
	bool slow = has_slow_tier(machine);

	if (nodes == 1)
		return advise(advice, true,
			      "only one node has memory: there is nothing to "
			      "balance");
	if (nodes && machine->tier_count && !slow)
		return advise(advice, true,
			      "all nodes are in the top tier: tiering can do "
			      "nothing here");
	if (nodes && !machine->tier_count)
		return advise(advice, false,
			      "this kernel shows no memory tiers in "
			      "/sys/devices/virtual/memory_tiering");
	/* Promotion only goes where there is room, and demotion makes it. */
	if (slow && !machine->demotion)
		return advise(advice, false,
			      "demotion is off: once the top tier is full, "
			      "promotion stops "
			      "(/sys/kernel/mm/numa/demotion_enabled)");
	return 0;
}

static int advise_cgroups(const struct machine *machine, struct advice *advice)
{
	const char *mount = machine->cgroup_mount;

	if (!mount)
		return advise(advice, true,
			      "cgroup v2 is not mounted: numab needs it (boot "
			      "with systemd.unified_cgroup_hierarchy=1)");
	if (!machine->cpu_is_available)
		return advise(advice, true,
			      "the cgroup v2 tree at %s has no cpu controller; "
			      "a cgroup v1 mount may hold it",
			      mount);
	if (!machine->cpu_is_enabled)
		return advise(advice, true,
			      "no cgroup below the root has the cpu "
			      "controller; enable it: echo +cpu > "
			      "%s/cgroup.subtree_control",
			      mount);
	return 0;
}

static int advise_points(const struct points *points, struct advice *advice)
{
	int ret;

	for (size_t i = 0; i < points->count; i++) {
		const struct point *point = &points->items[i];

		/* That a kernel does not have one is a fact, not a fault. */
		if (!point_is_missing(point) || point->state == POINT_ABSENT)
			continue;
		ret = advise(advice, true, "decision point %s is %s%s%s",
			     point->name, point->word,
			     *point->reason ? ": " : "", point->reason);
		if (ret)
			return ret;
	}
	return 0;
}

/* The module's default is what newer kernels do by themselves. */
static int advise_pinned(const struct module *module, struct advice *advice)
{
	if (!module->scan_pinned || !strcmp(module->scan_pinned, "never"))
		return 0;
	return advise(advice, false,
		      "memory that is pinned to one node is scanned: "
		      "scan_pinned is %s (" MODULE_SCAN_PINNED
		      "; the default is never)",
		      module->scan_pinned);
}

static int advise_tasks(const struct module *module, struct advice *advice)
{
	if (module->tasks_lost <= 0)
		return 0;
	return advise(advice, true,
		      "%" PRId64 " processes did not get their parent's "
		      "settings, for want of memory, and go by their cgroup",
		      module->tasks_lost);
}

int advice_collect(const struct machine *machine, const struct module *module,
		   struct advice *ret_advice)
{
	AUTO_ADVICE struct advice advice = {};
	int ret = advise_kernel(machine, &advice);

	if (!ret)
		ret = advise_balancing(machine, &advice);
	if (!ret)
		ret = advise_nodes(machine, &advice);
	if (!ret)
		ret = advise_cgroups(machine, &advice);
	if (!ret)
		ret = advise_points(&module->points, &advice);
	if (!ret)
		ret = advise_tasks(module, &advice);
	if (!ret)
		ret = advise_pinned(module, &advice);
	if (ret)
		return ret;
	*ret_advice = advice;
	memset(&advice, 0, sizeof(advice));
	return 0;
}
