/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of ours that replace a kernel function and may sleep: the sysctl's
 * handler, our own scan and the pass for promotion. RCU-tasks does not wait for
 * a task that sleeps in one, so who is inside is counted, from the hook
 * (preemption off) to the end of the function.
 *
 * Letting go means: nothing redirects any more, an RCU grace period passes (no
 * hook is on its way to count), then nobody is inside. The last instructions,
 * after the count was dropped, do not sleep: they are covered by the RCU-tasks
 * grace period with which the ops is unregistered afterwards.
 */
#ifndef NUMAB_FRAMES_H
#define NUMAB_FRAMES_H

/* From the hook, before redirecting. */
void numab_frames_enter(void);

/* The last thing that such a function does. */
void numab_frames_leave(void);

/* Wait until nobody is inside; nothing redirects any more. Sleeps. */
void numab_frames_wait(void);

#endif
