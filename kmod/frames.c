// SPDX-License-Identifier: GPL-2.0
#include <linux/atomic.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/wait_bit.h>

#include "frames.h"

static atomic_t inside = ATOMIC_INIT(0);

void numab_frames_enter(void)
{
	atomic_inc(&inside);
}

void numab_frames_leave(void)
{
	if (atomic_dec_and_test(&inside))
		wake_up_var(&inside);
}

void numab_frames_wait(void)
{
	synchronize_rcu();
	wait_var_event(&inside, !atomic_read(&inside));
}
