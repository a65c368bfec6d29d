/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cache-aware scheduling (kernels with CONFIG_SCHED_CACHE): which processes
 * may be gathered on the CPUs of one last-level cache.
 *
 * The kernel picks that cache in one place, task_cache_work(), so a process is
 * kept from being gathered by skipping that and taking back the last pick.
 * Nothing else of the kernel's state is written. Its own check of the size
 * (exceed_llc_capacity()) goes by a footprint that is brought up to date once
 * in a sweep of the scanner, and only while balancing runs; for a workload that
 * is to be gathered although that check says no, it is made to pass.
 */
#ifndef NUMAB_CACHE_H
#define NUMAB_CACHE_H

#include <linux/ftrace.h>
#include <linux/seq_file.h>

struct numab_space;

#ifdef CONFIG_SCHED_CACHE

/* From the hook: preemption off. */
void numab_gate_cache(struct ftrace_regs *regs);

/* From the hook: a run queue's lock may be held, interrupts off. */
void numab_gate_capacity(struct ftrace_regs *regs);

/* An entry goes; a grace period follows. Preemption is off. */
void numab_cache_forget(struct numab_space *space);

/* The gates and the caches, for status: lines of key and value. */
int numab_cache_status(char *buf);

/* Find the kernel's data that is needed, before anything is hooked. */
void numab_cache_find(void);

/* Show processes in debugfs. */
void numab_cache_init(void);
void numab_cache_exit(void);

#else

static inline void numab_gate_cache(struct ftrace_regs *regs)
{
}

static inline void numab_gate_capacity(struct ftrace_regs *regs)
{
}

static inline void numab_cache_forget(struct numab_space *space)
{
}

static inline void numab_cache_find(void)
{
}

static inline void numab_cache_init(void)
{
}

static inline void numab_cache_exit(void)
{
}

#endif
#endif
