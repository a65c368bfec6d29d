// SPDX-License-Identifier: GPL-2.0
/* To be refused: two policies in a file. */
#include "numab_bpf.h"

SEC("struct_ops/mode")
int BPF_PROG(bad_mode, struct task_struct *task, struct folio *folio)
{
	return NUMAB_NO_OPINION;
}

NUMAB_POLICY(one, .mode = (void *)bad_mode);
SEC(".struct_ops.link")
struct bpf_numab_ops two = { .mode = (void *)bad_mode, .name = "two" };
