// SPDX-License-Identifier: GPL-2.0
/* Answers what it is told to; and counts what it is asked. */
#include "numab_bpf.h"

volatile int answer_task = NUMAB_NO_OPINION;
volatile int answer_folio = NUMAB_NO_OPINION;

SEC("struct_ops/mode")
int BPF_PROG(answer_mode, struct task_struct *task, struct folio *folio)
{
	return task ? answer_task : answer_folio;
}

NUMAB_POLICY(answer, .mode = (void *)answer_mode, .may_enable = NUMAB_BOTH);
