// SPDX-License-Identifier: GPL-2.0
/*
 * Which pages are marked, one by one: by a stock kernel, and with numab.
 *
 * A page that is marked costs whoever touches it one fault, which counts as a
 * minor one of the thread. So the pages are looked through by touching each,
 * when nothing is marked any more.
 */
#include <linux/mempolicy.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process.h"
#include "test.h"

#define CGROUP "t/set"
#define PAGE   4096UL
#define PAGES  512
#define SWEEPS 4
#define PASSES 20

/* Where a region is, and whether it is a read-only mapping of a file. */
static const struct {
	const char *what;
	int node;
	bool is_file;
} regions[] = {
	{ "memory of the top tier", HOME, false },
	{ "a file in the top tier", HOME, true },
	{ "slow memory", SLOW, false },
	{ "a file in slow memory", SLOW, true },
};

#define REGIONS (sizeof(regions) / sizeof(*regions))

struct marks {
	bool page[REGIONS][PAGES];
};

static void place_on(int node)
{
	unsigned long mask = node < 0 ? 0 : 1UL << node;
	int mode = node < 0 ? MPOL_DEFAULT : MPOL_BIND;

	CHECK_EQ(syscall(SYS_set_mempolicy, mode, mask ? &mask : NULL,
			 mask ? 8 * sizeof(mask) : 0),
		 0);
}

static volatile char *make_region(int node, bool is_file)
{
	size_t len = PAGES * PAGE;
	int fd = is_file ? memfd_create("region", 0) : -1;
	char *at;

	place_on(node);
	if (is_file)
		CHECK_EQ(posix_fallocate(fd, 0, len), 0);
	at = mmap(NULL, len, is_file ? PROT_READ : PROT_READ | PROT_WRITE,
		  is_file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
	CHECK(at != MAP_FAILED);
	madvise(at, len, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < len; i += PAGE) {
		if (is_file)
			(void)*(volatile char *)(at + i);
		else
			at[i] = 1;
	}
	if (is_file)
		close(fd);
	place_on(-1);
	return at;
}

static int sweeps(void)
{
	static char text[16384];
	char *at;

	if (file_read("/proc/self/sched", text, sizeof(text)))
		die("cannot read /proc/self/sched");
	at = strstr(text, "mm->numa_scan_seq");
	CHECK(at && (at = strchr(at, ':')));
	return atoi(at + 1);
}

/* Stay busy, so that the scanner comes by, and touch nothing of it. */
static void be_scanned(bool passes)
{
	int end = sweeps() + SWEEPS;

	for (double give_up = now() + 120; sweeps() < end;)
		CHECK(now() < give_up);
	if (!passes)
		return;
	end = cgroup_value(CGROUP, "cpu.numab.stat", "promotion_scans_run") +
	      PASSES;
	for (double give_up = now() + 120;
	     cgroup_value(CGROUP, "cpu.numab.stat", "promotion_scans_run") <
	     end;)
		CHECK(now() < give_up);
}

static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_minflt;
}

static void look(volatile char *region, bool page[PAGES])
{
	for (size_t i = 0; i < PAGES; i++) {
		long before = faults();

		(void)region[i * PAGE];
		page[i] = faults() > before;
	}
}

static void collect(const char *sysctl, const char *mode, bool passes,
		    struct marks *marks)
{
	volatile char *at[REGIONS];

	for (size_t i = 0; i < REGIONS; i++)
		at[i] = make_region(regions[i].node, regions[i].is_file);
	CHECK_EQ(set_sysctl(sysctl), 0);
	if (mode)
		set_mode(CGROUP, mode);
	be_scanned(passes);
	CHECK_EQ(set_sysctl("0"), 0);
	if (mode)
		set_mode(CGROUP, "off");
	for (size_t i = 0; i < REGIONS; i++) {
		look(at[i], marks->page[i]);
		CHECK_EQ(munmap((void *)at[i], PAGES * PAGE), 0);
	}
}

static int count(const bool page[PAGES])
{
	int n = 0;

	for (size_t i = 0; i < PAGES; i++)
		n += page[i];
	return n;
}

static void compare(const struct marks *stock, const struct marks *ours)
{
	for (size_t i = 0; i < REGIONS; i++) {
		printf("# %s: %d of %d pages are marked, %d with numab\n",
		       regions[i].what, count(stock->page[i]), PAGES,
		       count(ours->page[i]));
		if (regions[i].node == SLOW)
			continue;
		for (size_t j = 0; j < PAGES; j++)
			CHECK_CMP(ours->page[i][j], <=, stock->page[i][j],
				  "page %zu of %s", j, regions[i].what);
	}
}

/* The kernel leaves out what is local to a single thread. */
static void run(int cpu_node, const char *sysctl, const char *mode, bool passes)
{
	static struct marks stock, ours;

	load_run_on_node(cpu_node);
	cgroup_make(CGROUP);
	cgroup_join(CGROUP, getpid());
	CHECK_EQ(unload("numab"), 0);
	collect(sysctl, NULL, false, &stock);
	CHECK_EQ(load_numab(""), 0);
	collect("0", mode, passes, &ours);
	compare(&stock, &ours);
	CHECK_EQ(count(stock.page[3]), 0);
	if (passes)
		CHECK_CMP(count(ours.page[3]), >, PAGES * 95 / 100);
	CHECK_CMP(count(ours.page[2]), >, PAGES * 95 / 100);
}

TEST(promote_set_tiering,
     "of the top tier, the pages that are marked are those of a stock kernel")
{
	run(HOME, "2", "tiering", true);
	run(REMOTE, "2", "tiering", true);
}

TEST(promote_set_both, "the same in mode both")
{
	bool passes = strcmp(point_state("folio_can_map_prot_numa"), "absent");

	run(HOME, "3", "both", passes);
	run(REMOTE, "3", "both", passes);
}

/* Two sockets and nothing slow. */
TEST_ON("2s+2llc", promote_no_slow_tier,
	"a machine without a slow tier has not one of these scans")
{
	char text[256];

	cgroup_make(CGROUP);
	cgroup_join(CGROUP, getpid());
	set_mode(CGROUP, "both");
	CHECK_EQ(file_read(STATUS "promotion_scans", text, sizeof(text)), 0);
	CHECK(strstr(text, "there is no slow tier"));
	be_scanned(false);
	CHECK_EQ(status_stat("promotion_scans_run"), 0);
	CHECK_EQ(status_stat("promotion_marks"), 0);
	CHECK(!is_traced("migrate_misplaced_folio_prepare"));
}
