// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cgroup.h"
#include "machine.h"

#define NODE_DIR "/sys/devices/system/node"
#define TIER_DIR "/sys/devices/virtual/memory_tiering"
#define LLC_FILE "/sys/kernel/debug/sched/llc_balancing/enabled"

/* From lab/kernels, by the Makefile. */
const char machine_tested_kernels[] = NUMAB_TESTED_KERNELS;

void machine_release(struct machine *machine)
{
	for (size_t i = 0; i < machine->node_count; i++)
		free(machine->nodes[i].cpus);
	for (size_t i = 0; i < machine->tier_count; i++)
		free(machine->tiers[i].nodelist);
	free(machine->nodes);
	free(machine->tiers);
	free(machine->release);
	free(machine->cgroup_mount);
	memset(machine, 0, sizeof(*machine));
}

bool machine_kernel_is_tested(const char *release, const char *tested)
{
	struct span rest = { tested, strlen(tested) }, version;

	while (text_next_word(&rest, &version)) {
		if (strncmp(release, version.start, version.len))
			continue;
		/* 7.3 is not a prefix of the version 7.30. */
		if (!strchr("0123456789", release[version.len]) ||
		    !release[version.len])
			return true;
	}
	return false;
}

/* "Node 0 MemTotal:  2048 kB" */
static uint64_t meminfo_find(const char *text, const char *key)
{
	struct span line, word;
	uint64_t kb;

	while (text_next_line(&text, &line)) {
		if (!text_next_word(&line, &word) ||
		    !text_equals(word, "Node") ||
		    !text_next_word(&line, &word) ||
		    !text_next_word(&line, &word) || !text_equals(word, key) ||
		    !text_next_word(&line, &word) || text_parse_u64(word, &kb))
			continue;
		return kb > UINT64_MAX / 1024 ? UINT64_MAX : kb * 1024;
	}
	return 0;
}

static int node_read(unsigned int id, struct node *node)
{
	AUTO_TEXT struct fs_text meminfo = {};
	char path[64];

	node->id = id;
	snprintf(path, sizeof(path), NODE_DIR "/node%u/cpulist", id);
	if (fs_read_word(path, &node->cpus)) {
		node->cpus = strdup("");
		if (!node->cpus)
			return -ENOMEM;
	}
	snprintf(path, sizeof(path), NODE_DIR "/node%u/meminfo", id);
	if (!fs_read(path, &meminfo)) {
		node->total_bytes = meminfo_find(meminfo.data, "MemTotal:");
		node->free_bytes = meminfo_find(meminfo.data, "MemFree:");
	}
	return 0;
}

static int nodes_read(struct machine *machine)
{
	AUTO_FREE char *online = NULL;
	struct nodes nodes = {};
	int ret;

	if (fs_read_word(NODE_DIR "/online", &online) ||
	    nodes_parse(online, &nodes))
		return 0;
	machine->nodes = calloc(nodes_count(&nodes), sizeof(*machine->nodes));
	if (!machine->nodes && nodes_count(&nodes))
		return -ENOMEM;
	for (unsigned int id = 0; id < NODES_MAX; id++) {
		if (!nodes_has(&nodes, id))
			continue;
		ret = node_read(id, &machine->nodes[machine->node_count++]);
		if (ret)
			return ret;
	}
	return 0;
}

static int tier_add(struct machine *machine, unsigned int id)
{
	AUTO_FREE char *path = NULL;
	struct tier *grown, *tier;

	grown = reallocarray(machine->tiers, machine->tier_count + 1,
			     sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	machine->tiers = grown;
	if (asprintf(&path, TIER_DIR "/memory_tier%u/nodelist", id) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	tier = &machine->tiers[machine->tier_count];
	memset(tier, 0, sizeof(*tier));
	tier->id = id;
	if (fs_read_word(path, &tier->nodelist))
		return 0;
	machine->tier_count++;
	/* A tier whose list cannot be read as one has no nodes for us. */
	nodes_parse(tier->nodelist, &tier->nodes);
	return 0;
}

static int tier_compare(const void *a, const void *b)
{
	const struct tier *left = a, *right = b;

	return left->id < right->id ? -1 : left->id > right->id;
}

static int tiers_read(struct machine *machine)
{
	static const char prefix[] = "memory_tier";
	AUTO_CLOSE int dir = fs_open_dir(TIER_DIR);
	AUTO_CLOSEDIR DIR *list = NULL;
	struct dirent *entry;
	uint64_t id;
	int ret;

	/* Absent before 6.1 and without memory tiers: nothing to show. */
	if (dir < 0 || fs_list_at(dir, &list))
		return 0;
	while ((entry = readdir(list))) {
		const char *number = entry->d_name + strlen(prefix);

		if (strncmp(entry->d_name, prefix, strlen(prefix)) ||
		    text_parse_u64((struct span){ number, strlen(number) },
				   &id) ||
		    id > UINT32_MAX)
			continue;
		ret = tier_add(machine, id);
		if (ret)
			return ret;
	}
	if (machine->tier_count)
		qsort(machine->tiers, machine->tier_count,
		      sizeof(*machine->tiers), tier_compare);
	return 0;
}

void machine_mark_top_tiers(struct machine *machine)
{
	struct nodes with_cpus = {};
	bool top = false;

	for (size_t i = 0; i < machine->node_count; i++)
		if (*machine->nodes[i].cpus && machine->nodes[i].id < NODES_MAX)
			nodes_add(&with_cpus, machine->nodes[i].id);
	for (size_t i = machine->tier_count; i-- > 0;) {
		struct tier *tier = &machine->tiers[i];

		for (int w = 0; w < NODES_MAX / 64; w++)
			if (tier->nodes.bits[w] & with_cpus.bits[w])
				top = true;
		tier->top = top;
	}
}

unsigned int machine_count_memory_nodes(const struct machine *machine)
{
	unsigned int count = 0;

	for (size_t i = 0; i < machine->node_count; i++)
		count += machine->nodes[i].total_bytes > 0;
	return count;
}

static int read_switch(const char *path)
{
	AUTO_FREE char *word = NULL;

	if (fs_read_word(path, &word))
		return -1;
	if (!strcmp(word, "1") || !strcmp(word, "true") || !strcmp(word, "Y"))
		return 1;
	if (!strcmp(word, "0") || !strcmp(word, "false") || !strcmp(word, "N"))
		return 0;
	return -1;
}

static enum cache_aware cache_aware_read(void)
{
	int on = read_switch(LLC_FILE);

	if (on >= 0)
		return on ? CACHE_AWARE_ON : CACHE_AWARE_OFF;
	if (fs_exists("/sys/kernel/debug/sched/") && !fs_exists(LLC_FILE))
		return CACHE_AWARE_ABSENT;
	return CACHE_AWARE_UNKNOWN;
}

static int cgroup_root_read(struct machine *machine)
{
	AUTO_CLOSE int root = -1;
	int ret = cgroup_find_mount(&machine->cgroup_mount);

	if (ret == -ENOMEM)
		return ret;
	if (ret)
		return 0;
	root = fs_open_dir(machine->cgroup_mount);
	machine->cpu_is_available =
		cgroup_lists_controller(root, "cgroup.controllers", "cpu");
	machine->cpu_is_enabled =
		cgroup_lists_controller(root, "cgroup.subtree_control", "cpu");
	return 0;
}

int machine_read(struct machine *ret_machine)
{
	AUTO_MACHINE struct machine machine = {};
	int ret;

	if (!fs_read_word("/proc/sys/kernel/osrelease", &machine.release))
		machine.tested = machine_kernel_is_tested(
			machine.release, machine_tested_kernels);
	ret = nodes_read(&machine);
	if (ret)
		return ret;
	ret = tiers_read(&machine);
	if (ret)
		return ret;
	machine_mark_top_tiers(&machine);
	ret = cgroup_root_read(&machine);
	if (ret)
		return ret;
	machine.balancing = fs_read_number("/proc/sys/kernel/numa_balancing");
	machine.promote_mbps = fs_read_number(
		"/proc/sys/kernel/numa_balancing_promote_rate_limit_MBps");
	machine.demotion = read_switch("/sys/kernel/mm/numa/demotion_enabled");
	machine.cache_aware = cache_aware_read();
	*ret_machine = machine;
	memset(&machine, 0, sizeof(machine));
	return 0;
}
