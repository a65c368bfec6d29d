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

/*
 * Begin to answer for the sysctl, whose point is hooked by now: store what it
 * says and redirect from here on. 0, or -EOPNOTSUPP where the point is not
 * usable. Settings' lock.
 */
int numab_sysctl_begin(int *ret_written);

/* Stop redirecting and wait until nobody is inside. Sleeps. */
void numab_sysctl_end(void);

/* Can the kernel be made to run with (at least) this? Settings' lock. */
bool numab_sysctl_can_run(int mode);

/*
 * Make the kernel run with a mode, where its handler can be reached. 0, or
 * what the handler says. Settings' lock. Sleeps.
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
