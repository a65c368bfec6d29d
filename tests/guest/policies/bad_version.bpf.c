// SPDX-License-Identifier: GPL-2.0
/* To be refused: it uses a member that this numab does not know. */
#define bpf_numab_ops bpf_numab_ops_now
#include "numab_bpf.h"
#undef bpf_numab_ops

struct bpf_numab_ops {
	int (*mode)(struct task_struct *task, struct folio *folio);
	__u64 cgroup_id;
	__u32 may_enable;
	__u32 flags;
	char name[NUMAB_NAME_LEN];
	__u64 from_the_future;
};

SEC("struct_ops/mode")
int BPF_PROG(bad_mode, struct task_struct *task, struct folio *folio)
{
	return NUMAB_NO_OPINION;
}

NUMAB_POLICY(bad_version, .mode = (void *)bad_mode, .from_the_future = 1);
