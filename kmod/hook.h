/* SPDX-License-Identifier: GPL-2.0 */
/* The one callback that ftrace enters us through. */
#ifndef NUMAB_HOOK_H
#define NUMAB_HOOK_H

#include <linux/ftrace.h>

void numab_hook(unsigned long ip, unsigned long parent_ip,
		struct ftrace_ops *ops, struct ftrace_regs *regs);

#endif
