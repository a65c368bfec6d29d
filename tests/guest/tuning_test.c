// SPDX-License-Identifier: GPL-2.0
/* A workload's own thresholds, sizes, periods and rates. */
#include <stdlib.h>
#include <unistd.h>

#include "process.h"
#include "test.h"

#define MB 12

static long long effective(const char *cgroup, const char *knob)
{
	return cgroup_value(cgroup, "cpu.numab.tuning", knob);
}

static void tune(const char *cgroup, const char *file, const char *text)
{
	CHECK_EQ(cgroup_write(cgroup, file, text), 0, "%s = %s", file, text);
}

static long long counted(const char *cgroup, const char *key)
{
	return cgroup_value(cgroup, "cpu.numab.stat", key);
}

TEST(tuning_nearest, "the nearest value on the way up holds, else the kernel's")
{
	static const char file[] = "cpu.numab.hot_threshold_ms";
	long long kernel;

	cgroup_make("t/a/b");
	kernel = effective("t/a/b", "hot_threshold_ms");
	CHECK_EQ(kernel, file_number("/sys/kernel/debug/sched/numa_balancing/"
				     "hot_threshold_ms"));
	CHECK_STR(cgroup_text("t/a/b", file), "default");
	tune("t/a", file, "300");
	CHECK_EQ(effective("t/a/b", "hot_threshold_ms"), 300);
	CHECK_STR(cgroup_text("t/a/b", file), "default");
	tune("t/a/b", file, "500");
	CHECK_EQ(effective("t/a/b", "hot_threshold_ms"), 500);
	CHECK_EQ(effective("t/a", "hot_threshold_ms"), 300);
	tune("t/a/b", file, "default");
	CHECK_EQ(effective("t/a/b", "hot_threshold_ms"), 300);
	tune("t/a", file, "max");
	CHECK_EQ(effective("t/a/b", "hot_threshold_ms"), 600000);
	/* A cgroup that is made later finds it too. */
	cgroup_make("t/a/b/c");
	CHECK_EQ(effective("t/a/b/c", "hot_threshold_ms"), 600000);
	CHECK_EQ(status_number("settings"), 1);
	tune("t/a", file, "default");
	CHECK_EQ(effective("t/a/b/c", "hot_threshold_ms"), kernel);
	CHECK_EQ(status_number("settings"), 0);
	expect_hooks("idle");
}

TEST(tuning_words, "what is written is read back, and rubbish changes nothing")
{
	static const char *const bad[] = { "0",	  "-1", "1.5", "0x10",
					   "x",	  "",	"5 5", "99999999999",
					   "010", " " };
	static const char *const periods[][2] = {
		{ "100", "100 default" },	  { "100 200", "100 200" },
		{ "default 300", "default 300" }, { "50 max", "50 120000" },
		{ "default", "default" },
	};
	static const char *const files[] = { "cpu.numab.hot_threshold_ms",
					     "cpu.numab.scan_size_mb",
					     "cpu.numab.promote_mbps" };

	cgroup_make("t/a");
	for (int f = 0; f < 3; f++) {
		tune("t/a", files[f], " 64\n");
		for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
			CHECK_EQ(cgroup_write("t/a", files[f], bad[i]),
				 *bad[i] ? -EINVAL : 0, "%s = \"%s\"", files[f],
				 bad[i]);
		CHECK_STR(cgroup_text("t/a", files[f]), "64");
	}
	for (unsigned int i = 0; i < sizeof(periods) / sizeof(periods[0]);
	     i++) {
		tune("t/a", "cpu.numab.scan_period_ms", periods[i][0]);
		CHECK_STR(cgroup_text("t/a", "cpu.numab.scan_period_ms"),
			  periods[i][1]);
	}
	CHECK_EQ(cgroup_write("t/a", "cpu.numab.scan_period_ms", "200 100"),
		 -EINVAL);
}

static void start(struct load *load, const char *cgroup)
{
	*load = (struct load){
		.cgroup = cgroup,
		.region = { { .node = SLOW, .mb = MB } },
	};
	load_start(load);
}

static bool is_home(void *load)
{
	return load_share(load, 0, HOME) > 99;
}

static bool is_cold(void *cgroup)
{
	return counted(cgroup, "promotions_cold") > 3 * MB * 256;
}

/* Kernel-wide the threshold is 20 s here: everything is hot. */
TEST(tuning_hot_threshold, "a threshold of its own refuses what is colder")
{
	struct load strict, loose;

	CHECK_EQ(set_sysctl("0"), 0);
	cgroup_make("t/strict");
	cgroup_make("t/loose");
	set_mode("t/strict", "tiering");
	set_mode("t/loose", "tiering");
	tune("t/strict", "cpu.numab.hot_threshold_ms", "1");
	start(&strict, "t/strict");
	start(&loose, "t/loose");
	CHECK(wait_until(is_home, &loose, 60));
	CHECK(wait_until(is_cold, "t/strict", 60));
	CHECK_CMP(load_share(&strict, 0, HOME), <, 50);
	CHECK_EQ(counted("t/loose", "promotions_cold"), 0);
	load_stop(&strict);
	load_stop(&loose);
}

TEST(tuning_hot_looser,
     "a threshold of its own promotes what the kernel's would not")
{
	static const char global[] =
		"/sys/kernel/debug/sched/numa_balancing/hot_threshold_ms";
	struct load own, kernel;
	double share;

	CHECK_EQ(set_sysctl("0"), 0);
	CHECK_EQ(file_write(global, "1", 1), 0);
	cgroup_make("t/own");
	cgroup_make("t/kernel");
	set_mode("t/own", "tiering");
	set_mode("t/kernel", "tiering");
	tune("t/own", "cpu.numab.hot_threshold_ms", "60000");
	start(&own, "t/own");
	start(&kernel, "t/kernel");
	CHECK(wait_until(is_home, &own, 60));
	share = load_share(&kernel, 0, HOME);
	printf("# under the kernel's 1 ms %.0f %% came home meanwhile\n",
	       share);
	CHECK_CMP(share, <, 90);
	CHECK_EQ(file_write(global, "20000", 5), 0);
	load_stop(&own);
	load_stop(&kernel);
}

static bool is_limited(void *cgroup)
{
	return counted(cgroup, "promotions_limited") > 0;
}

TEST(tuning_promote_rate, "a rate of its own limits a cgroup and those below")
{
	struct load slow, fast;
	double began, took;
	long long promoted;

	CHECK_EQ(set_sysctl("0"), 0);
	cgroup_make("t/slow/below");
	cgroup_make("t/fast");
	set_mode("t/slow", "tiering");
	set_mode("t/fast", "tiering");
	tune("t/slow", "cpu.numab.promote_mbps", "1");
	began = now();
	start(&slow, "t/slow/below");
	start(&fast, "t/fast");
	CHECK(wait_until(is_home, &fast, 60));
	CHECK(wait_until(is_limited, "t/slow", 30));
	promoted = cgroup_value("t/slow", "memory.stat", "pgpromote_success");
	took = now() - began;
	/* So many seconds begun, 256 pages in each. */
	CHECK_CMP(promoted, <=, 256 * ((long long)took + 2));
	CHECK_EQ(counted("t/fast", "promotions_limited"), 0);
	tune("t/slow", "cpu.numab.promote_mbps", "default");
	CHECK(wait_until(is_home, &slow, 60));
	load_stop(&slow);
	load_stop(&fast);
}

static long long marked(const char *cgroup)
{
	return cgroup_value(cgroup, "memory.stat", "numa_pte_updates");
}

struct scans {
	const char *cgroup;
	long long enough;
};

static bool has_scanned(void *arg)
{
	const struct scans *scans = arg;

	return counted(scans->cgroup, "scans_run") >= scans->enough;
}

static int write_rate(void *cgroup)
{
	return -cgroup_write(cgroup, "cpu.numab.promote_mbps", "1");
}

/*
 * A delegate may give each of his cgroups as much as he has, but all of them
 * together have no more.
 */
TEST(tuning_promote_shared, "cgroups of a delegate share the limit above them")
{
	static const char *const names[] = { "t/top/a", "t/top/b", "t/top/c",
					     "t/top/d" };
	struct load load[4];
	double began, megabytes = 0;

	CHECK_EQ(set_sysctl("0"), 0);
	for (int i = 0; i < 4; i++) {
		char path[128];

		cgroup_make(names[i]);
		snprintf(path, sizeof(path),
			 CGROUP_MOUNT "/%s/cpu.numab.promote_mbps", names[i]);
		CHECK_EQ(chown(path, 65534, 65534), 0);
	}
	tune("t/top", "cpu.numab.promote_mbps", "1");
	for (int i = 0; i < 4; i++) {
		CHECK_EQ(as_user(65534, write_rate, (void *)names[i]), 0);
		start(&load[i], names[i]);
	}
	began = now();
	set_mode("t/top", "tiering");
	while (counted("t/top", "promotions_limited") < 4 * MB * 256)
		CHECK(now() < began + 90);
	for (int i = 0; i < 4; i++)
		megabytes += load_share(&load[i], 0, HOME) * MB / 100;
	printf("# %.1f MB in %.1f s\n", megabytes, now() - began);
	/* The second that was begun, and what was under way on each CPU. */
	CHECK_CMP(megabytes, <=, now() - began + 2);
	for (int i = 0; i < 4; i++)
		load_stop(&load[i]);
}

/*
 * Memory on the home node is marked again and again in mode normal and never
 * moves. One scan of 2 MB (and the alignment to a huge page) marks at most
 * that; the kernel's own scan takes all of it at once.
 */
TEST(tuning_scan_size,
     "a size of its own bounds each scan, done by numab itself")
{
	struct load small = { .cgroup = "t/small",
			      .threads = 2,
			      .region = { { .node = HOME, .mb = 32 } } };
	struct load stock = { .cgroup = "t/stock",
			      .threads = 2,
			      .region = { { .node = HOME, .mb = 32 } } };
	struct scans small_scans = { "t/small", 20 };
	struct scans stock_scans = { "t/stock", 3 };
	long long scans;

	CHECK_EQ(set_sysctl("0"), 0);
	cgroup_make("t/small");
	cgroup_make("t/stock");
	set_mode("t/small", "normal");
	set_mode("t/stock", "normal");
	tune("t/small", "cpu.numab.scan_size_mb", "2");
	load_start(&small);
	load_start(&stock);
	CHECK(wait_until(has_scanned, &small_scans, 60));
	CHECK(wait_until(has_scanned, &stock_scans, 60));
	load_pause(&small, true);
	load_pause(&stock, true);
	scans = counted("t/small", "scans_run");
	CHECK_CMP(marked("t/small"), <=, scans * 1024);
	CHECK_CMP(marked("t/small"), >, 32 * 256 / 2); /* it gets round */
	CHECK_CMP(marked("t/stock") / counted("t/stock", "scans_run"), >, 1024);
	load_stop(&small);
	load_stop(&stock);
}

TEST(tuning_scan_moves,
     "what numab scans itself moves as what the kernel scans")
{
	struct load load = { .cgroup = "t/a",
			     .threads = 2,
			     .region = { { .node = REMOTE, .mb = MB },
					 { .node = SLOW, .mb = MB } } };

	CHECK_EQ(set_sysctl("0"), 0);
	cgroup_make("t/a");
	set_mode("t/a", "both");
	tune("t/a", "cpu.numab.scan_size_mb", "4");
	load_start(&load);
	for (double end = now() + 90; load_share(&load, 0, HOME) < 99 ||
				      load_share(&load, 1, HOME) < 99;)
		CHECK(now() < end);
	/* From one scanner to the other and back. */
	tune("t/a", "cpu.numab.scan_size_mb", "default");
	for (long long before = counted("t/a", "scans_run");
	     counted("t/a", "scans_run") < before + 3;)
		;
	tune("t/a", "cpu.numab.scan_size_mb", "4");
	for (long long before = counted("t/a", "scans_run");
	     counted("t/a", "scans_run") < before + 3;)
		;
	load_stop(&load);
}

TEST(tuning_scan_period, "bounds of its own keep a workload's scan period")
{
	struct load slow = { .cgroup = "t/slow",
			     .region = { { .node = HOME, .mb = 4 } } };
	struct load fast = { .cgroup = "t/fast",
			     .region = { { .node = HOME, .mb = 4 } } };
	struct scans fast_scans = { "t/fast", 20 };
	long long slow_scans;
	double began, took;

	CHECK_EQ(set_sysctl("0"), 0);
	cgroup_make("t/slow");
	cgroup_make("t/fast");
	set_mode("t/slow", "normal");
	set_mode("t/fast", "normal");
	tune("t/slow", "cpu.numab.scan_period_ms", "5000 60000");
	tune("t/fast", "cpu.numab.scan_period_ms", "20 50");
	load_start(&slow);
	load_start(&fast);
	began = now();
	CHECK(wait_until(has_scanned, &fast_scans, 60));
	took = now() - began;
	slow_scans = counted("t/slow", "scans_run");
	printf("# %.1f s: 20 scans every 20-50 ms, %lld every 5 s or more\n",
	       took, slow_scans);
	CHECK_CMP(slow_scans, <=, 2 + (long long)took / 5);
	load_stop(&slow);
	load_stop(&fast);
}

TEST(tuning_unload, "unloading under scans of our own waits for them")
{
	struct load load = { .cgroup = "t/a",
			     .threads = 3,
			     .region = { { .node = REMOTE, .mb = 16 },
					 { .node = SLOW, .mb = 16 } } };

	cgroup_make("t/a");
	load_start(&load);
	for (int i = 0; i < 10; i++) {
		struct scans some = { "t/a", 2 };

		set_mode("t/a", "both");
		tune("t/a", "cpu.numab.scan_size_mb", "1");
		tune("t/a", "cpu.numab.scan_period_ms", "10 10");
		CHECK(wait_until(has_scanned, &some, 30));
		CHECK_EQ(unload("numab"), 0);
		CHECK_EQ(load_numab(""), 0);
	}
	load_stop(&load);
}
