/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The gates: hooks on the kernel's NUMA balancing that let a decision pass or
 * stop it, by the effective mode of task and folio.
 *
 * Every gate is a filter: it either lets the kernel's function run untouched
 * or makes it return at once, through a stub of a few instructions. No frame
 * of ours ever lies below a kernel function that could sleep.
 */
#ifndef NUMAB_GATES_H
#define NUMAB_GATES_H

#include <linux/ftrace.h>
#include <linux/types.h>

/* One for each point, from the hook: preemption off. */
void numab_gate_scan(struct ftrace_regs *regs);
void numab_gate_mark(struct ftrace_regs *regs);
void numab_gate_move(struct ftrace_regs *regs);
void numab_gate_fault(struct ftrace_regs *regs);

/* Decide (true) or let everything pass (false). Settings' lock. */
void numab_gates_arm(bool armed);
bool numab_gates_armed(void);

#endif
