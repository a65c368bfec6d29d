/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hooking the decision points, by ftrace_ops of the kind that livepatches use
 * (IPMODIFY), all with the one callback that ftrace enters us through.
 *
 * Points that are needed together share an ops, since every ops that goes
 * costs grace periods. An ops is registered with its whole filter and
 * unregistered as a whole: only registering makes the trampolines of BPF
 * programs that sit on a function aware that somebody may redirect it.
 *
 * The points of forks, execs and exits are tracepoints, which anyone may share;
 * their callbacks are in tasks.c.
 *
 * Everything here is called with settings' lock held (or from init and exit,
 * where nobody else is there), and sleeps.
 */
#ifndef NUMAB_HOOK_H
#define NUMAB_HOOK_H

#include <linux/types.h>

/*
 * Hook the usable ones of a set that are not hooked yet: all or none. 0, or
 * -EBUSY: one that belongs to the minimum is held by somebody else;
 * -EOPNOTSUPP: none is usable; or what ftrace says.
 */
int numab_hooks_add(unsigned int points);

/*
 * Unhook what is not needed. On return no CPU is inside the callback for it and
 * no task inside a stub that does not sleep: this takes grace periods.
 * A needed point that shares its ops with some that are not is let go for a
 * moment and hooked anew, if that may be (may_part); else all of these stay.
 * Fails (then some stay) after ftrace turned itself off.
 */
int numab_hooks_trim(unsigned int needed, bool may_part);

/*
 * Livepatches and we use the same mechanism, of which a function carries one.
 * Only taking the place shows whether it is free: hook each for a moment. The
 * callback changes nothing yet.
 */
void numab_hooks_probe(unsigned int points);

/* Those of a set that are hooked. */
unsigned int numab_hooks_live(unsigned int points);

/* Unhook everything; does not return before that is done. No locks held. */
void numab_hooks_exit(void);

#endif
