/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who may set what. What makes nothing heavier than it is without is free; the
 * rest needs CAP_SYS_NICE in the initial user namespace, since it costs the
 * whole machine: of whoever opened the file, or of current for a process.
 */
#ifndef NUMAB_PERMISSIONS_H
#define NUMAB_PERMISSIONS_H

#include <linux/cgroup.h>
#include <linux/fs.h>

#include "../decide/tuning.h"
#include "tasks.h"

/* A cgroup's opinion, in place of the present one. */
bool numab_may_write(struct cgroup_subsys_state *css, int opinion, int present,
		     struct file *file);

/* Its own values of the knobs in the set BIT(KNOB_...). */
bool numab_may_tune(struct cgroup_subsys_state *css, unsigned int knobs,
		    const struct numab_tuning *values, struct file *file);

/* Its word on caches. */
bool numab_may_gather(struct cgroup_subsys_state *css, int value,
		      struct file *file);

/* A process's settings; says in next whether they stand by themselves. */
bool numab_may_set_task(struct task_struct *p,
			const struct numab_task_settings *present,
			struct numab_task_settings *next);

#endif
