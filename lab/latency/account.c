// SPDX-License-Identifier: GPL-2.0
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"

#define SPACES 4096

static struct account machine;
static struct account sections[MARK_SECTIONS];
static bool section_used[MARK_SECTIONS];

/* Open addressing; slots are filled under the lock and never emptied. */
static struct space table[SPACES];
static struct space rest;
static unsigned int nr_spaces, nr_overflow;
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

struct account *account_machine(void)
{
	return &machine;
}

struct account *account_section(unsigned int section)
{
	return &sections[section];
}

bool account_section_used(unsigned int section)
{
	return __atomic_load_n(&section_used[section], __ATOMIC_RELAXED);
}

/* Root 0 is no page table: an empty slot. */
static struct space *slot(uint64_t root)
{
	unsigned int at = (root >> 12) * 2654435761U % SPACES;
	uint64_t found;

	for (;;) {
		found = __atomic_load_n(&table[at].root, __ATOMIC_ACQUIRE);
		if (!found || found == root)
			return &table[at];
		at = (at + 1) % SPACES;
	}
}

struct space *account_space(uint64_t root)
{
	struct space *space = slot(root);

	if (__atomic_load_n(&space->root, __ATOMIC_ACQUIRE) == root)
		return space;

	pthread_mutex_lock(&table_lock);
	space = slot(root);
	if (space->root != root && nr_spaces == SPACES * 3 / 4) {
		nr_overflow++;
		space = &rest;
	} else if (space->root != root) {
		nr_spaces++;
		__atomic_store_n(&space->root, root, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&table_lock);
	return space;
}

unsigned int account_overflow(void)
{
	return nr_overflow;
}

void account_enter(struct space *space, unsigned int section)
{
	struct account *now = section ? &sections[section] : NULL;

	if (section)
		__atomic_store_n(&section_used[section], true,
				 __ATOMIC_RELAXED);
	if (!now)
		now = __atomic_load_n(&space->own, __ATOMIC_ACQUIRE);
	__atomic_store_n(&space->now, now, __ATOMIC_RELEASE);
}

/* The first use gives a space its account. */
static struct account *open_account(struct space *space)
{
	struct account *now;

	pthread_mutex_lock(&table_lock);
	if (!space->own)
		__atomic_store_n(&space->own, calloc(1, sizeof(*space->own)),
				 __ATOMIC_RELEASE);
	now = space->now;
	if (!now) {
		now = space->own;
		__atomic_store_n(&space->now, now, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&table_lock);
	return now;
}

struct account *account_of(struct space *space)
{
	struct account *now = __atomic_load_n(&space->now, __ATOMIC_ACQUIRE);

	return now ? now : open_account(space);
}

struct tally account_sum(const struct account *account, unsigned int node)
{
	struct tally sum = { 0 };

	for (int cpu = 0; cpu < MAX_CPUS; cpu++) {
		const struct tally *t = &account->tally[cpu][node];

		sum.reads += __atomic_load_n(&t->reads, __ATOMIC_RELAXED);
		sum.writes += __atomic_load_n(&t->writes, __ATOMIC_RELAXED);
		sum.misses += __atomic_load_n(&t->misses, __ATOMIC_RELAXED);
		sum.transfers +=
			__atomic_load_n(&t->transfers, __ATOMIC_RELAXED);
		sum.written += __atomic_load_n(&t->written, __ATOMIC_RELAXED);
		sum.stall_ps += __atomic_load_n(&t->stall_ps, __ATOMIC_RELAXED);
	}
	return sum;
}

static uint64_t total_stall(const struct space *space)
{
	uint64_t stall = 0;

	for (int node = 0; node < MAX_NODES; node++)
		stall += account_sum(space->own, node).stall_ps;
	return stall;
}

static int by_stall(const void *a, const void *b)
{
	uint64_t x = total_stall(*(struct space *const *)a);
	uint64_t y = total_stall(*(struct space *const *)b);

	return (x < y) - (x > y);
}

unsigned int account_spaces(struct space **spaces, unsigned int max)
{
	static struct space *all[SPACES + 1];
	unsigned int n = 0;

	for (int i = 0; i < SPACES; i++)
		if (table[i].own)
			all[n++] = &table[i];
	if (rest.own)
		all[n++] = &rest;
	qsort(all, n, sizeof(struct space *), by_stall);
	n = n < max ? n : max;
	memcpy(spaces, all, n * sizeof(struct space *));
	return n;
}
