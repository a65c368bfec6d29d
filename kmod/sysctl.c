// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <linux/ftrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sysctl.h>
#include <linux/workqueue.h>

#include "frames.h"
#include "gates.h"
#include "kernel.h"
#include "points.h"
#include "settings.h"
#include "sysctl.h"

static bool redirecting;
static bool ours; /* settings' lock: we may call the kernel's handler */

/* What the kernel's value was when we last set or saw it; settings' lock. */
static int last_value;

/* The task that calls the kernel's own handler on our behalf. */
static struct task_struct *bypass;

/* In place of the kernel's handler; sleeps, see frames.c. */
static int handler(const struct ctl_table *table, int write, void *buffer,
		   size_t *len, loff_t *pos)
{
	struct ctl_table own = *table;
	int present = READ_ONCE(*numab_written), value = present;
	int err;

	own.data = &value;
	own.extra1 = SYSCTL_ZERO;
	own.extra2 = SYSCTL_FOUR;
	err = write && !capable(CAP_SYS_ADMIN) ? -EPERM : 0;
	if (!err)
		err = proc_dointvec_minmax(&own, write, buffer, len, pos);
	/* A write of nothing is no write: it leaves the value as it was. */
	if (!err && write && value != present)
		err = numab_settings_write_sysctl(value);
	numab_frames_leave();
	return err;
}

void numab_sysctl_redirect(struct ftrace_regs *regs)
{
	if (!READ_ONCE(redirecting) || READ_ONCE(bypass) == current)
		return;
	numab_frames_enter();
	ftrace_regs_set_instruction_pointer(regs, (unsigned long)handler);
}

int numab_sysctl_begin(int *ret_written)
{
	ours = numab_points_usable(BIT(POINT_SYSCTL));
	last_value = READ_ONCE(*numab_sysctl_mode);
	WRITE_ONCE(*ret_written, last_value);
	/* From here on it can only change behind our back: was_changed(). */
	smp_store_release(&redirecting, ours);
	return ours ? 0 : -EOPNOTSUPP;
}

bool numab_sysctl_was_changed(int *ret_value)
{
	int value = READ_ONCE(*numab_sysctl_mode);

	if (!ours || value == last_value)
		return false;
	last_value = value;
	*ret_value = value;
	return true;
}

/* Whoever is inside still gets its value through: ours goes last. */
void numab_sysctl_end(void)
{
	WRITE_ONCE(redirecting, false);
	numab_frames_wait();
	ours = false;
}

bool numab_sysctl_can_run(int mode)
{
	return ours || !(mode & ~numab_sysctl_running());
}

int numab_sysctl_running(void)
{
	return numab_mode_of_sysctl(READ_ONCE(*numab_sysctl_mode));
}

struct run_request {
	struct work_struct work;
	int mode;
	int err;
};

/*
 * The kernel's own handler does everything that goes with a change of mode
 * (static key, promotion thresholds). It wants CAP_SYS_ADMIN, which the owner
 * of a delegated cgroup lacks, so a kernel worker calls it.
 */
static void run_handler(struct work_struct *work)
{
	struct run_request *request =
		container_of(work, struct run_request, work);
	struct ctl_table table = {
		.procname = "numa_balancing",
		.maxlen = sizeof(unsigned int),
		.mode = 0644,
		.extra1 = SYSCTL_ZERO,
		.extra2 = SYSCTL_FOUR,
	};
	char text[4];
	size_t len = scnprintf(text, sizeof(text), "%d\n", request->mode);
	loff_t pos = 0;

	WRITE_ONCE(bypass, current);
	request->err =
		kernel_sysctl_numa_balancing(&table, 1, text, &len, &pos);
	WRITE_ONCE(bypass, NULL);
}

/*
 * The kernel is about to leave tiering. A folio on a slow node holds the time
 * of its last access where others hold a cpupid; when it is promoted, that is
 * dropped, but only if the kernel still tiers at that moment. Else the time is
 * later taken for the number of a CPU, and the kernel reads beyond an array.
 * The gates refuse promotions by now; wait for those that passed them before
 * (they do not sleep, but for the notifiers of other users of an mm).
 */
static void finish_promotions(int mode)
{
	if (numab_gates_armed() && !(mode & NUMAB_TIERING) &&
	    numab_sysctl_running() & NUMAB_TIERING)
		synchronize_rcu_tasks();
}

int numab_sysctl_run(int mode)
{
	struct run_request request = { .mode = mode };

	if (!ours || READ_ONCE(*numab_sysctl_mode) == mode)
		return 0;
	finish_promotions(mode);
	INIT_WORK_ONSTACK(&request.work, run_handler);
	schedule_work(&request.work);
	flush_work(&request.work);
	destroy_work_on_stack(&request.work);
	if (request.err)
		pr_err("cannot set the kernel's NUMA balancing to %d: %d\n",
		       mode, request.err);
	else
		last_value = mode;
	return request.err;
}
