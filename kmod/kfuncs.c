// SPDX-License-Identifier: GPL-2.0
/*
 * Called by BPF programs, in any context that those run in: no locks, no
 * sleep, nothing kept. KF_RCU has the verifier pass only pointers that are not
 * NULL and alive; a program that may sleep (a work queue's callback) can have
 * one outside of RCU, so what hangs on it is looked at under RCU here.
 */
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/cacheinfo.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/module.h>

#include "kernel.h"
#include "kfuncs.h"

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

int numab_kfuncs_init(void)
{
	return register_btf_kfunc_id_set(BPF_PROG_TYPE_STRUCT_OPS, &kfunc_set);
}
