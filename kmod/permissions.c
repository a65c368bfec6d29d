// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/user_namespace.h>

#include "../decide/cache.h"
#include "kernel.h"
#include "permissions.h"
#include "settings.h"
#include "view.h"

bool numab_may_write(struct cgroup_subsys_state *css, int opinion, int present,
		     struct file *file)
{
	bool free;

	rcu_read_lock();
	free = numab_opinion_is_free(opinion, present,
				     numab_chain_opinion(css->parent),
				     numab_system_default());
	rcu_read_unlock();
	return free || file_ns_capable(file, &init_user_ns, CAP_SYS_NICE);
}

/* The values that hold in a cgroup, the kernel's where it has none. */
static struct numab_tuning values_of(struct cgroup_subsys_state *css)
{
	struct numab_tuning base;
	unsigned int i;

	rcu_read_lock();
	base = *numab_view_tuning(numab_view_of_css(css));
	rcu_read_unlock();
	for (i = 0; i < NR_KNOBS; i++)
		if (!base.value[i])
			base.value[i] = numab_kernel_knob(i);
	return base;
}

bool numab_may_tune(struct cgroup_subsys_state *css, unsigned int knobs,
		    const struct numab_tuning *values, struct file *file)
{
	struct numab_tuning written = {}, base = values_of(css->parent);
	unsigned int i;

	for (i = 0; i < NR_KNOBS; i++)
		if (knobs & BIT(i))
			written.value[i] = values->value[i];
	return numab_tuning_is_free(&written, &base) ||
	       file_ns_capable(file, &init_user_ns, CAP_SYS_NICE);
}

bool numab_may_gather(struct cgroup_subsys_state *css, int value,
		      struct file *file)
{
	int base;

	rcu_read_lock();
	base = numab_view_cache(numab_view_of_css(css->parent));
	rcu_read_unlock();
	return numab_cache_is_free(value, base, numab_kernel_tolerance()) ||
	       file_ns_capable(file, &init_user_ns, CAP_SYS_NICE);
}

/* A process's cpu state may go as soon as it moves: only under RCU. */
struct task_base {
	int chain; /* what its cgroups say together */
	int cache;
	struct numab_tuning values;
};

static struct task_base base_of(struct task_struct *p)
{
	struct cgroup_subsys_state *css;
	struct task_base base;

	rcu_read_lock();
	css = task_css_check(p, cpu_cgrp_id, true);
	base.chain = numab_chain_opinion(css);
	base.cache = numab_view_cache(numab_view_of_css(css));
	base.values = values_of(css);
	rcu_read_unlock();
	return base;
}

void numab_settings_narrow(struct task_struct *p,
			   struct numab_task_settings *own)
{
	struct task_base base = base_of(p);

	own->opinion = numab_opinion_after_privilege(
		own->opinion,
		numab_mode_effective(base.chain, numab_system_default()));
	numab_tuning_drop_heavier(&own->tuning, &base.values);
	if (!numab_cache_is_free(own->cache, base.cache,
				 numab_kernel_tolerance()))
		own->cache = NUMAB_CACHE_AUTO;
	own->privileged = false;
}

/*
 * May present become next? What is not changed needs no permission. Says whether
 * next stands by itself.
 */
bool numab_may_set_task(struct task_struct *p,
			const struct numab_task_settings *present,
			struct numab_task_settings *next)
{
	int granted = present->privileged ? present->opinion : NUMAB_INHERIT;
	struct task_base base = base_of(p);
	struct numab_tuning written = next->tuning;
	unsigned int i;

	if (ns_capable_noaudit(&init_user_ns, CAP_SYS_NICE)) {
		next->privileged = !numab_task_settings_are_empty(next);
		return true;
	}
	/* Only a part of what was granted is still granted. */
	next->privileged =
		present->privileged &&
		numab_opinion_meet(next->opinion, granted) == next->opinion;
	for (i = 0; i < NR_KNOBS; i++)
		if (written.value[i] == present->tuning.value[i])
			written.value[i] = 0;
	return numab_opinion_is_free(next->opinion, granted, base.chain,
				     numab_system_default()) &&
	       numab_tuning_is_free(&written, &base.values) &&
	       (next->cache == present->cache ||
		numab_cache_is_free(next->cache, base.cache,
				    numab_kernel_tolerance()));
}
