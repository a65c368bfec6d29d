// SPDX-License-Identifier: GPL-2.0
/*
 * Anyone may open the device; who may do what is asked at each call, of whoever
 * makes it (and not of who opened it): so a descriptor that is handed on gives
 * no rights, and a process in a user or pid namespace may do what it may do to
 * a process by the kernel's own rules: it can name only processes it has a
 * pidfd for, trace those it owns, and has CAP_SYS_NICE of its own namespace
 * over those in it. Only what costs the whole machine asks for more.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/uaccess.h>

#include "../include/numab.h"
#include "../decide/cache.h"
#include "device.h"
#include "kernel.h"
#include "points.h"
#include "settings.h"
#include "tasks.h"
#include "view.h"

/* Up to and with the last field of the first version. */
#define SIZE_MIN offsetofend(struct numab_attr, effective_mode)

static int read_attr(struct numab_attr *attr, void __user *user)
{
	u32 size;
	int err;

	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	if (size < SIZE_MIN)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	err = copy_struct_from_user(attr, sizeof(*attr), user, size);
	attr->size = size; /* it may have changed since it was checked */
	return err;
}

/* A caller that knows less gets what it knows; attr->size is its size. */
static int write_attr(const struct numab_attr *attr, void __user *user)
{
	size_t len = min_t(size_t, attr->size, sizeof(*attr));

	return copy_to_user(user, attr, len) ? -EFAULT : 0;
}

static bool may_touch(struct task_struct *p, unsigned int ptrace_mode)
{
	bool may;

	if (same_thread_group(p, current) ||
	    kernel_ptrace_may_access(p, ptrace_mode))
		return true;
	rcu_read_lock();
	may = ns_capable(__task_cred(p)->user_ns, CAP_SYS_NICE);
	rcu_read_unlock();
	return may;
}

/* The process that attr names, with a reference; or an error pointer. */
static struct task_struct *get_target(const struct numab_attr *attr)
{
	struct task_struct *p;
	unsigned int flags;

	if (attr->pidfd == NUMAB_SELF)
		return get_task_struct(current);
	p = kernel_pidfd_get_task(attr->pidfd, &flags);
	if (IS_ERR(p) || !(p->flags & PF_KTHREAD))
		return p;
	put_task_struct(p);
	return ERR_PTR(-EINVAL);
}

/*
 * Policies run only for those who may cost others time: each call would use
 * up what a program may take on this CPU.
 */
static struct numab_view view_for_current(struct task_struct *p)
{
	if (ns_capable_noaudit(&init_user_ns, CAP_SYS_NICE))
		return numab_view_of_task(p);
	return numab_view_unasked(p);
}

static void fill(struct numab_attr *attr, struct task_struct *p)
{
	struct numab_task_settings own = numab_task_own(p);
	const unsigned int *value = own.tuning.value;
	struct numab_view view;

	preempt_disable();
	rcu_read_lock();
	view = view_for_current(p);
	attr->cgroup_mode = view.chain;
	attr->effective_mode = view.mode;
	rcu_read_unlock();
	preempt_enable();
	attr->mode = own.opinion;
	attr->hot_threshold_ms = value[KNOB_HOT_THRESHOLD];
	attr->scan_size_mb = value[KNOB_SCAN_SIZE];
	attr->scan_period_min_ms = value[KNOB_SCAN_PERIOD_MIN];
	attr->scan_period_max_ms = value[KNOB_SCAN_PERIOD_MAX];
	attr->promote_mbps = value[KNOB_PROMOTE_RATE];
	attr->cache = own.cache;
}

static int get(struct numab_attr *attr, void __user *user)
{
	struct task_struct *p = get_target(attr);
	int err = 0;

	if (IS_ERR(p))
		return PTR_ERR(p);
	if (!may_touch(p, PTRACE_MODE_READ_REALCREDS))
		err = -EPERM;
	else if (!atomic_read(&p->signal->live))
		err = -ESRCH;
	if (!err) {
		fill(attr, p);
		err = write_attr(attr, user);
	}
	put_task_struct(p);
	return err;
}

/* BIT(KNOB_...) of the fields that are named. */
static unsigned int knobs_of(u32 fields)
{
	unsigned int knobs = 0;

	if (fields & NUMAB_FIELD_HOT_THRESHOLD)
		knobs |= BIT(KNOB_HOT_THRESHOLD);
	if (fields & NUMAB_FIELD_SCAN_SIZE)
		knobs |= BIT(KNOB_SCAN_SIZE);
	if (fields & NUMAB_FIELD_SCAN_PERIOD)
		knobs |= BIT(KNOB_SCAN_PERIOD_MIN) | BIT(KNOB_SCAN_PERIOD_MAX);
	if (fields & NUMAB_FIELD_PROMOTE)
		knobs |= BIT(KNOB_PROMOTE_RATE);
	return knobs;
}

/*
 * The credentials of another process must not change between the look at them
 * and the write: whoever may touch it before an execve() may not after.
 */
static int write_to(struct task_struct *p,
		    const struct numab_task_change *change)
{
	int err;

	if (same_thread_group(p, current))
		return numab_settings_write_task(p, change);
	err = down_read_killable(&p->signal->exec_update_lock);
	if (err)
		return err;
	err = may_touch(p, PTRACE_MODE_ATTACH_REALCREDS) ?
		      numab_settings_write_task(p, change) :
		      -EPERM;
	up_read(&p->signal->exec_update_lock);
	return err;
}

static int set(const struct numab_attr *attr)
{
	struct numab_task_change change = {
		.sets_opinion = attr->fields & NUMAB_FIELD_MODE,
		.sets_cache = attr->fields & NUMAB_FIELD_CACHE,
		.knobs = knobs_of(attr->fields),
		.values = {
			.opinion = attr->mode,
			.cache = attr->cache,
			.tuning.value = {
				[KNOB_HOT_THRESHOLD] = attr->hot_threshold_ms,
				[KNOB_SCAN_SIZE] = attr->scan_size_mb,
				[KNOB_SCAN_PERIOD_MIN] =
					attr->scan_period_min_ms,
				[KNOB_SCAN_PERIOD_MAX] =
					attr->scan_period_max_ms,
				[KNOB_PROMOTE_RATE] = attr->promote_mbps,
			},
		},
	};
	struct task_struct *p;
	int err;

	if (attr->fields & ~NUMAB_FIELDS_ALL)
		return -EINVAL;
	if (change.sets_opinion &&
	    (attr->mode < NUMAB_MODE_INHERIT || attr->mode > NUMAB_MODE_BOTH))
		return -EINVAL;
	if (change.sets_cache && !numab_cache_is_valid(attr->cache))
		return -EINVAL;
	p = get_target(attr);
	if (IS_ERR(p))
		return PTR_ERR(p);
	err = write_to(p, &change);
	put_task_struct(p);
	return err;
}

static long device_ioctl(struct file *file, unsigned int request,
			 unsigned long argument)
{
	void __user *user = (void __user *)argument;
	struct numab_attr attr;
	int err;

	if (request != NUMAB_IOC_GET && request != NUMAB_IOC_SET)
		return -ENOTTY;
	err = read_attr(&attr, user);
	if (err)
		return err;
	return request == NUMAB_IOC_GET ? get(&attr, user) : set(&attr);
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = noop_llseek,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "numab",
	.fops = &operations,
	.mode = 0666,
};

static bool registered;

/* Without the tracepoints no setting could be kept: no device then. */
int numab_device_init(void)
{
	int err;

	if (numab_points_usable(POINTS_TASKS) != POINTS_TASKS)
		return 0;
	err = misc_register(&device);
	registered = !err;
	return err;
}

void numab_device_exit(void)
{
	if (registered)
		misc_deregister(&device);
}
