/* SPDX-License-Identifier: GPL-2.0 */
/* The one callback that ftrace enters us through. */
#ifndef NUMAB_HOOK_H
#define NUMAB_HOOK_H

#include <linux/ftrace.h>

void numab_hook(unsigned long ip, unsigned long parent_ip,
		struct ftrace_ops *ops, struct ftrace_regs *regs);

/*
 * A function of ours that replaces a kernel function and may sleep is entered
 * between these: enter from the hook, before redirecting; leave as the last
 * thing it does.
 */
void numab_hook_enter(void);
void numab_hook_leave(void);

/* Wait until nobody is between them; nobody may be redirected any more. */
void numab_hook_wait(void);

#endif
