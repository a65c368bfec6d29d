/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kernel.numa_balancing: what the administrator reads and writes is his own
 * value (0 to 4); what the kernel runs with is another matter.
 */
#ifndef NUMAB_SYSCTL_H
#define NUMAB_SYSCTL_H

#include <linux/ftrace.h>
#include <linux/types.h>

/* From the hook, at the entry of the kernel's handler. */
void numab_sysctl_redirect(struct ftrace_regs *regs);

/* Put our handler in front. 0, or an errno when the point is not usable. */
int numab_sysctl_hook(void);

/* Take it away and wait until nobody is inside. Sleeps. */
void numab_sysctl_unhook(void);

/*
 * Make the kernel run with a mode. 0, or -EOPNOTSUPP where the handler cannot
 * be reached and the kernel runs with another mode. Settings' lock. Sleeps.
 */
int numab_sysctl_run(int mode);

/*
 * Did somebody change the kernel's value behind our back (a write that was
 * under way when we came)? If so, the value. Settings' lock.
 */
bool numab_sysctl_was_changed(int *ret_value);

/* The mode the kernel runs with. */
int numab_sysctl_running(void);

#endif
