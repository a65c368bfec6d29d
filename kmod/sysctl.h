/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kernel.numa_balancing: what the administrator reads and writes is his own
 * value (0 to 4); what the kernel runs with is another matter.
 */
#ifndef NUMAB_SYSCTL_H
#define NUMAB_SYSCTL_H

/* Put our handler in front. 0, -EOPNOTSUPP (the point is not usable) or errno. */
int numab_sysctl_hook(void);

/* Take it away and wait until nobody is inside. Sleeps. */
void numab_sysctl_unhook(void);

/*
 * Make the kernel run with a mode. 0, or -EOPNOTSUPP where the handler cannot
 * be reached and the kernel runs with another mode. Settings' lock. Sleeps.
 */
int numab_sysctl_run(int mode);

/* The mode the kernel runs with. */
int numab_sysctl_running(void);

#endif
