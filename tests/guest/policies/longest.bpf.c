// SPDX-License-Identifier: GPL-2.0
/* Loops about as long as the verifier walks along. */
#include "numab_bpf.h"

SEC("struct_ops/mode")
int BPF_PROG(longest_mode, struct task_struct *task, struct folio *folio)
{
	volatile __u64 sum = 0;

	for (int i = 0; i < 20000; i++)
		sum += i;
	return NUMAB_NO_OPINION;
}

NUMAB_POLICY(longest, .mode = (void *)longest_mode);
