/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A scan of our own, for tasks whose workload has a scan size of its own (the
 * kernel reads its global size in the middle of task_numa_work(), where
 * nothing can be hooked), and for pinned tasks that the kernel leaves alone.
 * Everyone else is scanned by the kernel's own code.
 *
 * It keeps the kernel's state (numa_next_scan, numa_scan_offset,
 * numa_scan_seq, numab_state of each VMA) as the kernel does, so a task may be
 * scanned by either, in any order.
 */
#ifndef NUMAB_SCAN_H
#define NUMAB_SCAN_H

#include <linux/ftrace.h>
#include <linux/types.h>

#include "../decide/tuning.h"

/*
 * At the entry of task_numa_work(): have this task's scan done by us. The
 * caller has found that it may be scanned.
 */
void numab_scan_redirect(struct ftrace_regs *regs);

/* Can we, on this kernel? */
bool numab_scan_is_possible(void);

#endif
