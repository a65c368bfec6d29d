// SPDX-License-Identifier: GPL-2.0
/*
 * Too big to balance: a process with more resident memory than a node has.
 * It uses several nodes whatever happens, its threads are where they have to
 * be, and scanning all of it costs more than moving pages ever brings: large
 * virtual machines and databases. percent is the share of the largest
 * top-tier node from which on a process is too big.
 *
 *	numab policy load too_big.bpf.o --cgroup machine.slice --set percent=80
 */
#include "numab_bpf.h"

const volatile unsigned int percent = 100;

/* More nodes than any machine has that Linux runs on by default. */
#define NODES_MAX 64

static __u64 largest_node(void)
{
	int count = numab_node_count();
	__u64 largest = 0;

	for (int node = 0; node < NODES_MAX && node < count; node++) {
		__u64 bytes = numab_node_bytes(node);

		if (numab_node_is_top_tier(node) && bytes > largest)
			largest = bytes;
	}
	return largest;
}

SEC("struct_ops/mode")
int BPF_PROG(too_big_mode, struct task_struct *task, struct folio *folio)
{
	if (!task)
		return NUMAB_NO_OPINION;
	if (numab_task_rss(task) > largest_node() / 100 * percent)
		return NUMAB_OFF;
	return NUMAB_NO_OPINION;
}

NUMAB_POLICY(too_big, .mode = (void *)too_big_mode);
