// SPDX-License-Identifier: GPL-2.0
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/sysfs.h>

#include "cache.h"
#include "groups.h"
#include "hook.h"
#include "kernel.h"
#include "points.h"
#include "promote.h"
#include "settings.h"
#include "spaces.h"
#include "status.h"
#include "sysctl.h"
#include "tasks.h"

static struct kobject *dir;

#define STATUS_FILE(file)                                                   \
	static ssize_t file##_show(struct kobject *kobj,                    \
				   struct kobj_attribute *attr, char *buf); \
	static struct kobj_attribute file##_attr = __ATTR_RO(file);         \
	static ssize_t file##_show(struct kobject *kobj,                    \
				   struct kobj_attribute *attr, char *buf)

STATUS_FILE(version)
{
	return sysfs_emit(buf, "%s\n", NUMAB_VERSION);
}

/* kernel.numa_balancing as the administrator wrote it. */
STATUS_FILE(written)
{
	return sysfs_emit(buf, "%d\n", READ_ONCE(*numab_written));
}

/* What the kernel really runs with. */
STATUS_FILE(running)
{
	return sysfs_emit(buf, "%d\n", numab_sysctl_running());
}

/* Cgroups with a setting. */
STATUS_FILE(settings)
{
	return sysfs_emit(buf, "%u\n", numab_settings_count());
}

/* Processes with settings of their own. */
STATUS_FILE(tasks)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(numab_tasks_count));
}

/* Children that did not get their parent's, for want of memory. */
STATUS_FILE(tasks_lost)
{
	return sysfs_emit(buf, "%u\n", numab_tasks_lost());
}

/* Policies that are attached. */
STATUS_FILE(policies)
{
	return sysfs_emit(buf, "%u\n", numab_settings_policies());
}

/* Cgroups that numab keeps something for: proves that nothing leaks. */
STATUS_FILE(groups)
{
	return sysfs_emit(buf, "%d\n", numab_groups_count());
}

/* Address spaces that numab keeps something for: the same. */
STATUS_FILE(spaces)
{
	return sysfs_emit(buf, "%d\n", numab_spaces_count());
}

/* Are scan and fault paths hooked? */
STATUS_FILE(hooks)
{
	return sysfs_emit(buf, "%s\n",
			  numab_hooks_live(POINTS_ON_DEMAND) ? "live" : "idle");
}

/* Are there scans for promotion only, and why not? */
STATUS_FILE(promotion_scans)
{
	return sysfs_emit(buf, "%s\n", numab_promote_state());
}

/* A line for each decision point: name, state, why not and what is lost. */
STATUS_FILE(points)
{
	unsigned int i;
	int at = 0;

	for (i = 0; i < NR_POINTS; i++) {
		const struct numab_point *point = &numab_points[i];
		enum numab_point_state state = READ_ONCE(point->state);

		at += sysfs_emit_at(buf, at, "%s %s", point->symbol,
				    numab_point_state_name(state));
		if (state > POINT_LIVE)
			at += sysfs_emit_at(buf, at, " %s; %s", point->reason,
					    point->loss);
		at += sysfs_emit_at(buf, at, "\n");
	}
	return at;
}

#ifdef CONFIG_SCHED_CACHE
/* The gate before cache-aware scheduling, and what it goes by. */
STATUS_FILE(cache)
{
	return numab_cache_status(buf);
}
#endif

/* The machine's sum of what each cgroup's cpu.numab.stat shows. */
STATUS_FILE(stat)
{
	struct numab_counters sum = {};
	unsigned int i;
	int at = 0;

	numab_groups_sum(numab_root_css, &sum);
	for (i = 0; i < NR_COUNTERS; i++)
		at += sysfs_emit_at(buf, at, "%s %llu\n",
				    numab_counter_names[i], sum.value[i]);
	return at;
}

static struct attribute *attrs[] = {
	&version_attr.attr,
	&written_attr.attr,
	&running_attr.attr,
	&settings_attr.attr,
	&tasks_attr.attr,
	&tasks_lost_attr.attr,
	&groups_attr.attr,
	&spaces_attr.attr,
	&hooks_attr.attr,
	&promotion_scans_attr.attr,
	&points_attr.attr,
	&stat_attr.attr,
	&policies_attr.attr,
#ifdef CONFIG_SCHED_CACHE
	&cache_attr.attr,
#endif
	NULL,
};

static const struct attribute_group group = { .attrs = attrs };

int numab_status_init(void)
{
	int err;

	dir = kobject_create_and_add("numab", kernel_kobj);
	if (!dir)
		return -ENOMEM;
	err = sysfs_create_group(dir, &group);
	if (err)
		kobject_put(dir);
	return err;
}

void numab_status_exit(void)
{
	kobject_put(dir); /* waits for readers */
}
