// SPDX-License-Identifier: GPL-2.0
/* To be refused: it may sleep. */
#include "numab_bpf.h"

SEC("struct_ops.s/mode")
int BPF_PROG(bad_mode, struct task_struct *task, struct folio *folio)
{
	return NUMAB_NO_OPINION;
}

NUMAB_POLICY(bad_sleeps, .mode = (void *)bad_mode);
