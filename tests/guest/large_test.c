// SPDX-License-Identifier: GPL-2.0
/* Ten thousand cgroups. */
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pair.h"

#define TOP    "t/top"
#define BRANCH 100 /* cgroups below the top, and below each of them */
#define DEPTH  20
#define EACH   10 /* of which one has a setting */

static void path_of(char path[64], int branch, int leaf)
{
	if (leaf < 0)
		snprintf(path, 64, TOP "/bulk/%d", branch);
	else
		snprintf(path, 64, TOP "/bulk/%d/%d", branch, leaf);
}

/* The cpu controller is enough for a setting, and spares the time. */
static void make_one(const char *path, bool parent)
{
	char full[128];

	snprintf(full, sizeof(full), CGROUP_MOUNT "/%s", path);
	CHECK_EQ(mkdir(full, 0755), 0, "%s", path);
	if (parent)
		CHECK_EQ(cgroup_write(path, "cgroup.subtree_control", "+cpu"),
			 0);
}

/* Returns how many it made: 100 branches and 99 leaves of each. */
static int make_bulk(void)
{
	char path[64];
	int made = 1;

	make_one(TOP "/bulk", true);
	for (int branch = 0; branch < BRANCH; branch++) {
		path_of(path, branch, -1);
		make_one(path, true);
		made++;
		for (int leaf = 0; leaf < BRANCH - 1; leaf++, made++) {
			path_of(path, branch, leaf);
			make_one(path, false);
		}
	}
	return made;
}

static void remove_bulk(void)
{
	char path[64];

	for (int branch = 0; branch < BRANCH; branch++) {
		for (int leaf = 0; leaf < BRANCH - 1; leaf++) {
			path_of(path, branch, leaf);
			CHECK_EQ(cgroup_remove(path), 0, "%s", path);
		}
		path_of(path, branch, -1);
		CHECK_EQ(cgroup_remove(path), 0, "%s", path);
	}
	CHECK_EQ(cgroup_remove(TOP "/bulk"), 0);
}

/* Returns the name of the deepest; with the memory controller all the way. */
static const char *make_deep(void)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s", TOP);
	for (int depth = 2; depth < DEPTH; depth++)
		strcat(path, "/d");
	cgroup_make(path);
	return path;
}

static void remove_deep(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s", make_deep());
	for (double end = now() + 20; strcmp(path, TOP);) {
		if (!cgroup_remove(path))
			*strrchr(path, '/') = '\0';
		else
			CHECK(now() < end);
	}
}

/* A setting in every tenth leaf: in turn normal, tiering, both. */
static int setting_of(int leaf)
{
	return leaf % EACH ? -1 : 1 + leaf / EACH % 3;
}

static int set_leaves(void)
{
	char path[64];
	int set = 0;

	for (int branch = 0; branch < BRANCH; branch++)
		for (int leaf = 0; leaf < BRANCH - 1; leaf++) {
			if (setting_of(leaf) < 0)
				continue;
			path_of(path, branch, leaf);
			set_mode(path, pair_modes[setting_of(leaf)]);
			set++;
		}
	return set;
}

/* A leaf in each branch, with and without a setting of its own. */
static void check_sample(int top)
{
	char path[64];

	for (int branch = 0; branch < BRANCH; branch++) {
		int leaf = branch * 7 % (BRANCH - 1);
		int own = setting_of(leaf);

		path_of(path, branch, leaf);
		CHECK_STR(cgroup_text(path, "cpu.numab.effective"),
			  pair_modes[own < 0 ? top : own & top]);
	}
}

static int compare(const void *a, const void *b)
{
	return (*(double *)a > *(double *)b) - (*(double *)a < *(double *)b);
}

/* Write every mode at the top, more than once, and look below. */
static void write_at_top(void)
{
	double ms[11];

	for (int i = 0; i < 11; i++) {
		double start = now();

		set_mode(TOP, pair_modes[i % PAIR_MODES]);
		ms[i] = (now() - start) * 1e3;
		check_sample(i % PAIR_MODES);
	}
	qsort(ms, 11, sizeof(ms[0]), compare);
	printf("# a write at the top: median %.1f ms, %.1f to %.1f\n", ms[5],
	       ms[0], ms[10]);
}

struct count {
	const char *name;
	long long expected;
};

static bool is_count(void *arg)
{
	const struct count *count = arg;

	return status_number(count->name) == count->expected;
}

/* Groups come and go with a worker and RCU. */
static void expect(const char *name, long long expected)
{
	struct count count = { name, expected };

	if (!wait_until(is_count, &count, 30))
		test_fail(__FILE__, __LINE__, "%lld %s, not %lld",
			  status_number(name), name, expected);
}

/* A workload in the deepest cgroup, whose mode the top alone says. */
static void run_deep(const char *cgroup)
{
	struct pair p = { .t = NORMAL, .f = NORMAL };

	snprintf(p.toucher, sizeof(p.toucher), "%s", cgroup);
	snprintf(p.owner, sizeof(p.owner), "t/owns");
	set_mode(TOP, "off");
	pair_start(&p, &(struct pair_pages){ .kind = LOAD_SHMEM, .mb = 1 });
	set_mode("t/owns", "both");
	for (p.t = OFF; p.t <= BOTH; p.t++) {
		set_mode(TOP, pair_modes[p.t]);
		p.f = BOTH;
		pairs_settle(&p, 1, p.t == OFF);
	}
	pairs_stop(&p, 1);
	CHECK_EQ(cgroup_remove("t/owns"), 0);
}

TEST(large_tree, "ten thousand cgroups, a thousand of them with settings")
{
	double start;
	const char *deep;
	int made, set;

	pairs_begin();
	expect("groups", 3); /* the root's, t and t/keep */
	deep = make_deep();
	start = now();
	made = make_bulk();
	printf("# made %d cgroups in %.1f s\n", made, now() - start);
	CHECK_CMP(made, >=, 10000);
	start = now();
	set = set_leaves();
	printf("# wrote %d settings in %.1f s\n", set, now() - start);
	CHECK_EQ(set, 1000);
	expect("settings", 1 + set);
	expect("groups", 3 + made + DEPTH - 1);
	write_at_top();
	expect("settings", 1 + set + 1);
	expect("groups", 3 + made + DEPTH - 1);
	run_deep(deep);
	start = now();
	remove_bulk();
	remove_deep();
	printf("# removed them in %.1f s\n", now() - start);
	set_mode(TOP, "inherit");
	CHECK_EQ(cgroup_remove(TOP), 0);
	expect("settings", 1);
	expect("groups", 3);
}

#define STORMS 4
#define ROUNDS 250

/* A process that makes, sets and removes cgroups as fast as it can. */
static pid_t start_storm(int number)
{
	char name[32];
	pid_t pid;

	fflush(stdout);
	pid = fork();
	CHECK_CMP(pid, >=, 0);
	if (pid)
		return pid;
	for (int i = 0; i < ROUNDS; i++) {
		snprintf(name, sizeof(name), TOP "/%d-%d", number, i % 5);
		cgroup_make(name);
		set_mode(name, pair_modes[i % PAIR_MODES]);
		CHECK_EQ(cgroup_remove(name), 0);
	}
	exit(0);
}

/* Set modes above the storms until all of them have ended well. */
static int toggle_until_ended(void)
{
	int left = STORMS, writes = 0, status;

	while (left) {
		set_mode(TOP, pair_modes[writes % PAIR_MODES]);
		set_mode("t/load", writes++ % 2 ? "both" : "off");
		while (left && waitpid(-1, &status, WNOHANG) > 0) {
			CHECK_EQ(status, 0);
			left--;
		}
	}
	return writes;
}

TEST(large_storm,
     "four processes make and remove cgroups while modes change under load")
{
	struct load load = {
		.cgroup = "t/load",
		.region = { { .node = REMOTE, .mb = 4 },
			    { .node = SLOW, .mb = 4 } },
	};
	long long scans;

	pairs_begin();
	cgroup_make(TOP);
	cgroup_make("t/load");
	set_mode(TOP, "both");
	set_mode("t/load", "both");
	load_start(&load);
	expect("groups", 5); /* the root's, t, keep, top and load */
	for (int i = 0; i < STORMS; i++)
		start_storm(i);
	printf("# %d writes meanwhile\n", toggle_until_ended());
	expect("settings", 3);
	expect("groups", 5);
	set_mode("t/load", "both");
	scans = cgroup_value("t/load", "cpu.numab.stat", "scans_run");
	for (double end = now() + 20;
	     cgroup_value("t/load", "cpu.numab.stat", "scans_run") == scans;)
		CHECK(now() < end);
	load_stop(&load);
}
