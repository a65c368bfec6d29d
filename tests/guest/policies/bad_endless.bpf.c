// SPDX-License-Identifier: GPL-2.0
/* To be refused: the verifier finds no end. */
#include "numab_bpf.h"

SEC("struct_ops/mode")
int BPF_PROG(bad_mode, struct task_struct *task, struct folio *folio)
{
	volatile int i = 0;

	while (i >= 0)
		i++;
	return NUMAB_NO_OPINION;
}

NUMAB_POLICY(bad_endless, .mode = (void *)bad_mode);
