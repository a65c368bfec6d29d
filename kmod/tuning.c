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

void numab_tuning_work_out(struct numab_group *group)
{
	struct numab_group *rate_group = NULL;
	struct numab_tuning sum = {};
	struct cgroup_subsys_state *css;
	unsigned int i;

	for (css = group->css; css; css = css->parent) {
		struct numab_group *above = numab_group_find(css);

		if (!above)
			continue;
		numab_tuning_inherit(&sum, &above->own);
		if (!rate_group && above->own.value[KNOB_PROMOTE_RATE])
			rate_group = above;
	}
	WRITE_ONCE(group->rate_group, rate_group);
	for (i = 0; i < NR_KNOBS; i++)
		WRITE_ONCE(group->effective.value[i], sum.value[i]);
}

bool numab_tuning_may_promote(const struct numab_view *t,
			      const struct numab_view *f, unsigned long pages)
{
	unsigned int limit = 0;
	struct numab_group *group;

	if (t->task)
		limit = READ_ONCE(t->task->own.tuning.value[KNOB_PROMOTE_RATE]);
	if (limit)
		return numab_rate_allows(&t->task->rate, limit, pages);
	limit = numab_view_value(f, KNOB_PROMOTE_RATE);
	group = f->group ? READ_ONCE(f->group->rate_group) : NULL;
	return !limit || !group ||
	       numab_rate_allows(&group->rate, limit, pages);
}
