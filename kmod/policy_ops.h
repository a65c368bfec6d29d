/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The struct_ops type bpf_numab_ops as BPF knows it: which programs and which
 * values are accepted. The protocol stands in include/numab_bpf.h, which
 * declares the same struct.
 */
#ifndef NUMAB_POLICY_OPS_H
#define NUMAB_POLICY_OPS_H

#include <linux/types.h>

struct bpf_link;
struct folio;
struct task_struct;

#define NUMAB_NAME_LEN	 32
#define NUMAB_EACH_FOLIO 1 /* flag */

struct bpf_numab_ops {
	int (*mode)(struct task_struct *task__nullable,
		    struct folio *folio__nullable);
	u64 cgroup_id; /* 0: the root */
	u32 may_enable;
	u32 flags;
	char name[NUMAB_NAME_LEN];
};

/* In policies.c; BPF calls them. */
int numab_policy_reg(void *kdata, struct bpf_link *link);
void numab_policy_unreg(void *kdata, struct bpf_link *link);
int numab_policy_update(void *kdata, void *old_kdata, struct bpf_link *link);

/* At load: which functions of this kernel a policy may not call. */
struct numab_btf;
void numab_policy_ops_learn(const struct numab_btf *btf);

/* Register the type. 0 or negative errno. */
int numab_policy_ops_init(void);

#endif
