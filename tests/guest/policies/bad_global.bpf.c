// SPDX-License-Identifier: GPL-2.0
/* To be refused: a function that is verified once, and called very often. */
#include "numab_bpf.h"

__attribute__((noinline)) int spin(int rounds)
{
	volatile int sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += rounds;
	return sum;
}

SEC("struct_ops/mode")
int BPF_PROG(bad_mode, struct task_struct *task, struct folio *folio)
{
	int sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += spin(i);
	return sum;
}

NUMAB_POLICY(bad_global, .mode = (void *)bad_mode);
