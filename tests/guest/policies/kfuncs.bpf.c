// SPDX-License-Identifier: GPL-2.0
/* Asks every kfunc, and keeps the answers. */
#include "numab_bpf.h"

volatile __u64 rss, llc, node_bytes, task_cgroup, folio_cgroup, cgroup_bytes;
volatile int node_count, folio_node = -1, slow_is_top, home_is_top;

SEC("struct_ops/mode")
int BPF_PROG(kfuncs_mode, struct task_struct *task, struct folio *folio)
{
	__u64 bytes;

	if (task) {
		rss = numab_task_rss(task);
		llc = numab_llc_bytes();
		task_cgroup = numab_task_cgroup_id(task);
		node_count = numab_node_count();
		node_bytes = numab_node_bytes(1);
		home_is_top = numab_node_is_top_tier(0);
		slow_is_top = numab_node_is_top_tier(2) +
			      numab_node_is_top_tier(-1) +
			      numab_node_is_top_tier(1 << 20);
	}
	if (folio) {
		folio_node = numab_folio_node(folio);
		folio_cgroup = numab_folio_cgroup_id(folio);
		bytes = numab_folio_cgroup_bytes(folio, folio_node);
		if (bytes > cgroup_bytes)
			cgroup_bytes = bytes;
	}
	return NUMAB_NO_OPINION;
}

NUMAB_POLICY(kfuncs, .mode = (void *)kfuncs_mode);
