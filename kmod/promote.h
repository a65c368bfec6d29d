/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scans for promotion only: before a scan of a process whose mode has tiering,
 * an extra pass goes where filters that serve task placement do not let the
 * kernel's scan go. decide/promote.h says where, and how far.
 *
 * In a pass, no memory of the top tier is marked. Where single folios can be
 * vetoed (7.3), the hook sees to that; elsewhere (6.12) there are passes only
 * while the kernel runs with tiering alone, when it leaves the top tier
 * unmarked itself.
 */
#ifndef NUMAB_PROMOTE_H
#define NUMAB_PROMOTE_H

#include <linux/ftrace.h>
#include <linux/mm_types.h>

#include "../decide/promote.h"
#include "view.h"

/* What is kept for an address space; made by its first pass. */
struct numab_promote;

/* Follow the machine's memory: a slow node may come and go. 0 or -errno. */
int numab_promote_init(void);
void numab_promote_exit(void);

/* Frees it; nobody is inside a pass. NULL is fine. */
void numab_promote_free(struct numab_promote *promote);

/*
 * Are there to be passes, by the switch and the machine, when the kernel runs
 * with a mode? Settings' lock.
 */
bool numab_promote_is_wanted(int running);

/* "on", or "off: " and why. Any context. */
const char *numab_promote_state(void);

/*
 * Begin to allow passes, or stop: then on return nobody is marking for
 * promotion, nor will be. Settings' lock. Sleeps.
 */
void numab_promote_allow(bool allow);
bool numab_promote_is_allowed(void);

/* Is current in a pass? Any context of current. */
bool numab_promote_is_passing(void);

/* Is a pass due in the address space of a task with this view? Preemption off. */
bool numab_promote_is_due(struct numab_view t, struct mm_struct *mm);

/*
 * At the entry of task_numa_work(), instead of it: make a pass, then have the
 * same thread come here again. The work's own next is left alone until then.
 */
void numab_promote_redirect(struct ftrace_regs *regs);

/*
 * At the entry of folio_can_map_prot_numa(), instead of it: mark as
 * numab_promote_marks() says.
 */
void numab_promote_redirect_mark(struct ftrace_regs *regs);

/*
 * int migrate_misplaced_folio_prepare(struct folio *folio,
 *				       struct vm_area_struct *vma, int node)
 *
 * Program text that several processes map stays where it is, as what each
 * node has a copy of. A slow node is no place for it.
 */
void numab_gate_prepare(struct ftrace_regs *regs);

#endif
