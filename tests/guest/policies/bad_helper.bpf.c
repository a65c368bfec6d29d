// SPDX-License-Identifier: GPL-2.0
/* To be refused: a helper that loops. */
#include "numab_bpf.h"

static long round(__u64 i, void *unused)
{
	return 0;
}

SEC("struct_ops/mode")
int BPF_PROG(bad_mode, struct task_struct *task, struct folio *folio)
{
	bpf_loop(1 << 23, round, 0, 0);
	return NUMAB_NO_OPINION;
}

NUMAB_POLICY(bad_helper, .mode = (void *)bad_mode);
