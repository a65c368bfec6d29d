// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pair.h"

/*
 * Scans of T after everything has moved, so that the rest had its chance. Each
 * goes through all of T's memory; the kernel makes them rare, by 32 times what
 * one takes, which is long on an emulated machine with two CPUs for sixteen.
 */
#define SCANS_MORE 2
#define SKIPS_MORE 2

#define for_each_pair(p) for (struct pair *p = pairs; p < pairs + n; p++)

#define CHECK_PAIR(p, a, op, b)                                           \
	CHECK_CMP(a, op, b, "task %s, folios %s, %s", pair_modes[(p)->t], \
		  pair_modes[(p)->f], (p)->owner)

const char *const pair_modes[PAIR_MODES] = { "off", "normal", "tiering",
					     "both" };

static const int starts[] = { REMOTE, SLOW };

/* 6.12 marks by task only; what may not move is stopped at the fault. */
static bool marks_are_filtered(void)
{
	return !strcmp(point_state("folio_can_map_prot_numa"), "live");
}

static bool marks_remote(const struct pair *p)
{
	return marks_are_filtered() ? p->t & NORMAL : p->t != OFF;
}

static bool marks_slow(const struct pair *p)
{
	return marks_are_filtered() ? p->t & p->f & TIERING : p->t != OFF;
}

static bool moves(const struct pair *p)
{
	return p->t & p->f & NORMAL;
}

static bool promotes(const struct pair *p)
{
	return marks_slow(p) && p->f & TIERING;
}

/* The root has no counters of its own: the machine's stand for them. */
static bool has_owner(const struct pair *p)
{
	return strcmp(p->owner, ".");
}

static struct pair_counts count(const struct pair *p)
{
	static const char kernels[] = "memory.stat", ours[] = "cpu.numab.stat";
	struct pair_counts c = {
		.t_moves_refused =
			cgroup_value(p->toucher, ours, "moves_refused"),
		.t_promotions_refused =
			cgroup_value(p->toucher, ours, "promotions_refused"),
		.t_remote_unmarked =
			cgroup_value(p->toucher, ours, "marks_refused_normal"),
		.t_slow_unmarked =
			cgroup_value(p->toucher, ours, "marks_refused_tiering"),
		.scans = cgroup_value(p->toucher, ours, "scans_run"),
		.skips = cgroup_value(p->toucher, ours, "scans_skipped_mode"),
	};

	if (!has_owner(p)) {
		c.moves_refused = status_stat("moves_refused");
		c.promotions_refused = status_stat("promotions_refused");
		return c;
	}
	c.migrated = cgroup_value(p->owner, kernels, "numa_pages_migrated");
	c.promoted = cgroup_value(p->owner, kernels, "pgpromote_success");
	c.faults = cgroup_value(p->owner, kernels, "numa_hint_faults");
	c.moves_refused = cgroup_value(p->owner, ours, "moves_refused");
	c.promotions_refused =
		cgroup_value(p->owner, ours, "promotions_refused");
	return c;
}

/* What was counted since the pages were put in place. */
static struct pair_counts counted(const struct pair *p)
{
	struct pair_counts c = count(p);

	c.migrated -= p->before.migrated;
	c.promoted -= p->before.promoted;
	c.faults -= p->before.faults;
	c.moves_refused -= p->before.moves_refused;
	c.promotions_refused -= p->before.promotions_refused;
	c.t_moves_refused -= p->before.t_moves_refused;
	c.t_promotions_refused -= p->before.t_promotions_refused;
	c.t_remote_unmarked -= p->before.t_remote_unmarked;
	c.t_slow_unmarked -= p->before.t_slow_unmarked;
	return c;
}

void pairs_begin(void)
{
	CHECK_EQ(set_sysctl("0"), 0);
	CHECK_EQ(file_write(SCANS "scan_period_max_ms", "200", 3), 0);
	cgroup_make("t/keep");
	set_mode("t/keep", "both");
}

static int new_memory(int mb)
{
	int fd = memfd_create("pair", MFD_CLOEXEC);

	CHECK_CMP(fd, >=, 0);
	CHECK_EQ(ftruncate(fd, (off_t)mb << 20), 0);
	return fd;
}

static bool is_charged(void *arg)
{
	const struct pair *p = arg;

	return cgroup_node_mb(p->owner, REMOTE) >= p->load.region[0].mb &&
	       cgroup_node_mb(p->owner, SLOW) >= p->load.region[1].mb;
}

static void populate(const struct pair *p)
{
	struct load load = p->load;

	load.cgroup = has_owner(p) ? p->owner : NULL;
	load.name = "owner";
	for (int i = 0; i < 2; i++)
		load.region[i].placed = false;
	load_start(&load);
	for (int i = 0; i < 2; i++)
		CHECK_EQ(load_share(&load, i, starts[i]), 100, "%s", p->owner);
	load_stop(&load);
	CHECK(!has_owner(p) || wait_until(is_charged, (void *)p, 10));
}

void pair_start(struct pair *pair, const struct pair_pages *pages)
{
	cgroup_make(pair->toucher);
	if (has_owner(pair))
		cgroup_make(pair->owner);
	pair->load = (struct load){
		.cgroup = pair->toucher,
		.kind = pages->kind,
		.threads = pages->threads,
	};
	for (int i = 0; i < 2; i++) {
		pair->load.region[i].node = starts[i];
		pair->load.region[i].mb = pages->mb;
		pair->load.region[i].placed = true;
		pair->load.region[i].fd = pages->open ? pages->open(pages->mb) :
							new_memory(pages->mb);
	}
	populate(pair);
	load_start(&pair->load);
	load_pause(&pair->load, true);
}

static void put_back(struct pair *p)
{
	for (int i = 0; i < 2; i++) {
		load_move(&p->load, i, starts[i]);
		CHECK_EQ(load_share(&p->load, i, starts[i]), 100, "%s",
			 p->owner);
	}
}

struct all {
	struct pair *pairs;
	int n;
};

static bool have_moved(void *arg)
{
	struct pair *pairs = ((struct all *)arg)->pairs;
	int n = ((struct all *)arg)->n;

	for_each_pair(p)
	{
		if (moves(p) && load_share(&p->load, 0, HOME) < 99)
			return false;
		if (promotes(p) && load_share(&p->load, 1, HOME) < 99)
			return false;
	}
	return true;
}

/* Folios of a half, at least: a page cache's may be of several pages. */
static long folios(const struct pair *p)
{
	long pages = p->load.region[0].mb * 256;

	if (p->load.kind == LOAD_FILE)
		return 1;
	return p->load.kind == LOAD_SHMEM_THP ? pages / 512 : pages;
}

/*
 * Each half that must stay was asked for, folio by folio, and refused: when it
 * was to be marked (which T's cgroup counts), or else when it was touched
 * (which F's does).
 */
static bool was_refused(const struct pair *p)
{
	struct pair_counts c = counted(p);
	long n = folios(p);

	if (!marks_remote(p) && c.t_remote_unmarked < n)
		return false;
	if (!marks_slow(p) && c.t_slow_unmarked < n)
		return false;
	if (marks_remote(p) && !moves(p) && c.moves_refused < n)
		return false;
	return !marks_slow(p) || promotes(p) || c.promotions_refused >= n;
}

/* Something moved that must not: no need to wait for more. */
static bool went_astray(const struct pair *p)
{
	return (!moves(p) && load_share(&p->load, 0, REMOTE) < 100) ||
	       (!promotes(p) && load_share(&p->load, 1, SLOW) < 100);
}

/* T had its chance to move what must not move, if there is any. */
static bool had_chance(const struct pair *p)
{
	struct pair_counts c = count(p);

	if (moves(p) && promotes(p))
		return true;
	if (p->t == OFF)
		return c.skips >= p->before.skips + SKIPS_MORE;
	return c.scans >= p->before.scans + SCANS_MORE && was_refused(p);
}

static bool all_had_chance(void *arg)
{
	struct pair *pairs = ((struct all *)arg)->pairs;
	int n = ((struct all *)arg)->n;

	for_each_pair(p)
	{
		if (went_astray(p))
			return true;
		if (!had_chance(p))
			return false;
	}
	return true;
}

/* A half that may move is at home, the other one where it was. */
static void check_places(const struct pair *p)
{
	const bool home[] = { moves(p), promotes(p) };

	for (int i = 0; i < 2; i++) {
		int node = home[i] ? HOME : starts[i];

		CHECK_CMP(load_share(&p->load, i, node), >=, home[i] ? 99 : 100,
			  "task %s, folios %s of node %d", pair_modes[p->t],
			  pair_modes[p->f], starts[i]);
	}
}

/* memory.stat may lag behind by what the kernel has not flushed yet. */
static bool kernel_has_counted(void *arg)
{
	const struct pair *p = arg;
	long pages = p->load.region[0].mb * 256;
	struct pair_counts c = counted(p);

	return c.promoted >= promotes(p) * pages &&
	       c.migrated >= (promotes(p) + moves(p)) * pages &&
	       !!c.faults >= (marks_remote(p) || marks_slow(p));
}

static void check_kernel_counts(struct pair *p, bool exact)
{
	long pages = p->load.region[0].mb * 256, few = pages / 100;
	struct pair_counts c;

	wait_until(kernel_has_counted, p, 5);
	c = counted(p);
	CHECK_PAIR(p, c.promoted, >=, promotes(p) * (pages - few));
	CHECK_PAIR(p, c.promoted, <=, promotes(p) * pages);
	CHECK_PAIR(p, c.migrated, >=, (promotes(p) + moves(p)) * (pages - few));
	CHECK_PAIR(p, c.migrated, <=, (promotes(p) + moves(p)) * pages);
	if (exact)
		CHECK_PAIR(p, !!c.faults, ==, marks_remote(p) || marks_slow(p));
}

/* Each refusal of a folio stands with the folio's cgroup, none with T's. */
static void check_refusals(const struct pair *p, bool exact)
{
	bool move = marks_remote(p) && !moves(p);
	bool promotion = marks_slow(p) && !promotes(p);
	struct pair_counts c = counted(p);

	if (move || exact)
		CHECK_PAIR(p, !!c.moves_refused, ==, move);
	if (promotion || exact)
		CHECK_PAIR(p, !!c.promotions_refused, ==, promotion);
	/* T's own pages are never slow, and with NORMAL they may move. */
	CHECK_PAIR(p, c.t_promotions_refused, ==, 0);
	if (p->t & NORMAL)
		CHECK_PAIR(p, c.t_moves_refused, ==, 0);
}

void pairs_settle(struct pair *pairs, int n, bool exact)
{
	struct all all = { pairs, n };

	for_each_pair(p)
	{
		put_back(p);
		p->before = count(p);
	}
	for_each_pair(p) load_pause(&p->load, false);
	wait_until(have_moved, &all, 60);
	for_each_pair(p)
	{
		struct pair_counts c = count(p);

		p->before.scans = c.scans;
		p->before.skips = c.skips;
	}
	wait_until(all_had_chance, &all, 240);
	for_each_pair(p) load_pause(&p->load, true);
	for_each_pair(p) check_places(p);
	for_each_pair(p)
	{
		CHECK_PAIR(p, had_chance(p), ==, 1);
		check_refusals(p, exact);
		if (has_owner(p))
			check_kernel_counts(p, exact);
	}
}

void pairs_stop(struct pair *pairs, int n)
{
	for_each_pair(p)
	{
		load_stop(&p->load);
		for (int i = 0; i < 2; i++)
			close(p->load.region[i].fd);
	}
}
