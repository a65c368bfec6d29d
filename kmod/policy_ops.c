// SPDX-License-Identifier: GPL-2.0
/*
 * All that BPF knows of this module by type stands in this one file: the type
 * of policies with its stub, and the kfuncs. The build may leave several copies
 * of a kernel struct in the module's BTF (seen on 7.3, with pahole 1.30: one
 * for each of our files, and none of them the kernel's own); the verifier
 * takes them for different types. So what a policy is given and what it passes
 * on must come from the same file, and no other file may know struct
 * bpf_numab_ops.
 */
#include <linux/bpf.h>
#include <linux/bpf_verifier.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/cacheinfo.h>
#include <linux/ctype.h>
#include <linux/filter.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/module.h>

#include "../decide/mode.h"
#include "btf.h"
#include "kernel.h"
#include "policy_ops.h"

#define NUMAB_NAME_LEN 32

struct bpf_numab_ops {
	int (*mode)(struct task_struct *task__nullable,
		    struct folio *folio__nullable);
	u64 cgroup_id; /* 0: the root */
	u32 may_enable;
	u32 flags;
	char name[NUMAB_NAME_LEN];
};

int numab_ops_ask(const struct bpf_numab_ops *ops, struct task_struct *task,
		  struct folio *folio)
{
	return ops->mode(task, folio);
}

u64 numab_ops_cgroup(const struct bpf_numab_ops *ops)
{
	return ops->cgroup_id;
}

unsigned int numab_ops_may_enable(const struct bpf_numab_ops *ops)
{
	return ops->may_enable;
}

bool numab_ops_wants_each_folio(const struct bpf_numab_ops *ops)
{
	return ops->flags & NUMAB_EACH_FOLIO;
}

/* ---- the type ---- */

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
 * Those are verified each by itself, once, however often they are called: a
 * few loops in each other would never end. The program itself comes first.
 */
static bool has_global_functions(const struct bpf_prog *prog)
{
	u32 i;

	for (i = 1; i < prog->aux->func_info_cnt; i++)
		if (prog->aux->func_info_aux[i].linkage == BTF_FUNC_GLOBAL)
			return true;
	return false;
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

	if (prog->sleepable || has_global_functions(prog))
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

/* ---- kfuncs ----
 *
 * Called by BPF programs, in any context that those run in: no locks, no
 * sleep, nothing kept. KF_RCU has the verifier pass only pointers that are not
 * NULL and alive; a program that may sleep (a work queue's callback) can have
 * one outside of RCU, so what hangs on it is looked at under RCU here.
 */

static bool is_node(int node)
{
	return node >= 0 && node < nr_node_ids && node_state(node, N_MEMORY);
}

/*
 * What lies on a node's lists for a memory cgroup. With the generations of
 * MGLRU the classic lists are empty, and the other way round. Each number may
 * be below zero for a moment.
 */
static long pages_on_lists(const struct mem_cgroup_per_node *on)
{
	unsigned int zone, lru;
	long pages = 0;

	for (zone = 0; zone < MAX_NR_ZONES; zone++) {
		for (lru = 0; lru < NR_LRU_LISTS; lru++)
			pages += READ_ONCE(on->lru_zone_size[zone][lru]);
#ifdef CONFIG_LRU_GEN
		for (lru = 0; lru < MAX_NR_GENS * ANON_AND_FILE; lru++)
			pages += READ_ONCE(
				on->lruvec.lrugen
					.nr_pages[lru / ANON_AND_FILE]
						 [lru % ANON_AND_FILE][zone]);
#endif
	}
	return max(pages, 0L);
}

__bpf_kfunc_start_defs();

__bpf_kfunc int numab_folio_node(const struct folio *folio)
{
	return folio_nid(folio);
}

__bpf_kfunc int numab_node_count(void)
{
	return nr_node_ids;
}

__bpf_kfunc bool numab_node_is_top_tier(int node)
{
	return is_node(node) && kernel_node_is_toptier(node);
}

__bpf_kfunc u64 numab_node_bytes(int node)
{
	return is_node(node) ? (u64)node_present_pages(node) << PAGE_SHIFT : 0;
}

__bpf_kfunc u64 numab_folio_cgroup_id(const struct folio *folio)
{
	struct mem_cgroup *memcg;

	guard(rcu)();
	memcg = folio_memcg((struct folio *)folio);
	return memcg ? cgroup_id(memcg->css.cgroup) : 0;
}

__bpf_kfunc u64 numab_task_cgroup_id(const struct task_struct *task)
{
	guard(rcu)();
	return cgroup_id(task_css_check(task, cpu_cgrp_id, true)->cgroup);
}

__bpf_kfunc u64 numab_folio_cgroup_bytes(const struct folio *folio, int node)
{
	struct mem_cgroup *memcg;

	guard(rcu)();
	memcg = folio_memcg((struct folio *)folio);
	if (!memcg || !is_node(node))
		return 0;
	return (u64)pages_on_lists(memcg->nodeinfo[node]) << PAGE_SHIFT;
}

/* Only its owner may look at a task's mm without a lock. */
__bpf_kfunc u64 numab_task_rss(const struct task_struct *task)
{
	if (task != current || !task->mm || task->flags & PF_KTHREAD)
		return 0;
	return (u64)get_mm_rss(task->mm) << PAGE_SHIFT;
}

/*
 * Of this CPU: what is kept for it goes when it is unplugged, by a thread that
 * runs on it, which cannot be while preemption is off.
 */
__bpf_kfunc u64 numab_llc_bytes(void)
{
	const struct cpu_cacheinfo *cpu;
	unsigned int i, level = 0;
	u64 bytes = 0;

	guard(preempt)();
	cpu = kernel_get_cpu_cacheinfo(smp_processor_id());
	if (!cpu || !cpu->info_list)
		return 0;
	for (i = 0; i < cpu->num_leaves; i++) {
		const struct cacheinfo *cache = &cpu->info_list[i];

		if (cache->level < level || cache->type == CACHE_TYPE_INST)
			continue;
		level = cache->level;
		bytes = cache->size;
	}
	return bytes;
}

__bpf_kfunc_end_defs();

BTF_KFUNCS_START(kfuncs)
BTF_ID_FLAGS(func, numab_folio_node, KF_RCU)
BTF_ID_FLAGS(func, numab_node_count)
BTF_ID_FLAGS(func, numab_node_is_top_tier)
BTF_ID_FLAGS(func, numab_node_bytes)
BTF_ID_FLAGS(func, numab_folio_cgroup_id, KF_RCU)
BTF_ID_FLAGS(func, numab_task_cgroup_id, KF_RCU)
BTF_ID_FLAGS(func, numab_folio_cgroup_bytes, KF_RCU)
BTF_ID_FLAGS(func, numab_task_rss, KF_RCU)
BTF_ID_FLAGS(func, numab_llc_bytes)
BTF_KFUNCS_END(kfuncs)

static const struct btf_kfunc_id_set kfunc_set = {
	.owner = THIS_MODULE,
	.set = &kfuncs,
};

static int register_kfuncs(void)
{
	return register_btf_kfunc_id_set(BPF_PROG_TYPE_STRUCT_OPS, &kfunc_set);
}

int numab_policy_ops_init(void)
{
	int err = register_kfuncs();

	return err ?: register_bpf_struct_ops(&type, bpf_numab_ops);
}
