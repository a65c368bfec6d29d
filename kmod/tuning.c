// SPDX-License-Identifier: GPL-2.0
/*
 * Values are written with settings' lock held, one by one, and read without
 * any: a reader may see the new value of one knob and the old one of another.
 * A new group works out its values after it is in the xarray, and a
 * writer after it has stored its own: one of the two sees the other.
 */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include "group.h"
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

/*
 * The same coarse way in which the kernel limits a node: so many pages in each
 * second. Two CPUs may both see a new second begin; one of them starts it.
 */
bool numab_tuning_may_promote(struct numab_view view, unsigned long pages)
{
	unsigned int limit = READ_ONCE(view.tuning->value[KNOB_PROMOTE_RATE]);
	struct numab_group *group =
		view.group ? READ_ONCE(view.group->rate_group) : NULL;
	unsigned long start;

	if (!limit || !group)
		return true;
	start = READ_ONCE(group->rate_start);
	if (time_after(jiffies, start + HZ) &&
	    try_cmpxchg(&group->rate_start, &start, jiffies))
		atomic_long_set(&group->rate_pages, 0);
	return atomic_long_fetch_add(pages, &group->rate_pages) <
	       (long)limit << (20 - PAGE_SHIFT);
}
