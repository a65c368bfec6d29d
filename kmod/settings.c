// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>

#include "../decide/cache.h"
#include "frames.h"
#include "gates.h"
#include "groups.h"
#include "hook.h"
#include "kernel.h"
#include "permissions.h"
#include "pinned.h"
#include "points.h"
#include "policies.h"
#include "promote.h"
#include "scan.h"
#include "settings.h"
#include "sysctl.h"
#include "tasks.h"
#include "view.h"

/*
 * Points stay hooked this long after the last need for them went, passing
 * everything, so that a setting that is toggled does not pay the grace periods
 * of unhooking each time.
 */
#define RELEASE_DELAY HZ

static DEFINE_MUTEX(lock);
static bool any;     /* something is set; written under lock */
static bool serving; /* under lock: between init and exit */
static bool leaving; /* under lock: exit has begun */
static int written;
const int *numab_written = &written;

static void recheck(struct work_struct *work);
static DECLARE_WORK(recheck_work, recheck);
static void release_points(struct work_struct *work);
static DECLARE_DELAYED_WORK(release_work, release_points);

/* A setting of a process that is about to be made; under lock. */
static const struct numab_task_settings *pending;

static struct numab_needs settings_needs(void)
{
	struct numab_needs needs = {};

	if (pending)
		numab_task_settings_add_needs(pending, &needs);
	numab_groups_add_needs(&needs);
	numab_tasks_add_needs(&needs);
	numab_policies_add_needs(&needs);
	return needs;
}

/* Is there anything for the gates to decide? */
static bool wants_gates(struct numab_needs needs)
{
	return needs.gates || needs.policies;
}

/* What the kernel is to run with. */
static int running_mode(struct numab_needs needs)
{
	return numab_mode_running(*numab_written, needs.mechanisms);
}

/* What has to be hooked on demand, else what asks for it is refused. */
static unsigned int needed_points(struct numab_needs needs)
{
	unsigned int points = 0;

	if (wants_gates(needs))
		points |= POINTS_GATES;
	if (needs.tasks)
		points |= POINTS_TASKS;
	if (numab_pinned_needs_gate() && running_mode(needs))
		points |= BIT(POINT_SCAN);
	return points;
}

/* The same, and what is only for the better. */
static unsigned int wanted_points(struct numab_needs needs)
{
	unsigned int points = needed_points(needs);

	if (!leaving && numab_promote_is_wanted(running_mode(needs)))
		points |= POINTS_PROMOTE;
	if (needs.lifts)
		points |= BIT(POINT_CAPACITY);
	return points;
}

/*
 * Scans for promotion only are something more, for the sake of which nothing
 * else fails. They stop before the kernel runs in a mode in which they would
 * mark too much.
 */
static bool prepare_promotion(struct numab_needs needs)
{
	int running = running_mode(needs);

	if (!leaving && numab_promote_is_wanted(running)) {
		numab_hooks_add(POINTS_PROMOTE);
		if (numab_hooks_live(BIT(POINT_SCAN)) &&
		    (running == NUMAB_TIERING ||
		     numab_hooks_live(BIT(POINT_MARK))))
			return true;
	}
	numab_promote_allow(false);
	return false;
}

/*
 * Bring the kernel in line with the settings. The order keeps every moment
 * correct: gates are shut before the kernel may do more, and opened after it
 * does less. A failure leaves more hooked than needed, never less.
 */
static int update(void)
{
	struct numab_needs needs = settings_needs();
	unsigned int points;
	bool promote;
	int value, err;

	lockdep_assert_held(&lock);
	if (numab_sysctl_was_changed(&value))
		WRITE_ONCE(written, value);
	WRITE_ONCE(any, needs.settings);
	points = needed_points(needs);
	if (points) {
		/* With what is only for the better, so that one ops does. */
		err = numab_hooks_add(wanted_points(needs));
		/* What nobody asked for must not fail what somebody did. */
		if (err && wants_gates(needs))
			return err;
	}
	/* Where that cannot be, only our own gate lets it pass. */
	if (needs.lifts)
		numab_hooks_add(BIT(POINT_CAPACITY));
	if (needs.settings)
		numab_groups_want();
	if (wants_gates(needs))
		numab_gates_arm(true);
	promote = prepare_promotion(needs);
	err = numab_sysctl_run(running_mode(needs));
	if (err)
		return err;
	if (!wants_gates(needs))
		numab_gates_arm(false);
	if (promote)
		numab_promote_allow(true);
	return 0;
}

/* The points that are hooked and that nothing needs. */
static unsigned int idle_points(void)
{
	return numab_hooks_live(POINTS_ON_DEMAND &
				~wanted_points(settings_needs()));
}

/* The same, and let go in a while of what nothing needs. */
static int update_all(void)
{
	int err = update();

	if (!err && idle_points())
		schedule_delayed_work(&release_work, RELEASE_DELAY);
	return err;
}

/* While the gates decide, not one of them may be open for a moment. */
static void trim_points(void)
{
	unsigned int wanted = POINTS_ALWAYS | wanted_points(settings_needs());
	bool may_part = !numab_gates_armed();

	/* Needs may have gone since: they disarm first, and come again. */
	if (!may_part)
		wanted |= POINTS_GATES;
	/* Nor is a pass for promotion to mark without its gate. */
	if (may_part)
		numab_promote_allow(false);
	numab_hooks_trim(wanted, may_part);
	if (may_part)
		update();
}

/*
 * Unhooking waits for grace periods, here with the lock held; so whoever sets
 * something in this very moment waits too. That is why it is done rarely.
 */
static void release_points(struct work_struct *work)
{
	mutex_lock(&lock);
	if (!update())
		trim_points();
	mutex_unlock(&lock);
}

static int set_opinion(struct cgroup_subsys_state *css, int opinion,
		       int present)
{
	int err = numab_group_set_opinion(css, opinion);

	if (err)
		return err;
	err = update_all();
	if (err) {
		/* The group is there, so this cannot fail for memory. */
		numab_group_set_opinion(css, present);
		update_all();
	}
	return err;
}

int numab_settings_write(struct cgroup_subsys_state *css, int opinion,
			 struct file *file)
{
	int present, err = 0;

	mutex_lock(&lock);
	rcu_read_lock();
	present = numab_own_opinion(css);
	rcu_read_unlock();

	if (opinion == present)
		goto unlock;
	if (!numab_may_write(css, opinion, present, file))
		err = -EPERM;
	else if (opinion != NUMAB_INHERIT && !numab_sysctl_can_run(opinion))
		err = -EOPNOTSUPP;
	else
		err = set_opinion(css, opinion, present);
unlock:
	mutex_unlock(&lock);
	return err;
}

int numab_settings_tune(struct cgroup_subsys_state *css, unsigned int knobs,
			const struct numab_tuning *values, struct file *file)
{
	struct numab_tuning present, own;
	bool stood, stands;
	unsigned int i;
	int err;

	if ((knobs & BIT(KNOB_SCAN_SIZE)) && values->value[KNOB_SCAN_SIZE] &&
	    !numab_scan_is_possible())
		return -EOPNOTSUPP;
	if (!numab_may_tune(css, knobs, values, file))
		return -EPERM;
	mutex_lock(&lock);
	rcu_read_lock();
	present = own = numab_own_tuning(css);
	stands = stood = numab_group_rate_stands(css);
	rcu_read_unlock();
	if (knobs & BIT(KNOB_PROMOTE_RATE))
		stands = file_ns_capable(file, &init_user_ns, CAP_SYS_NICE);
	for (i = 0; i < NR_KNOBS; i++)
		if (knobs & BIT(i))
			own.value[i] = values->value[i];
	err = numab_group_set_tuning(css, &own, stands);
	if (!err)
		err = update_all();
	if (err) {
		numab_group_set_tuning(css, &present, stood);
		update_all();
	}
	mutex_unlock(&lock);
	return err;
}

int numab_settings_set_cache(struct cgroup_subsys_state *css, int value,
			     struct file *file)
{
	int present, err;

	if (!numab_points_usable(BIT(POINT_CACHE)))
		return -EOPNOTSUPP;
	if (!numab_may_gather(css, value, file))
		return -EPERM;
	mutex_lock(&lock);
	rcu_read_lock();
	present = numab_own_cache(css);
	rcu_read_unlock();
	err = numab_group_set_cache(css, value);
	if (!err)
		err = update_all();
	if (err) {
		numab_group_set_cache(css, present);
		update_all();
	}
	mutex_unlock(&lock);
	return err;
}

int numab_settings_write_sysctl(int value)
{
	int present, unused, err;

	mutex_lock(&lock);
	present = written;
	WRITE_ONCE(written, value);
	numab_sysctl_was_changed(&unused); /* this write is the later one */
	err = update_all();
	if (err)
		WRITE_ONCE(written, present);
	mutex_unlock(&lock);
	return err;
}

/* What policies may enable must not be left to a sysctl that is not ours. */
static int update_if_it_can_run(void)
{
	if (!numab_sysctl_can_run(settings_needs().mechanisms))
		return -EOPNOTSUPP;
	return update_all();
}

int numab_settings_attach(struct numab_policy *policy)
{
	int err;

	mutex_lock(&lock);
	err = numab_policy_hang(policy);
	if (!err) {
		err = update_if_it_can_run();
		if (err) {
			numab_policy_unhang(policy);
			update_all();
		}
	}
	mutex_unlock(&lock);
	return err;
}

void numab_settings_detach(struct numab_policy *policy)
{
	mutex_lock(&lock);
	numab_policy_unhang(policy);
	update_all(); /* a failure leaves more on than needed */
	mutex_unlock(&lock);
}

int numab_settings_replace(struct numab_policy *policy,
			   struct bpf_numab_ops *ops)
{
	struct bpf_numab_ops *old;
	int err;

	mutex_lock(&lock);
	old = numab_policy_exchange(policy, ops);
	err = update_if_it_can_run();
	if (err) {
		numab_policy_exchange(policy, old);
		update_all();
	}
	mutex_unlock(&lock);
	return err;
}

unsigned int numab_settings_policies(void)
{
	struct numab_needs needs = {};

	numab_policies_add_needs(&needs);
	return needs.policies;
}

bool numab_settings_any(void)
{
	return READ_ONCE(any);
}

unsigned int numab_settings_count(void)
{
	struct numab_needs needs = {};

	numab_groups_add_needs(&needs);
	return needs.settings;
}

static bool can_run(const struct numab_task_settings *own)
{
	if (own->tuning.value[KNOB_SCAN_SIZE] && !numab_scan_is_possible())
		return false;
	if (own->cache != NUMAB_CACHE_AUTO &&
	    !numab_points_usable(BIT(POINT_CACHE)))
		return false;
	return numab_points_usable(POINTS_TASKS) == POINTS_TASKS &&
	       (own->opinion == NUMAB_INHERIT ||
		numab_sysctl_can_run(own->opinion));
}

/* The hooks come before the setting, so that its process is seen to go. */
static int set_task(struct task_struct *p,
		    const struct numab_task_settings *present,
		    const struct numab_task_settings *next)
{
	int err;

	pending = next;
	err = update();
	if (!err)
		err = numab_task_set(p, present, next);
	pending = NULL;
	if (err) {
		update_all();
		return err;
	}
	err = update_all();
	if (err) {
		/* There is an entry, so this cannot fail for memory. */
		numab_task_set(p, next, present);
		update_all();
	}
	return err;
}

static void apply(const struct numab_task_change *change,
		  struct numab_task_settings *own)
{
	unsigned int i;

	if (change->sets_opinion)
		own->opinion = change->values.opinion;
	if (change->sets_cache)
		own->cache = change->values.cache;
	for (i = 0; i < NR_KNOBS; i++)
		if (change->knobs & BIT(i))
			own->tuning.value[i] = change->values.tuning.value[i];
}

static int write_task(struct task_struct *p,
		      const struct numab_task_change *change)
{
	struct numab_task_settings present, next;

	present = next = numab_task_own(p);
	apply(change, &next);
	if (!numab_tuning_is_valid(&next.tuning))
		return -EINVAL;
	if (!numab_may_set_task(p, &present, &next))
		return -EPERM;
	if (numab_task_settings_are_equal(&present, &next))
		return 0;
	if (!can_run(&next))
		return -EOPNOTSUPP;
	return set_task(p, &present, &next);
}

int numab_settings_write_task(struct task_struct *p,
			      const struct numab_task_change *change)
{
	int err;

	if (mutex_lock_killable(&lock))
		return -EINTR;
	do {
		err = write_task(p, change);
	} while (err == -EAGAIN && !fatal_signal_pending(current));
	mutex_unlock(&lock);
	return err;
}

int numab_settings_update(void)
{
	int err = 0;

	mutex_lock(&lock);
	if (serving)
		err = update_all();
	mutex_unlock(&lock);
	return err;
}

/* Perhaps it was the last to need something. */
static void recheck(struct work_struct *work)
{
	numab_settings_update();
}

void numab_settings_recheck(void)
{
	schedule_work(&recheck_work);
}

int numab_settings_init(void)
{
	int err;

	err = numab_hooks_add(POINTS_ALWAYS);
	if (err)
		return err;
	mutex_lock(&lock);
	if (numab_sysctl_begin(&written))
		/* Without the handler the kernel's own value is the default. */
		numab_written = numab_sysctl_mode;
	update(); /* 4 is for us, not for the kernel */
	serving = true;
	mutex_unlock(&lock);
	return 0;
}

/*
 * Writers of the sysctl may come until it is let go, and each may ask for the
 * gates' release again: so that is cancelled after.
 */
void numab_settings_exit(void)
{
	mutex_lock(&lock);
	numab_groups_forget();
	numab_tasks_forget();
	leaving = true;
	update();
	/* Whatever failed: no new scan of ours. */
	numab_gates_arm(false);
	numab_promote_allow(false);
	serving = false;
	mutex_unlock(&lock);
	numab_sysctl_end();
	cancel_delayed_work_sync(&release_work);
	mutex_lock(&lock);
	/* If not now, then in numab_hooks_exit(). */
	numab_hooks_trim(POINTS_ALWAYS, true);
	mutex_unlock(&lock);
	numab_frames_wait();
	/* Whoever saw a setting go before we forgot them all is through. */
	cancel_work_sync(&recheck_work);
}
