// SPDX-License-Identifier: GPL-2.0
/* To be refused: an iterator, whose rounds the verifier does not walk. */
#include "numab_bpf.h"

extern int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end) __ksym;
extern int *bpf_iter_num_next(struct bpf_iter_num *it) __ksym;
extern void bpf_iter_num_destroy(struct bpf_iter_num *it) __ksym;

SEC("struct_ops/mode")
int BPF_PROG(bad_mode, struct task_struct *task, struct folio *folio)
{
	struct bpf_iter_num it;
	int *i;

	bpf_iter_num_new(&it, 0, 1 << 23);
	while ((i = bpf_iter_num_next(&it)))
		;
	bpf_iter_num_destroy(&it);
	return NUMAB_NO_OPINION;
}

NUMAB_POLICY(bad_iterator, .mode = (void *)bad_mode);
