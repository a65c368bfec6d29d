// SPDX-License-Identifier: GPL-2.0
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "llc.h"

#define LOCKS 1024

/* An entry: the line's number, and its state below. Zero is no line. */
#define VALID	 1ULL
#define MODIFIED 2ULL
#define LINE(e)	 ((e) >> 2)

struct llc {
	unsigned int domains, ways, sets;
	char lock[LOCKS]; /* of all sets whose number gives it */
	uint64_t entry[]; /* by domain, set, and age: the youngest first */
};

struct llc *llc_new(unsigned int domains, unsigned int bytes, unsigned int ways,
		    unsigned int line)
{
	unsigned int sets = bytes / ways / line;
	struct llc *llc;

	llc = calloc(1,
		     sizeof(*llc) + sizeof(uint64_t) * domains * sets * ways);
	if (!llc)
		return NULL;
	llc->domains = domains;
	llc->ways = ways;
	llc->sets = sets;
	return llc;
}

void llc_free(struct llc *llc)
{
	free(llc);
}

/* The holder may have lost its host CPU: then let it run. */
static void lock(struct llc *llc, unsigned int set)
{
	while (__atomic_test_and_set(&llc->lock[set % LOCKS], __ATOMIC_ACQUIRE))
		sched_yield();
}

static void unlock(struct llc *llc, unsigned int set)
{
	__atomic_clear(&llc->lock[set % LOCKS], __ATOMIC_RELEASE);
}

static uint64_t *set_of(struct llc *llc, unsigned int domain, unsigned int set)
{
	return llc->entry + ((uint64_t)domain * llc->sets + set) * llc->ways;
}

/* The line's way, or the number of ways. */
static unsigned int find(const struct llc *llc, const uint64_t *set,
			 uint64_t line)
{
	unsigned int way;

	for (way = 0; way < llc->ways; way++)
		if ((set[way] | MODIFIED) == (line << 2 | MODIFIED | VALID))
			break;
	return way;
}

static void put_first(uint64_t *set, unsigned int way, uint64_t entry)
{
	memmove(set + 1, set, way * sizeof(*set));
	set[0] = entry;
}

static void write_back(struct llc_access *access, uint64_t line)
{
	access->written_line[access->written++] = line;
}

/*
 * Another domain wants the line: to write, then it goes from here; to read,
 * then it becomes shared, and what was modified is written back.
 */
static bool snoop(struct llc *llc, unsigned int domain, unsigned int set,
		  uint64_t line, bool write, struct llc_access *access)
{
	uint64_t *entry = set_of(llc, domain, set);
	unsigned int way = find(llc, entry, line);

	if (way == llc->ways)
		return false;
	if (write) {
		memmove(entry + way, entry + way + 1,
			(llc->ways - way - 1) * sizeof(*entry));
		entry[llc->ways - 1] = 0;
	} else if (entry[way] & MODIFIED) {
		write_back(access, line);
		entry[way] &= ~MODIFIED;
	}
	access->from = domain;
	return true;
}

static bool snoop_others(struct llc *llc, unsigned int domain, unsigned int set,
			 uint64_t line, bool write, struct llc_access *access)
{
	bool found = false;

	for (unsigned int other = 0; other < llc->domains; other++)
		if (other != domain &&
		    snoop(llc, other, set, line, write, access))
			found = true;
	return found;
}

static enum llc_result access_set(struct llc *llc, unsigned int domain,
				  unsigned int set, uint64_t line, bool write,
				  struct llc_access *access)
{
	uint64_t *entry = set_of(llc, domain, set), victim;
	unsigned int way = find(llc, entry, line);
	uint64_t state = VALID | (write ? MODIFIED : 0);
	bool others;

	if (way < llc->ways) {
		bool owned = !write || (entry[way] & MODIFIED);

		put_first(entry, way, entry[way] | state);
		if (owned)
			return LLC_HIT;
		others = snoop_others(llc, domain, set, line, true, access);
		return others ? LLC_TRANSFER : LLC_HIT;
	}
	others = snoop_others(llc, domain, set, line, write, access);
	victim = entry[llc->ways - 1];
	if (victim & MODIFIED)
		write_back(access, LINE(victim));
	put_first(entry, llc->ways - 1, line << 2 | state);
	return others ? LLC_TRANSFER : LLC_MISS;
}

enum llc_result llc_access(struct llc *llc, unsigned int domain, uint64_t line,
			   bool write, struct llc_access *access)
{
	unsigned int set = line % llc->sets;
	enum llc_result result;

	access->written = 0;
	lock(llc, set);
	result = access_set(llc, domain, set, line, write, access);
	unlock(llc, set);
	return result;
}

void llc_flush(struct llc *llc)
{
	for (unsigned int set = 0; set < llc->sets; set++) {
		lock(llc, set);
		for (unsigned int d = 0; d < llc->domains; d++)
			memset(set_of(llc, d, set), 0,
			       llc->ways * sizeof(uint64_t));
		unlock(llc, set);
	}
}
