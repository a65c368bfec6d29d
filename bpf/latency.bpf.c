// SPDX-License-Identifier: GPL-2.0
/*
 * Latency class: statistics without promotion. The scheduler still learns
 * where a service's memory is and brings its threads there; but no memory is
 * promoted for it, whose faults and copies show in the slowest of its
 * answers. What the cgroup's own file says narrows this further.
 *
 *	numab policy load latency.bpf.o --cgroup latency.slice
 */
#include "numab_bpf.h"

SEC("struct_ops/mode")
int BPF_PROG(latency_mode, struct task_struct *task, struct folio *folio)
{
	/* For both surfaces: a folio is promoted by its own mode alone. */
	return NUMAB_NORMAL;
}

NUMAB_POLICY(latency, .mode = (void *)latency_mode, .may_enable = NUMAB_NORMAL);
