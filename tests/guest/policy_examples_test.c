// SPDX-License-Identifier: GPL-2.0
/* The policies of bpf/ do what their comments say. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "test.h"
#include "tool.h"

#define DIR "/lab/bpf/"

static void load_policy(const char *policy, const char *options)
{
	int status = tool("policy load " DIR "%s.bpf.o --cgroup /t/a %s",
			  policy, options);

	if (status)
		test_fail(__FILE__, __LINE__, "cannot load %s: %s", policy,
			  tool_output());
}

static void set_variables(const char *policy, const char *settings)
{
	int status = tool("policy set %s %s", policy, settings);

	if (status)
		test_fail(__FILE__, __LINE__, "cannot set %s: %s", settings,
			  tool_output());
}

static struct load start_load(const char *cgroup, const char *name)
{
	struct load load = {
		.cgroup = cgroup,
		.name = name,
		.region = { { .node = REMOTE, .mb = 8 },
			    { .node = SLOW, .mb = 8 } },
	};

	load_start(&load);
	return load;
}

struct home {
	struct load *load;
	int region;
};

static bool is_home(void *arg)
{
	struct home *home = arg;

	return load_share(home->load, home->region, HOME) >= 99;
}

static void expect_home(struct load *load, int region)
{
	struct home home = { load, region };

	if (!wait_until(is_home, &home, 90))
		test_fail(__FILE__, __LINE__, "%.0f %% are home of region %d",
			  load_share(load, region, HOME), region);
}

struct count {
	const char *key;
	long long more_than;
};

static bool has_count(void *arg)
{
	const struct count *count = arg;

	return cgroup_value("t/a", "cpu.numab.stat", count->key) >
	       count->more_than;
}

static void expect_growth(const char *key, int n)
{
	struct count count = { key,
			       cgroup_value("t/a", "cpu.numab.stat", key) + n };

	if (!wait_until(has_count, &count, 60))
		test_fail(__FILE__, __LINE__, "%s stays at %lld", key,
			  cgroup_value("t/a", "cpu.numab.stat", key));
}

static void begin(void)
{
	CHECK_EQ(set_sysctl("3"), 0);
	cgroup_make("t/a");
}

TEST(policy_by_name, "by_name: processes of a name are off, others are not")
{
	struct load pinned, other;

	begin();
	load_policy("by_name", "--set name=redis-server");
	pinned = start_load("t/a", "redis-server");
	other = start_load("t/a", "redis-serv");
	expect_home(&other, 0);
	expect_home(&other, 1);
	expect_growth("scans_skipped_mode", 3);
	CHECK_CMP(load_share(&pinned, 0, HOME), <, 1);
	load_stop(&pinned);
	load_stop(&other);
}

TEST(policy_too_big, "too_big: a process larger than its share is off")
{
	struct load load;

	begin();
	load_policy("too_big", "--set percent=1"); /* of some 500 MB */
	load = start_load("t/a", NULL);
	expect_growth("scans_skipped_mode", 5);
	CHECK_CMP(load_share(&load, 0, HOME), <, 1);
	CHECK_EQ(tool("policy load " DIR "too_big.bpf.o --cgroup /t/a "
		      "--replace"),
		 0, "%s", tool_output());
	expect_home(&load, 0);
	load_stop(&load);
}

TEST(policy_latency, "latency: nothing is promoted, the rest is balanced")
{
	struct load load;

	begin();
	load_policy("latency", "");
	load = start_load("t/a", NULL);
	expect_home(&load, 0);
	expect_growth("scans_run", 5);
	CHECK_CMP(load_share(&load, 1, HOME), <, 1);
	load_stop(&load);
}

/* Minutes after midnight, half an hour and more away from now. */
static int minutes_from_now(int minutes)
{
	return (time(NULL) / 60 + minutes + 1440) % 1440;
}

TEST(policy_at_night, "at_night: balancing between two times of day")
{
	struct load load;
	char settings[64];

	begin();
	snprintf(settings, sizeof(settings), "--set begin=%d --set end=%d",
		 minutes_from_now(120), minutes_from_now(180));
	load_policy("at_night", settings);
	load = start_load("t/a", NULL);
	expect_growth("scans_skipped_mode", 5);
	CHECK_CMP(load_share(&load, 0, HOME), <, 1);
	/* Two hours east of here it is that time. */
	set_variables("at_night", "offset=150");
	expect_home(&load, 0);
	load_stop(&load);
}

TEST(policy_dram_share, "dram_share: promotion up to a share of fast memory")
{
	struct load load;

	begin();
	load_policy("dram_share", "--set megabytes=1");
	load = start_load("t/a", NULL);
	expect_home(&load, 0);
	expect_growth("scans_run", 5);
	CHECK_CMP(load_share(&load, 1, HOME), <, 1);
	set_variables("dram_share", "megabytes=12");
	for (double end = now() + 60; load_share(&load, 1, HOME) < 10;)
		CHECK(now() < end);
	expect_growth("scans_run", 5);
	CHECK_CMP(load_share(&load, 1, HOME), <, 90);
	set_variables("dram_share", "megabytes=64");
	expect_home(&load, 1);
	load_stop(&load);
}

/* Back and forth, as threads of two nodes would have it, by the administrator. */
TEST(policy_thrash_guard, "thrash_guard: who gains nothing by moving rests")
{
	struct load load;
	struct count rests = { "scans_skipped_mode", 3 };

	begin();
	load_policy("thrash_guard", "");
	load = start_load("t/a", NULL);
	/* Coming home is no thrashing. */
	expect_home(&load, 0);
	expect_home(&load, 1);
	expect_growth("scans_run", 5);
	CHECK_EQ(cgroup_value("t/a", "cpu.numab.stat", "scans_skipped_mode"),
		 0);
	for (double end = now() + 180; !has_count(&rests);) {
		CHECK_CMP(now(), <, end, "it never rests");
		if (load_share(&load, 0, HOME) > 90) {
			load_move(&load, 0, REMOTE);
			load_move(&load, 1, REMOTE);
		}
	}
	load_stop(&load);
}
