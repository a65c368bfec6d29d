// SPDX-License-Identifier: GPL-2.0
/* To be refused: it reads the task without a test. */
#include "numab_bpf.h"

SEC("struct_ops/mode")
int BPF_PROG(bad_mode, struct task_struct *task, struct folio *folio)
{
	return task->pid == 1 ? NUMAB_OFF : NUMAB_NO_OPINION;
}

NUMAB_POLICY(bad_null, .mode = (void *)bad_mode);
