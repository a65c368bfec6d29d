// SPDX-License-Identifier: GPL-2.0
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "gates.h"
#include "groups.h"
#include "kernel.h"
#include "settings.h"
#include "sysctl.h"

/*
 * The gates stay hooked this long after the last setting went, passing
 * everything, so that a setting that is toggled does not pay the grace periods
 * of unhooking each time.
 */
#define RELEASE_DELAY HZ

static DEFINE_MUTEX(lock);
static bool leaving; /* under lock: the last word is spoken */
static int written;
const int *numab_written = &written;

static void release_gates(struct work_struct *work);
static DECLARE_DELAYED_WORK(release_work, release_gates);

/*
 * Bring the kernel in line with the settings. The order keeps every moment
 * correct: gates are shut before the kernel may do more, and opened after it
 * does less. A failure leaves more hooked than needed, never less.
 */
static int update(void)
{
	struct numab_needs needs = numab_groups_needs();
	int running = numab_mode_running(*numab_written, needs.mechanisms);
	int err;

	lockdep_assert_held(&lock);
	if (needs.settings) {
		err = numab_gates_hook();
		if (err)
			return err;
		numab_gates_arm(true);
		numab_groups_want();
	}
	err = numab_sysctl_run(running);
	if (err)
		return err;
	if (!needs.settings && numab_gates_hooked()) {
		numab_gates_arm(false);
		schedule_delayed_work(&release_work, RELEASE_DELAY);
	}
	return 0;
}

static void release_gates(struct work_struct *work)
{
	mutex_lock(&lock);
	if (!numab_groups_needs().settings)
		numab_gates_unhook();
	mutex_unlock(&lock);
}

static bool is_free(struct cgroup_subsys_state *css, int opinion, int present)
{
	bool free;

	rcu_read_lock();
	free = numab_opinion_is_free(opinion, present,
				     numab_chain_opinion(css->parent),
				     numab_system_default());
	rcu_read_unlock();
	return free;
}

int numab_settings_write(struct cgroup_subsys_state *css, int opinion,
			 bool privileged)
{
	int present, err;

	mutex_lock(&lock);
	rcu_read_lock();
	present = numab_own_opinion(css);
	rcu_read_unlock();

	err = 0;
	if (opinion == present)
		goto unlock;
	err = -EPERM;
	if (!privileged && !is_free(css, opinion, present))
		goto unlock;
	err = numab_group_set_opinion(css, opinion);
	if (err)
		goto unlock;
	err = update();
	if (err) {
		/* The group is there, so this cannot fail for memory. */
		numab_group_set_opinion(css, present);
		update();
	}
unlock:
	mutex_unlock(&lock);
	return err;
}

int numab_settings_write_sysctl(int value)
{
	int present, err;

	mutex_lock(&lock);
	present = written;
	WRITE_ONCE(written, value);
	err = update();
	if (err)
		WRITE_ONCE(written, present);
	mutex_unlock(&lock);
	return err;
}

unsigned int numab_settings_count(void)
{
	return numab_groups_needs().settings;
}

/* A cgroup with an opinion is gone: perhaps it was the last to need something. */
static void on_gone(void)
{
	mutex_lock(&lock);
	if (!leaving)
		update();
	mutex_unlock(&lock);
}

int numab_settings_init(void)
{
	int err;

	written = READ_ONCE(*numab_sysctl_mode);
	err = numab_groups_init(on_gone);
	if (err)
		return err;
	err = numab_sysctl_hook();
	if (err == -EOPNOTSUPP) {
		/* Without the handler the kernel's own value is the default. */
		numab_written = numab_sysctl_mode;
		err = 0;
	}
	if (err) {
		numab_groups_exit();
		return err;
	}
	mutex_lock(&lock);
	update();
	mutex_unlock(&lock);
	return 0;
}

void numab_settings_exit(void)
{
	mutex_lock(&lock);
	numab_groups_forget();
	update();
	leaving = true;
	mutex_unlock(&lock);
	cancel_delayed_work_sync(&release_work);
	numab_gates_unhook();
	numab_sysctl_unhook();
	numab_groups_exit();
	numab_gates_exit();
}
