/* SPDX-License-Identifier: GPL-2.0 */
/* A workload's own values: which hold, and the limit on promotion. */
#ifndef NUMAB_TUNING_H
#define NUMAB_TUNING_H

#include "view.h"

/*
 * Find what holds for a group: its own values, else the nearest. Under RCU,
 * one at a time.
 */
void numab_tuning_work_out(struct numab_group *group);

/*
 * May this many pages of folio f be promoted now by the current task, by the
 * limit on the rate that holds: the task's own, else the nearest of f's
 * cgroups? They are counted if so. Preemption is off.
 */
bool numab_tuning_may_promote(struct numab_view f, unsigned long pages);

#endif
