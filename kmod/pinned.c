// SPDX-License-Identifier: GPL-2.0
/*
 * Everything that is read here is current's own: its allowed nodes and CPUs
 * (the kernel changes them from outside; a torn read costs one scan), and its
 * memory policy, which only current itself replaces.
 *
 * A memory policy is a thread's. One that binds it to one node lets its scan
 * mark nothing but mappings with a policy of their own; those are what is lost.
 */
#include <linux/mempolicy.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "kernel.h"
#include "pinned.h"
#include "settings.h"

static const char *const words[] = {
	[PINNED_SCANS_NEVER] = "never",
	[PINNED_SCANS_MOVABLE] = "movable",
	[PINNED_SCANS_ALWAYS] = "always",
};
static enum numab_pinned_scans scans = PINNED_SCANS_NEVER;

static int set_scans(const char *value, const struct kernel_param *kp)
{
	enum numab_pinned_scans before = scans;
	int err, i = sysfs_match_string(words, value);

	if (i < 0) {
		pr_err("scan_pinned: never, movable or always is wanted\n");
		return i;
	}
	WRITE_ONCE(scans, i);
	err = numab_settings_update();
	if (err)
		WRITE_ONCE(scans, before);
	return err;
}

static int get_scans(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%s\n", words[READ_ONCE(scans)]);
}

static const struct kernel_param_ops scans_ops = {
	.set = set_scans,
	.get = get_scans,
};
module_param_cb(scan_pinned, &scans_ops, NULL, 0644);
MODULE_PARM_DESC(
	scan_pinned,
	"tasks whose memory is pinned to one node are scanned: never (default), movable (who may run on and off its CPUs), always");

/* The one node that holds all of current's memory, if there is one. */
static nodemask_t *pinning_nodes(struct numab_pin_facts *facts)
{
	struct mempolicy *policy = current->mempolicy;

	facts->one_node_allowed = nodes_weight(current->mems_allowed) == 1;
	facts->bound_to_one_node = policy && policy->mode == MPOL_BIND &&
				   nodes_weight(policy->nodes) == 1;
	if (facts->one_node_allowed)
		return &current->mems_allowed;
	return facts->bound_to_one_node ? &policy->nodes : NULL;
}

enum numab_pin numab_pinned_current(void)
{
	struct numab_pin_facts facts = { .scans = READ_ONCE(scans) };
	nodemask_t *nodes = pinning_nodes(&facts);

	if (nodes) {
		unsigned int node = min(first_node(*nodes), MAX_NUMNODES - 1);
		const struct cpumask *cpus = cpumask_of_node(node);

		facts.runs_on_node =
			cpumask_intersects(&current->cpus_mask, cpus);
		facts.runs_off_node =
			!cpumask_subset(&current->cpus_mask, cpus);
	}
	return numab_pin(facts);
}

bool numab_pinned_wants_own_scan(void)
{
	return READ_ONCE(scans) != PINNED_SCANS_NEVER &&
	       nodes_weight(current->mems_allowed) == 1 &&
	       numab_kernel_skips_pinned;
}

bool numab_pinned_needs_gate(void)
{
	if (numab_kernel_skips_pinned)
		return READ_ONCE(scans) != PINNED_SCANS_NEVER;
	return READ_ONCE(scans) != PINNED_SCANS_ALWAYS;
}
