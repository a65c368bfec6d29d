// SPDX-License-Identifier: GPL-2.0
/* Wants everything, and may enable top-tier balancing only. */
#include "numab_bpf.h"

SEC("struct_ops/mode")
int BPF_PROG(narrow_mode, struct task_struct *task, struct folio *folio)
{
	return NUMAB_BOTH;
}

NUMAB_POLICY(narrow, .mode = (void *)narrow_mode, .may_enable = NUMAB_NORMAL);
