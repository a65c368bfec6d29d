// SPDX-License-Identifier: GPL-2.0
/*
 * Scans for promotion only: which mappings and folios, how much in a pass, and
 * that no mapping waits longer than stated, on simulated processes.
 */
#include <stdlib.h>
#include <string.h>

#include "promote.h"
#include "test.h"

#define MB (1UL << 20)
#define GB (1UL << 30)

static void test_verdicts(void **state)
{
	(void)state;
	for (unsigned int bits = 0; bits < 8; bits++)
		for (int left_out = -3; left_out < 5; left_out++)
			for (unsigned int passes = 0;
			     passes < 2 * NUMAB_PROMOTE_SWEEP; passes++) {
				struct numab_promote_vma vma = {
					.suitable = bits & 1,
					.accessible = bits & 2,
					.read_only_file = bits & 4,
					.left_out = left_out,
					.passes = passes,
				};
				bool placed =
					!vma.read_only_file &&
					(left_out == 0 || left_out == 1) &&
					passes < NUMAB_PROMOTE_SWEEP;
				enum numab_promote_verdict expected =
					!vma.suitable	? PROMOTE_UNSUITABLE :
					!vma.accessible ? PROMOTE_INACCESSIBLE :
					placed		? PROMOTE_PLACED :
							  PROMOTE_WALK;

				check(numab_promote_verdict(vma) == expected,
				      "facts %#x, left out %d, passes %u", bits,
				      left_out, passes);
			}
}

/* Of all combinations of facts about a folio, one marks. */
static void test_marks(void **state)
{
	(void)state;
	for (unsigned int bits = 0; bits < 64; bits++) {
		struct numab_promote_folio folio = {
			.special = bits & 1,
			.top_tier = bits & 2,
			.tiering = bits & 4,
			.pinned = bits & 8,
			.dirty = bits & 16,
			.local = bits & 32,
		};

		check(numab_promote_marks(folio) == (bits == 4), "facts %#x",
		      bits);
	}
}

static void test_budget(void **state)
{
	static const struct {
		unsigned int size_mb, share;
		unsigned long budget, quantum;
	} cases[] = {
		{ 256, 25, 64 * MB, 8 * MB },
		{ 256, 100, 256 * MB, 32 * MB },
		{ 32, 25, 8 * MB, 2 * MB },
		{ 100, 25, 24 * MB, 2 * MB },
		{ 1, 25, 2 * MB, 2 * MB },
		{ 256, 1, 2 * MB, 2 * MB },
		{ 0, 25, 0, 2 * MB },
		{ 256, 0, 0, 2 * MB },
		{ 1 << 24, 100, 16384 * GB, 2048 * GB },
	};

	(void)state;
	for (unsigned int i = 0; i < COUNT(cases); i++) {
		unsigned long budget =
			numab_promote_budget(cases[i].size_mb, cases[i].share);

		check(budget == cases[i].budget, "%u MB, %u %%: %lu",
		      cases[i].size_mb, cases[i].share, budget);
		check(numab_promote_quantum(budget) == cases[i].quantum,
		      "quantum of %lu", budget);
	}
}

/* The stripes of a mapping: aligned, in order, without gap or overlap. */
static void test_stripes(void **state)
{
	static const unsigned long mappings[][2] = {
		{ 0x1000, 0x2000 },
		{ 2 * MB, 4 * MB },
		{ 2 * MB + 4096, 10 * MB + 4096 },
		{ 8 * MB - 4096, 8 * MB + 4096 },
		{ 3 * MB, 1001 * MB },
		{ -64 * MB - 4096, -4096UL },
	};

	(void)state;
	for (unsigned int i = 0; i < COUNT(mappings); i++) {
		unsigned long start = mappings[i][0], end = mappings[i][1];
		unsigned long at = start, round = 0;
		unsigned long n =
			numab_promote_stripe(start, end, 8 * MB, 0).of;

		for (; round < n; round++) {
			struct numab_stripe stripe = numab_promote_stripe(
				start, end, 8 * MB, round + 7 * n);

			check(stripe.of == n && stripe.start == at &&
				      stripe.end > at && stripe.end <= end &&
				      stripe.end - at <= 8 * MB,
			      "mapping %u, stripe %lu", i, round);
			check(stripe.end == end ||
				      stripe.end % NUMAB_PROMOTE_ALIGN == 0,
			      "mapping %u, stripe %lu is not aligned", i,
			      round);
			at = stripe.end;
		}
		check(at == end, "mapping %u ends early", i);
	}
}

struct mapping {
	unsigned long start, size;
	bool sparse;
	unsigned long seen;  /* bytes, in the present check */
	unsigned int passes; /* since its stripes all had their turn */
	unsigned int worst;
};

struct process {
	struct mapping *mapping;
	unsigned int n;
	struct numab_promote_place place;
	unsigned long looked; /* in the last pass */
};

static void visit(struct process *process, struct numab_promote_pass *pass,
		  struct mapping *m, struct numab_stripe stripe)
{
	unsigned long length = stripe.end - stripe.start;

	numab_promote_charge(pass, length, m->sparse ? 0 : length);
	if (!m->sparse)
		process->looked += length;
	m->seen += length;
	if (m->seen < m->size)
		return;
	if (m->passes > m->worst)
		m->worst = m->passes;
	m->passes = 0;
	m->seen = 0;
}

/* As kmod/promote.c walks, over a list. False when the pass ends. */
static bool one_round(struct process *process, struct numab_promote_pass *pass)
{
	for (unsigned int i = 0; i < process->n; i++) {
		struct mapping *m = &process->mapping[i];
		struct numab_stripe stripe;

		if (m->start < process->place.at)
			continue;
		stripe = numab_promote_stripe(m->start, m->start + m->size,
					      pass->quantum,
					      process->place.round);
		process->place.at = m->start;
		if (!numab_promote_charge_judgement(pass))
			return false;
		if (numab_promote_is_done(pass, m->start, stripe.of))
			continue;
		if (!numab_promote_affords(pass, stripe.end - stripe.start))
			return false;
		visit(process, pass, m, stripe);
	}
	return numab_promote_wrap(pass, &process->place);
}

static void run_pass(struct process *process, unsigned long budget)
{
	struct numab_promote_pass pass;

	process->looked = 0;
	for (unsigned int i = 0; i < process->n; i++)
		process->mapping[i].passes++;
	numab_promote_begin(&pass, budget, process->place);
	while (one_round(process, &pass))
		;
	check(process->looked <= budget, "looked at %lu of %lu",
	      process->looked, budget);
}

/* What decide/promote.h states, for n mappings of the given size. */
static void check_bounds(struct process *process, unsigned long budget)
{
	unsigned long quantum = numab_promote_quantum(budget);
	unsigned long round = process->n / (budget / quantum) + 1;

	for (unsigned int i = 0; i < process->n; i++) {
		struct mapping *m = &process->mapping[i];
		unsigned long stripes =
			numab_promote_stripe(m->start, m->start + m->size,
					     quantum, 0)
				.of;

		check(m->worst <= stripes * round,
		      "mapping %u of %lu MB, %lu stripes: %u passes, not %lu",
		      i, m->size / MB, stripes, m->worst, stripes * round);
		check(m->worst, "mapping %u was never seen completely", i);
	}
}

static void run_process(const unsigned long *sizes_mb, unsigned int n,
			bool giant_sparse, unsigned int passes,
			unsigned long budget)
{
	struct mapping *mapping = calloc(n, sizeof(*mapping));
	struct process process = { .mapping = mapping, .n = n };
	unsigned long at = GB;

	for (unsigned int i = 0; i < n; i++) {
		mapping[i].start = at;
		mapping[i].size = sizes_mb[i] * MB;
		mapping[i].sparse = giant_sparse && sizes_mb[i] > 10000;
		at += mapping[i].size + 4 * MB;
	}
	for (unsigned int i = 0; i < passes; i++)
		run_pass(&process, budget);
	check_bounds(&process, budget);
	free(mapping);
}

static void test_progress(void **state)
{
	static const unsigned long alike[] = { 8, 8, 8, 8 };
	static const unsigned long giant_first[] = { 100000, 1000, 6, 1 };
	static const unsigned long giant_last[] = { 6, 1000, 1, 100000 };
	unsigned long many[300];

	(void)state;
	run_process(alike, 4, false, 100, 64 * MB);
	run_process(giant_first, 4, false, 30000, 64 * MB);
	run_process(giant_last, 4, false, 30000, 64 * MB);
	run_process(giant_last, 4, true, 30000, 64 * MB);
	run_process(giant_last, 4, true, 60000, 8 * MB);
	for (unsigned int i = 0; i < 300; i++)
		many[i] = 1 + i * i % 97;
	many[150] = 10000;
	run_process(many, 300, false, 60000, 64 * MB);
}

/* A lone giant gets the whole budget; a small process is not seen twice. */
static void test_left_over(void **state)
{
	struct mapping giant[] = { { .start = GB, .size = 100 * GB } };
	struct mapping two[] = { { .start = GB, .size = 4 * MB },
				 { .start = 2 * GB, .size = 100 * GB } };
	struct process process = { .mapping = giant, .n = 1 };

	(void)state;
	run_pass(&process, 64 * MB);
	check(process.looked == 64 * MB, "%lu", process.looked);
	process = (struct process){ .mapping = two, .n = 2 };
	run_pass(&process, 64 * MB);
	check(process.looked == 60 * MB, "%lu", process.looked);
	two[1].size = 6 * MB;
	process = (struct process){ .mapping = two, .n = 2 };
	for (int i = 0; i < 3; i++) {
		run_pass(&process, 64 * MB);
		check(process.looked == 10 * MB, "%lu", process.looked);
	}
	process.n = 0;
	run_pass(&process, 64 * MB);
	check(!process.looked, "%lu", process.looked);
}

/* Passes for which a stripe is left out, from any number of the first. */
static void check_quiet(unsigned short pass)
{
	static const unsigned int waits[] = { 1, 3, 3, 3 };
	struct numab_quiet quiet = { 0 };

	check(!numab_quiet_skips(quiet, 5, pass), "nothing is known");
	for (unsigned int i = 0; i < COUNT(waits); i++) {
		numab_quiet_note(&quiet, 5, pass, false);
		for (unsigned int n = 1; n <= waits[i]; n++)
			check(numab_quiet_skips(quiet, 5, ++pass), "%u, %u", i,
			      n);
		check(!numab_quiet_skips(quiet, 5, ++pass), "%u", i);
		check(!numab_quiet_skips(quiet, 5, pass + 1000), "%u", i);
	}
	numab_quiet_note(&quiet, 5, pass++, false);
	check(!numab_quiet_skips(quiet, 6, pass), "another stripe");
	numab_quiet_note(&quiet, 6, pass, true);
	check(numab_quiet_skips(quiet, 5, pass), "another's does not count");
	numab_quiet_note(&quiet, 5, pass, true);
	check(!numab_quiet_skips(quiet, 5, pass), "something was found");
	numab_quiet_note(&quiet, 5, pass, false);
	numab_quiet_note(&quiet, 6, pass, false);
	check(!numab_quiet_skips(quiet, 5, pass + 1), "taken by another");
	check(numab_quiet_skips(quiet, 6, pass + 1), "the other");
	check(!numab_quiet_skips(quiet, 6, pass + 2), "the other, once");
}

static void test_quiet(void **state)
{
	(void)state;
	check_quiet(0);
	check_quiet(1);
	check_quiet(65530);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_budget),
		cmocka_unit_test(test_stripes),
		cmocka_unit_test(test_progress),
		cmocka_unit_test(test_left_over),
		cmocka_unit_test(test_quiet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
