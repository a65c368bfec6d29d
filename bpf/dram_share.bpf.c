// SPDX-License-Identifier: GPL-2.0
/*
 * A share of the fast memory: folios of a cgroup are promoted as long as it
 * has less than its share of the top tier. So one busy cgroup cannot take all
 * of the DRAM from its neighbours, whose memory would be demoted for it. The
 * share is in megabytes, for each memory cgroup at or below the one where the
 * policy hangs, by itself.
 *
 *	numab policy load dram_share.bpf.o --cgroup tenant --set megabytes=4096
 */
#include "numab_bpf.h"

volatile unsigned long megabytes;

#define NODES_MAX 64

static __u64 top_tier_bytes(struct folio *folio)
{
	int count = numab_node_count();
	__u64 bytes = 0;

	for (int node = 0; node < NODES_MAX && node < count; node++)
		if (numab_node_is_top_tier(node))
			bytes += numab_folio_cgroup_bytes(folio, node);
	return bytes;
}

SEC("struct_ops/mode")
int BPF_PROG(dram_share_mode, struct task_struct *task, struct folio *folio)
{
	if (!folio)
		return NUMAB_NO_OPINION;
	if (top_tier_bytes(folio) < (__u64)megabytes << 20)
		return NUMAB_NO_OPINION;
	return NUMAB_NORMAL;
}

/* Between top-tier nodes it leaves the mode as it is. */
NUMAB_POLICY(dram_share, .mode = (void *)dram_share_mode,
	     .may_enable = NUMAB_NORMAL);
