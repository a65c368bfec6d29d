// SPDX-License-Identifier: GPL-2.0
#include <linux/bpf.h>
#include <linux/bpf_verifier.h>
#include <linux/btf.h>
#include <linux/ctype.h>
#include <linux/filter.h>
#include <linux/module.h>

#include "../decide/mode.h"
#include "btf.h"
#include "kfuncs.h"
#include "policy_ops.h"

/* A jump that ends by a count, which the verifier takes for granted. */
#define MAY_GOTO (BPF_JMP | BPF_JCOND)

/* What loops without the verifier walking each round. */
static const char *const iterators[] = {
	"bpf_iter_num_new",	   "bpf_iter_bits_new",
	"bpf_iter_task_new",	   "bpf_iter_css_new",
	"bpf_iter_css_task_new",   "bpf_iter_task_vma_new",
	"bpf_iter_kmem_cache_new", "bpf_iter_dmabuf_new",
	"bpf_iter_scx_dsq_new",
};
static long iterator_ids[ARRAY_SIZE(iterators)]; /* negative: not there */

void numab_policy_ops_learn(const struct numab_btf *btf)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(iterators); i++)
		iterator_ids[i] = numab_btf_function(btf, iterators[i]);
}

static bool is_iterator(long id)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(iterators); i++)
		if (iterator_ids[i] == id)
			return true;
	return false;
}

static int init(struct btf *btf)
{
	return 0;
}

/*
 * A policy runs with preemption off and perhaps with a page table's lock held.
 * So it may not sleep, and its length is to be what the verifier has walked:
 * no loop that it takes for granted. Those made of helpers are refused in
 * get_func_proto(), with the helper's name in the verifier's log.
 */
static int check_member(const struct btf_type *type,
			const struct btf_member *member,
			const struct bpf_prog *prog)
{
	const struct bpf_insn *insn = prog->insnsi;
	u32 i;

	if (prog->sleepable)
		return -EINVAL;
	for (i = 0; i < prog->len; i++, insn++) {
		if (insn->code == MAY_GOTO)
			return -EINVAL;
		if (insn->code == (BPF_JMP | BPF_CALL) && !insn->off &&
		    insn->src_reg == BPF_PSEUDO_KFUNC_CALL &&
		    is_iterator(insn->imm))
			return -EINVAL;
	}
	return 0;
}

static bool is_name(const char *name)
{
	size_t len = strnlen(name, NUMAB_NAME_LEN), i;

	for (i = 0; i < len; i++)
		if (!isalnum(name[i]) && name[i] != '_' && name[i] != '-')
			return false;
	return len && len < NUMAB_NAME_LEN;
}

static int init_member(const struct btf_type *type,
		       const struct btf_member *member, void *kdata,
		       const void *udata)
{
	const struct bpf_numab_ops *from = udata;
	struct bpf_numab_ops *to = kdata;

	switch (__btf_member_bit_offset(type, member) / 8) {
	case offsetof(struct bpf_numab_ops, cgroup_id):
		to->cgroup_id = from->cgroup_id;
		return 1;
	case offsetof(struct bpf_numab_ops, may_enable):
		if (from->may_enable & ~NUMAB_BOTH)
			return -EINVAL;
		to->may_enable = from->may_enable;
		return 1;
	case offsetof(struct bpf_numab_ops, flags):
		if (from->flags & ~NUMAB_EACH_FOLIO)
			return -EINVAL;
		to->flags = from->flags;
		return 1;
	case offsetof(struct bpf_numab_ops, name):
		if (!is_name(from->name))
			return -EINVAL;
		memcpy(to->name, from->name, NUMAB_NAME_LEN);
		return 1;
	}
	return 0; /* the program: BPF's own business */
}

/* A policy that implements nothing is none. */
static int validate(void *kdata)
{
	struct bpf_numab_ops *ops = kdata;

	return ops->mode ? 0 : -EINVAL;
}

static const struct bpf_func_proto *get_func_proto(enum bpf_func_id id,
						   const struct bpf_prog *prog)
{
	switch (id) {
	case BPF_FUNC_loop:
	case BPF_FUNC_for_each_map_elem:
	case BPF_FUNC_user_ringbuf_drain:
	case BPF_FUNC_tail_call:
		return NULL;
	default:
		return bpf_base_func_proto(id, prog);
	}
}

static bool is_valid_access(int off, int size, enum bpf_access_type type,
			    const struct bpf_prog *prog,
			    struct bpf_insn_access_aux *info)
{
	return bpf_tracing_btf_ctx_access(off, size, type, prog, info);
}

static const struct bpf_verifier_ops verifier_ops = {
	.get_func_proto = get_func_proto,
	.is_valid_access = is_valid_access,
};

/*
 * Only its type counts: the suffix has the verifier insist that a program
 * tests for NULL.
 */
static int mode_stub(struct task_struct *task__nullable,
		     struct folio *folio__nullable)
{
	return NUMAB_INHERIT;
}

static struct bpf_numab_ops stubs = { .mode = mode_stub };

static struct bpf_struct_ops type = {
	.verifier_ops = &verifier_ops,
	.init = init,
	.check_member = check_member,
	.init_member = init_member,
	.reg = numab_policy_reg,
	.unreg = numab_policy_unreg,
	.update = numab_policy_update,
	.validate = validate,
	.cfi_stubs = &stubs,
	.name = "bpf_numab_ops",
	.owner = THIS_MODULE,
};

int numab_policy_ops_init(void)
{
	int err = numab_kfuncs_init();

	return err ?: register_bpf_struct_ops(&type, bpf_numab_ops);
}
