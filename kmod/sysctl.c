// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <linux/ftrace.h>
#include <linux/sched.h>
#include <linux/sysctl.h>
#include <linux/trace_recursion.h>
#include <linux/wait_bit.h>
#include <linux/workqueue.h>

#include "kernel.h"
#include "points.h"
#include "settings.h"
#include "sysctl.h"

/*
 * The one hook that replaces a function instead of filtering it, and whose
 * body sleeps: so each entry is counted, from the callback (preemption off)
 * to the end of the replacement. Unhooking waits for zero, and then for an
 * RCU-tasks grace period that covers the last instructions after the count
 * was dropped.
 */
static atomic_t inside = ATOMIC_INIT(0);
static bool hooked;

/* The task that calls the kernel's own handler on our behalf. */
static struct task_struct *bypass;

static int handler(const struct ctl_table *table, int write, void *buffer,
		   size_t *len, loff_t *pos)
{
	struct ctl_table own = *table;
	int value = READ_ONCE(*numab_written);
	int err;

	own.data = &value;
	own.extra1 = SYSCTL_ZERO;
	own.extra2 = SYSCTL_FOUR;
	err = write && !capable(CAP_SYS_ADMIN) ? -EPERM : 0;
	if (!err)
		err = proc_dointvec_minmax(&own, write, buffer, len, pos);
	if (!err && write)
		err = numab_settings_write_sysctl(value);
	if (atomic_dec_and_test(&inside))
		wake_up_var(&inside);
	return err;
}

static void notrace at_sysctl(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *ops, struct ftrace_regs *regs)
{
	int bit = ftrace_test_recursion_trylock(ip, parent_ip);

	if (bit < 0)
		return;
	if (READ_ONCE(bypass) != current) {
		atomic_inc(&inside);
		ftrace_regs_set_instruction_pointer(regs,
						    (unsigned long)handler);
	}
	ftrace_test_recursion_unlock(bit);
}

static struct ftrace_ops sysctl_ops = {
	.func = at_sysctl,
	.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_PERMANENT,
};

int numab_sysctl_hook(void)
{
	int err;

	if (!numab_points_usable(BIT(POINT_SYSCTL)))
		return -EOPNOTSUPP;
	err = numab_points_hook(&sysctl_ops, BIT(POINT_SYSCTL));
	hooked = !err;
	return err;
}

void numab_sysctl_unhook(void)
{
	if (hooked) {
		numab_points_unhook(&sysctl_ops, BIT(POINT_SYSCTL));
		wait_var_event(&inside, !atomic_read(&inside));
		synchronize_rcu_tasks();
		hooked = false;
	}
	ftrace_free_filter(&sysctl_ops);
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

int numab_sysctl_run(int mode)
{
	struct run_request request = { .mode = mode };

	if (READ_ONCE(*numab_sysctl_mode) == mode)
		return 0;
	if (!hooked)
		return -EOPNOTSUPP;
	INIT_WORK_ONSTACK(&request.work, run_handler);
	schedule_work(&request.work);
	flush_work(&request.work);
	destroy_work_on_stack(&request.work);
	if (request.err)
		pr_err("cannot set the kernel's NUMA balancing to %d: %d\n",
		       mode, request.err);
	return request.err;
}
