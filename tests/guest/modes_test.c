// SPDX-License-Identifier: GPL-2.0
/*
 * Each mode, side by side: the same workload in five cgroups, with memory on
 * the other socket and on the slow node. What moves is checked against the
 * kernel's own counters; what must not move is checked after the cgroup that
 * moves everything has been through it, so that it had its chance.
 */
#include "test.h"

#define MB 12

struct subject {
	const char *cgroup;
	const char *mode;
	bool moves, promotes; /* what the table of decisions says */
	struct load load;
};

static struct subject subjects[] = {
	{ .cgroup = "t/unset", .mode = "inherit" },
	{ .cgroup = "t/off", .mode = "off" },
	{ .cgroup = "t/normal", .mode = "normal", .moves = true },
	{ .cgroup = "t/tiering", .mode = "tiering", .promotes = true },
	{ .cgroup = "t/both", .mode = "both", .moves = true, .promotes = true },
};

#define for_each_subject(s)                \
	for (struct subject *s = subjects; \
	     s < subjects + sizeof(subjects) / sizeof(subjects[0]); s++)

static long long kernel_says(const struct subject *s, const char *key)
{
	return cgroup_value(s->cgroup, "memory.stat", key);
}

static long long numab_says(const struct subject *s, const char *key)
{
	return cgroup_value(s->cgroup, "cpu.numab.stat", key);
}

static double home(const struct subject *s, int node)
{
	return load_share(&s->load, node - REMOTE, HOME);
}

/* Does this mode scan at all? */
static bool scans(const struct subject *s)
{
	return s->moves || s->promotes;
}

/* All that is promised came home, and whoever scans had time to do more. */
static bool is_done(void *arg)
{
	for_each_subject(s)
	{
		if (s->moves && home(s, REMOTE) < 99)
			return false;
		if (s->promotes && home(s, SLOW) < 99)
			return false;
		if (scans(s) && numab_says(s, "scans_run") < 5)
			return false;
	}
	return true;
}

static bool off_was_asked(void *arg)
{
	return numab_says(arg, "scans_skipped_mode") >= 3;
}

/* 6.12 marks by task only; what may not move is stopped at the fault. */
static bool marks_are_filtered(void)
{
	return !strcmp(point_state("folio_can_map_prot_numa"), "live");
}

static void check_scans(const struct subject *s)
{
	CHECK_CMP(!!kernel_says(s, "numa_pte_updates"), ==, scans(s), "%s",
		  s->mode);
	CHECK_CMP(!!kernel_says(s, "numa_hint_faults"), ==, scans(s), "%s",
		  s->mode);
	CHECK_CMP(!!numab_says(s, "scans_run"), ==, scans(s), "%s", s->mode);
}

/* memory.stat may lag behind by what the kernel has not flushed yet. */
static bool is_all_counted(void *subject)
{
	return kernel_says(subject, "pgpromote_success") >= MB * 256 * 99 / 100;
}

static void check_moves(struct subject *s, bool all_counted)
{
	long pages = MB * 256;
	long long promoted, migrated;

	CHECK_CMP(home(s, REMOTE), >=, s->moves ? 99 : 0, "%s", s->mode);
	CHECK_CMP(home(s, REMOTE), <=, s->moves ? 100 : 0, "%s", s->mode);
	CHECK_CMP(home(s, SLOW), >=, s->promotes ? 99 : 0, "%s", s->mode);
	CHECK_CMP(home(s, SLOW), <=, s->promotes ? 100 : 0, "%s", s->mode);
	if (!all_counted)
		return;
	if (s->promotes)
		wait_until(is_all_counted, s, 10);
	promoted = kernel_says(s, "pgpromote_success");
	migrated = kernel_says(s, "numa_pages_migrated");
	CHECK_CMP(promoted, >=, s->promotes ? pages * 99 / 100 : 0, "%s",
		  s->mode);
	CHECK_CMP(promoted, <=, s->promotes ? pages : 0, "%s", s->mode);
	CHECK_CMP(migrated, <=, pages * (s->moves + s->promotes) * 3 / 2, "%s",
		  s->mode);
}

static void check_marks(const struct subject *s)
{
	long long top = numab_says(s, "hint_faults_local") +
			numab_says(s, "hint_faults_remote");
	long long slow = numab_says(s, "hint_faults_slow");

	if (!marks_are_filtered() || !scans(s))
		return;
	CHECK_CMP(!!top, ==, s->moves, "%s: marked in the top tier", s->mode);
	CHECK_CMP(!!slow, ==, s->promotes, "%s: marked in the slow tier",
		  s->mode);
}

/*
 * Only of those that scan: a process may inherit hint entries with its memory
 * when it is forked, and whoever is off refuses those.
 */
static void check_refusals(const struct subject *s)
{
	if (!scans(s))
		return;
	if (marks_are_filtered()) {
		CHECK_CMP(!!numab_says(s, "marks_refused_normal"), ==,
			  !s->moves, "%s", s->mode);
		CHECK_CMP(!!numab_says(s, "marks_refused_tiering"), ==,
			  !s->promotes, "%s", s->mode);
		return;
	}
	CHECK_CMP(!!numab_says(s, "moves_refused"), ==, !s->moves, "%s",
		  s->mode);
	CHECK_CMP(!!numab_says(s, "promotions_refused"), ==, !s->promotes, "%s",
		  s->mode);
	CHECK_CMP(!!numab_says(s, "hint_faults_uncounted"), ==, !s->moves, "%s",
		  s->mode);
}

/*
 * What the kernel counts for the machine: marks, which are charged to the
 * process's cgroup, must all be ours. Hint faults are charged to the folio's
 * cgroup, which for the pages of a program's file is nobody's, and other
 * processes may have some left from before: they are compared with numab's
 * own count for the machine, so that none passes by the gates.
 */
struct machine_counts {
	long long marks, faults, faults_seen;
};

static struct machine_counts machine_counts(void)
{
	return (struct machine_counts){
		.marks = vmstat("numa_pte_updates"),
		.faults = vmstat("numa_hint_faults"),
		.faults_seen = status_stat("hint_faults_local") +
			       status_stat("hint_faults_remote") +
			       status_stat("hint_faults_slow"),
	};
}

static long long marks_elsewhere(const struct machine_counts *before)
{
	long long marks = machine_counts().marks - before->marks;

	for_each_subject(s) marks -= kernel_says(s, "numa_pte_updates");
	return marks;
}

/* memory.stat may lag behind by what the kernel has not flushed yet. */
static bool no_marks_elsewhere(void *before)
{
	return !marks_elsewhere(before);
}

static void check_nowhere_else(struct machine_counts *before)
{
	struct machine_counts after = machine_counts();

	CHECK_EQ(after.faults - before->faults,
		 after.faults_seen - before->faults_seen);
	wait_until(no_marks_elsewhere, before, 10);
	CHECK_EQ(marks_elsewhere(before), 0);
}

static void start_all(enum load_kind kind, int threads)
{
	for_each_subject(s)
	{
		cgroup_make(s->cgroup);
		set_mode(s->cgroup, s->mode);
		s->load = (struct load){
			.cgroup = s->cgroup,
			.kind = kind,
			.threads = threads,
			.region = { { .node = REMOTE, .mb = MB },
				    { .node = SLOW, .mb = MB } },
		};
		load_start(&s->load);
	}
}

static void run_modes(enum load_kind kind, int threads)
{
	struct machine_counts before;
	bool small = kind == LOAD_ANON;

	CHECK_EQ(set_sysctl("0"), 0);
	cgroup_make("t/off");
	set_mode("t/off", "off"); /* the gates count from here on */
	before = machine_counts();
	start_all(kind, threads);
	wait_until(is_done, NULL, 120);
	for_each_subject(s) if (!s->moves && !s->promotes)
		CHECK(wait_until(off_was_asked, s, 30));
	for_each_subject(s) load_pause(&s->load, true);

	for_each_subject(s)
	{
		check_scans(s);
		check_moves(s, small);
		check_marks(s);
		check_refusals(s);
	}
	for_each_subject(s) load_stop(&s->load);
	check_nowhere_else(&before);
}

TEST(modes_anon, "every mode moves what it promises and nothing else")
{
	run_modes(LOAD_ANON, 1);
}

TEST(modes_threads, "the same for a process with three threads")
{
	run_modes(LOAD_ANON, 3);
}

TEST(modes_thp, "the same for huge pages")
{
	run_modes(LOAD_THP, 1);
}
