// SPDX-License-Identifier: GPL-2.0
/*
 * Values are written with settings' lock held, one by one, and read without
 * any: a reader may see the new value of one knob and the old one of another.
 * A new group works out its values after it is in the xarray, and a
 * writer after it has stored its own: one of the two sees the other.
 */
#include "group.h"
#include "tasks.h"
#include "tuning.h"

/*
 * The nearest limit on promotion holds. One that was set without privileges
 * can be no more than the one above it, but there may be many beside it: so
 * that one holds as well, for all of them together.
 */
static void find_limits(struct numab_group *group)
{
	struct numab_group *first = NULL, *second = NULL;
	struct cgroup_subsys_state *css;

	for (css = group->css; css && !second; css = css->parent) {
		struct numab_group *above = numab_group_find(css);

		if (!above || !above->own.value[KNOB_PROMOTE_RATE])
			continue;
		if (!first)
			first = above;
		else
			second = above;
	}
	WRITE_ONCE(group->rate_group, first);
	WRITE_ONCE(group->rate_next,
		   first == group && !group->rate_stands ? second : NULL);
}

void numab_tuning_work_out(struct numab_group *group)
{
	struct numab_tuning sum = {};
	struct cgroup_subsys_state *css;
	unsigned int i;

	for (css = group->css; css; css = css->parent) {
		struct numab_group *above = numab_group_find(css);

		if (above)
			numab_tuning_inherit(&sum, &above->own);
	}
	find_limits(group);
	for (i = 0; i < NR_KNOBS; i++)
		WRITE_ONCE(group->effective.value[i], sum.value[i]);
}

/* Of one group's own limit, if it still has one. */
static bool group_allows(struct numab_group *group, unsigned long pages)
{
	unsigned int limit = READ_ONCE(group->own.value[KNOB_PROMOTE_RATE]);

	return !limit || numab_rate_allows(&group->rate, limit, pages);
}

/* A limit that stands by itself holds alone, being the nearest. */
static bool task_allows(struct numab_task *task, unsigned long pages,
			bool *ret_alone)
{
	unsigned int limit = numab_task_value(task, KNOB_PROMOTE_RATE, 0);

	*ret_alone = limit && READ_ONCE(task->own.privileged);
	return !limit || numab_rate_allows(&task->rate, limit, pages);
}

bool numab_tuning_may_promote(struct numab_view f, unsigned long pages)
{
	struct numab_task *task =
		numab_tasks_exist() ? numab_task_find(current) : NULL;
	struct numab_group *group =
		f.group ? READ_ONCE(f.group->rate_group) : NULL;
	bool alone = false;

	if (task && !task_allows(task, pages, &alone))
		return false;
	for (; group && !alone; group = READ_ONCE(group->rate_next))
		if (!group_allows(group, pages))
			return false;
	return true;
}
