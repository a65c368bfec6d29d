// SPDX-License-Identifier: GPL-2.0
/*
 * The memory surface: what may become of a folio is keyed on the memory cgroup
 * that is charged with it, whoever touches it.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pair.h"

#define PAIRS (PAIR_MODES * PAIR_MODES)

static struct pair pairs[PAIRS];

static void set_modes(const struct pair *p)
{
	set_mode(p->toucher, pair_modes[p->t]);
	set_mode(p->owner, pair_modes[p->f]);
}

/* The modes listed, or all there are, side by side. */
static void run_pairs(const int (*modes)[2], int n,
		      const struct pair_pages *pages)
{
	pairs_begin();
	for (int i = 0; i < n; i++) {
		struct pair *p = &pairs[i];

		p->t = modes ? modes[i][0] : i / PAIR_MODES;
		p->f = modes ? modes[i][1] : i % PAIR_MODES;
		snprintf(p->toucher, sizeof(p->toucher), "t/%d-touches", i);
		snprintf(p->owner, sizeof(p->owner), "t/%d-owns", i);
		pair_start(p, pages);
	}
	for (int i = 0; i < n; i++)
		set_modes(&pairs[i]);
	pairs_settle(pairs, n, true);
	pairs_stop(pairs, n);
}

/* One pair for each way in which the two modes can differ. */
static const int some_modes[][2] = {
	{ BOTH, BOTH },	  { BOTH, NORMAL },  { BOTH, TIERING }, { BOTH, OFF },
	{ NORMAL, BOTH }, { TIERING, BOTH }, { OFF, BOTH },
};

#define SOME (int)(sizeof(some_modes) / sizeof(some_modes[0]))

TEST(surface_shmem, "shared memory answers by whom it is charged to")
{
	run_pairs(NULL, PAIRS,
		  &(struct pair_pages){ .kind = LOAD_SHMEM, .mb = 1 });
}

TEST(surface_threads, "the same for a process with two threads")
{
	run_pairs(some_modes, SOME,
		  &(struct pair_pages){
			  .kind = LOAD_SHMEM, .mb = 1, .threads = 2 });
}

TEST(surface_thp, "the same for huge pages")
{
	static const char knob[] =
		"/sys/kernel/mm/transparent_hugepage/shmem_enabled";

	CHECK_EQ(file_write(knob, "advise", 6), 0);
	run_pairs(some_modes, SOME,
		  &(struct pair_pages){ .kind = LOAD_SHMEM_THP, .mb = 2 });
	CHECK_EQ(file_write(knob, "never", 5), 0);
}

#define DISK "/tmp/disk"

/* A file that lies on the disk and of which nothing is in memory. */
static int new_file(int mb)
{
	static char data[1 << 20];
	static int number;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), DISK "/file%d", number++);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	CHECK_CMP(fd, >=, 0);
	memset(data, 1, sizeof(data));
	for (int i = 0; i < mb; i++)
		CHECK_EQ(write(fd, data, sizeof(data)), sizeof(data));
	CHECK_EQ(fsync(fd), 0);
	CHECK_EQ(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
	return fd;
}

TEST(surface_file, "the same for clean pages of a file, mapped writable")
{
	int err = load_brd("rd_nr=1 rd_size=65536");

	CHECK(!err || err == -EEXIST);
	CHECK_EQ(system("mke2fs /dev/ram0 >/dev/null"), 0);
	mkdir(DISK, 0755);
	CHECK_EQ(mount("/dev/ram0", DISK, "ext4", 0, NULL), 0);
	run_pairs(NULL, PAIRS,
		  &(struct pair_pages){
			  .kind = LOAD_FILE, .mb = 1, .open = new_file });
	CHECK_EQ(umount(DISK), 0);
	CHECK_EQ(unload("brd"), 0);
}

/* Go through modes of T and F one after the other; the pages start anew. */
static void run_changes(const int (*modes)[2][2], int stages)
{
	static const struct pair_pages pages = { .kind = LOAD_SHMEM, .mb = 1 };

	pairs_begin();
	for (int i = 0; i < 2; i++) {
		snprintf(pairs[i].toucher, sizeof(pairs[i].toucher),
			 "t/%d-touches", i);
		snprintf(pairs[i].owner, sizeof(pairs[i].owner), "t/%d-owns",
			 i);
		pair_start(&pairs[i], &pages);
	}
	for (int stage = 0; stage < stages; stage++) {
		for (int i = 0; i < 2; i++) {
			pairs[i].t = modes[stage][i][0];
			pairs[i].f = modes[stage][i][1];
			set_modes(&pairs[i]);
		}
		pairs_settle(pairs, 2, !stage);
	}
	pairs_stop(pairs, 2);
}

TEST(surface_changes, "either mode changes, and the other one stays")
{
	/* The first pair: the task's; the second one: the folios'. */
	static const int modes[][2][2] = {
		{ { OFF, BOTH }, { BOTH, OFF } },
		{ { BOTH, BOTH }, { BOTH, BOTH } },
		{ { NORMAL, BOTH }, { BOTH, NORMAL } },
		{ { TIERING, BOTH }, { BOTH, TIERING } },
		{ { OFF, BOTH }, { BOTH, OFF } },
	};

	run_changes(modes, 5);
}

TEST(surface_nobody,
     "memory charged to no cgroup answers as the system default")
{
	static const char *const defaults[] = { "0", "4", "1", "2", "3" };
	struct pair *p = &pairs[0];

	*p = (struct pair){ .t = BOTH, .toucher = "t/touches", .owner = "." };
	pairs_begin();
	pair_start(p, &(struct pair_pages){ .kind = LOAD_SHMEM, .mb = 1 });
	set_mode(p->toucher, "both");
	for (int i = 0; i < 5; i++) {
		CHECK_EQ(set_sysctl(defaults[i]), 0);
		p->f = i ? atoi(defaults[i]) & BOTH : OFF;
		pairs_settle(p, 1, false);
	}
	pairs_stop(p, 1);
}

static bool is_removed(void *cgroup)
{
	return !cgroup_remove(cgroup);
}

/*
 * While the child is there, its own mode narrows its parent's; after that the
 * parent's alone holds.
 */
TEST(surface_removed, "memory of a cgroup that is gone answers as its parent")
{
	static const struct {
		int parent, child;
	} modes[] = { { BOTH, OFF }, { OFF, BOTH }, { TIERING, NORMAL } };
	const int n = sizeof(modes) / sizeof(modes[0]);
	char parent[32];

	pairs_begin();
	for (int i = 0; i < n; i++) {
		struct pair *p = &pairs[i];

		snprintf(p->toucher, sizeof(p->toucher), "t/%d-touches", i);
		snprintf(p->owner, sizeof(p->owner), "t/%d/child", i);
		snprintf(parent, sizeof(parent), "t/%d", i);
		p->t = BOTH;
		p->f = modes[i].parent & modes[i].child;
		pair_start(p,
			   &(struct pair_pages){ .kind = LOAD_SHMEM, .mb = 1 });
		set_mode(p->toucher, "both");
		set_mode(parent, pair_modes[modes[i].parent]);
		set_mode(p->owner, pair_modes[modes[i].child]);
	}
	pairs_settle(pairs, n, true);
	for (int i = 0; i < n; i++) {
		struct pair *p = &pairs[i];

		CHECK(wait_until(is_removed, p->owner, 20));
		snprintf(p->owner, sizeof(p->owner), "t/%d", i);
		p->f = modes[i].parent;
	}
	pairs_settle(pairs, n, false);
	pairs_stop(pairs, n);
}
