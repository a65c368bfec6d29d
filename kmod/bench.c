// SPDX-License-Identifier: GPL-2.0
/*
 * What a consult costs, for bench/consult: only in the build for tests.
 *
 * Reading the parameter consult_ns makes each kind of consult 100,000 times,
 * for the reading task and a page of its stack, and says what the fastest
 * batch took, in hundredths of a nanosecond a call. Where the clock counts
 * instructions (lab/vm --icount), these are instructions.
 */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "view.h"

#define BATCHES 100
#define BATCH	1000 /* calls with interrupts off, some 50 us */

enum kind {
	NOTHING,   /* the loop alone */
	TASK_WARM, /* the memo holds */
	FOLIO_WARM,
	OUTDATE,   /* the loop of the next one without its consult */
	TASK_SCAN, /* as a scan does: policies are asked each time */
	TASK_COLD, /* after a change of some setting: walk up */
};

/* Inlined for each kind, so that no loop has a branch or call more. */
static __always_inline void call(enum kind kind, struct folio *folio)
{
	struct numab_view view = {};

	if (kind == OUTDATE || kind == TASK_COLD)
		numab_views_outdate();
	if (kind == TASK_WARM || kind == TASK_COLD)
		view = numab_view_of_task(current);
	if (kind == TASK_SCAN)
		view = numab_view_at_scan(current);
	if (kind == FOLIO_WARM)
		view = numab_view_of_folio(folio);
	OPTIMIZER_HIDE_VAR(view.mode);
	barrier();
}

static __always_inline u64 measure(enum kind kind, struct folio *folio)
{
	u64 best = U64_MAX;
	unsigned int i, n;

	for (i = 0; i < BATCHES; i++) {
		unsigned long flags;
		u64 start;

		local_irq_save(flags);
		call(kind, folio);
		start = ktime_get_ns();
		for (n = 0; n < BATCH; n++)
			call(kind, folio);
		best = min(best, ktime_get_ns() - start);
		local_irq_restore(flags);
		cond_resched();
	}
	return best * 100 / BATCH;
}

static int consult_get(char *buf, const struct kernel_param *kp)
{
	struct folio *folio;
	struct page *page;
	int len = 0;

	if (get_user_pages_fast(current->mm->start_stack, 1, 0, &page) != 1)
		return -EFAULT;
	folio = page_folio(page);
	len += sysfs_emit_at(buf, len, "nothing %llu\n",
			     measure(NOTHING, folio));
	len += sysfs_emit_at(buf, len, "task_warm %llu\n",
			     measure(TASK_WARM, folio));
	len += sysfs_emit_at(buf, len, "folio_warm %llu\n",
			     measure(FOLIO_WARM, folio));
	len += sysfs_emit_at(buf, len, "task_scan %llu\n",
			     measure(TASK_SCAN, folio));
	len += sysfs_emit_at(buf, len, "outdate %llu\n",
			     measure(OUTDATE, folio));
	len += sysfs_emit_at(buf, len, "task_cold %llu\n",
			     measure(TASK_COLD, folio));
	len += sysfs_emit_at(buf, len, "nothing_again %llu\n",
			     measure(NOTHING, folio));
	folio_put(folio);
	return len;
}

static const struct kernel_param_ops consult_ops = { .get = consult_get };
module_param_cb(consult_ns, &consult_ops, NULL, 0400);
MODULE_PARM_DESC(consult_ns, "measure consults: 1/100 ns a call, for tests");
