// SPDX-License-Identifier: GPL-2.0
#include <linux/hashtable.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "cache.h"
#include "faults.h"
#include "promote.h"
#include "spaces.h"

#define PRUNE_DELAY HZ

/* By mm; read under RCU, written with the lock held. */
static DEFINE_HASHTABLE(spaces, 10);
static DEFINE_SPINLOCK(lock);

static atomic_t count = ATOMIC_INIT(0);
static void prune(struct work_struct *work);
static DECLARE_DELAYED_WORK(prune_work, prune);

struct numab_space *numab_space_find(struct mm_struct *mm)
{
	struct numab_space *space;

	hash_for_each_possible_rcu(spaces, space, node,
				   (unsigned long)mm) if (space->mm ==
							  mm) return space;
	return NULL;
}

static void free_space(struct numab_space *space)
{
	mmdrop(space->mm);
	numab_promote_free(space->promote);
	kfree(space);
	atomic_dec(&count);
}

static struct numab_space *make_space(struct mm_struct *mm, gfp_t gfp)
{
	struct numab_space *space = NULL, *other;

	if (!numab_fault("alloc", "space"))
		space = kzalloc(sizeof(*space), gfp);
	if (!space)
		return NULL;
	mmgrab(mm);
	space->mm = mm;
	atomic_inc(&count);
	spin_lock(&lock);
	other = numab_space_find(mm);
	if (!other)
		hash_add_rcu(spaces, &space->node, (unsigned long)mm);
	spin_unlock(&lock);
	if (other) {
		free_space(space); /* nobody has seen it */
		return other;
	}
	schedule_delayed_work(&prune_work, PRUNE_DELAY);
	return space;
}

struct numab_space *numab_space_get(struct mm_struct *mm, gfp_t gfp)
{
	struct numab_space *space;

	rcu_read_lock();
	space = numab_space_find(mm);
	rcu_read_unlock();
	return space ?: make_space(mm, gfp);
}

int numab_spaces_count(void)
{
	return atomic_read(&count);
}

/* Take out those without users, or all, and free them after a grace period. */
static void drop(bool all)
{
	struct numab_space *space;
	struct hlist_node *next;
	HLIST_HEAD(gone);
	unsigned int i;

	for (i = 0; i < HASH_SIZE(spaces); i++) {
		spin_lock(&lock);
		hlist_for_each_entry_safe(space, next, &spaces[i], node)
		{
			if (!all && atomic_read(&space->mm->mm_users))
				continue;
			hlist_del_rcu(&space->node);
			numab_cache_forget(space);
			hlist_add_head(&space->gone, &gone);
		}
		spin_unlock(&lock);
	}
	if (hlist_empty(&gone))
		return;
	synchronize_rcu();
	hlist_for_each_entry_safe(space, next, &gone, gone) free_space(space);
}

static void prune(struct work_struct *work)
{
	drop(false);
	if (numab_spaces_count())
		schedule_delayed_work(&prune_work, PRUNE_DELAY);
}

void numab_spaces_exit(void)
{
	cancel_delayed_work_sync(&prune_work);
	drop(true);
}
