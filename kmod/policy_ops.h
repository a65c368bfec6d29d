/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What BPF knows of this module: the struct_ops type bpf_numab_ops, that is which
 * programs and which values are accepted, and the kfuncs that a policy may
 * call. The protocol stands in include/numab_bpf.h, which declares both.
 */
#ifndef NUMAB_POLICY_OPS_H
#define NUMAB_POLICY_OPS_H

#include <linux/types.h>

struct bpf_link;
struct folio;
struct task_struct;

#define NUMAB_EACH_FOLIO 1 /* a flag of the struct */

struct bpf_numab_ops; /* whole in policy_ops.c only */

/*
 * Ask the program: preemption is off, under RCU. A task or a folio; the answer
 * is whatever the program says.
 */
int numab_ops_ask(const struct bpf_numab_ops *ops, struct task_struct *task,
		  struct folio *folio);

u64 numab_ops_cgroup(const struct bpf_numab_ops *ops);
unsigned int numab_ops_may_enable(const struct bpf_numab_ops *ops);
bool numab_ops_wants_each_folio(const struct bpf_numab_ops *ops);

/* In policies.c; BPF calls them. */
int numab_policy_reg(void *kdata, struct bpf_link *link);
void numab_policy_unreg(void *kdata, struct bpf_link *link);
int numab_policy_update(void *kdata, void *old_kdata, struct bpf_link *link);

/* At load: which functions of this kernel a policy may not call. */
struct numab_btf;
void numab_policy_ops_learn(const struct numab_btf *btf);

/* Register the type and the kfuncs. 0 or negative errno. */
int numab_policy_ops_init(void);

#endif
