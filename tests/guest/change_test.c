// SPDX-License-Identifier: GPL-2.0
/* Settings that change while workloads run. */
#include <stdlib.h>
#include <unistd.h>

#include "test.h"

static struct load load = {
	.cgroup = "t/w",
	.region = { { .node = REMOTE, .mb = 12 }, { .node = SLOW, .mb = 12 } },
};

static long long marked(void)
{
	return cgroup_value("t/w", "memory.stat", "numa_pte_updates");
}

static long long scans(void)
{
	return cgroup_value("t/w", "cpu.numab.stat", "scans_run");
}

static long long skips(void)
{
	return cgroup_value("t/w", "cpu.numab.stat", "scans_skipped_mode");
}

struct progress {
	long long (*count)(void);
	long long from;
};

static bool has_moved(void *arg)
{
	const struct progress *progress = arg;

	return progress->count() > progress->from;
}

/* Wait until a count has moved past what it is now. */
static bool moves_on(long long (*count)(void), double seconds)
{
	struct progress progress = { count, count() };

	return wait_until(has_moved, &progress, seconds);
}

static void begin(const char *mode)
{
	CHECK_EQ(set_sysctl("0"), 0);
	/* Another's need keeps the kernel's machinery on throughout. */
	cgroup_make("t/keep");
	set_mode("t/keep", "both");
	cgroup_make("t/w");
	set_mode("t/w", mode);
	load_start(&load);
}

TEST(change_on_and_off, "a changed mode is in force within a second")
{
	/* The guest has two host CPUs for four: give its second some room. */
	const double second = 4;

	begin("both");
	CHECK(moves_on(scans, 30));
	for (int i = 0; i < 5; i++) {
		long long before;

		set_mode("t/w", "off");
		CHECK(moves_on(skips, second)); /* the next scan was stopped */
		/* Of the machine, since memory.stat may lag behind. */
		before = vmstat("numa_pte_updates");
		CHECK(moves_on(skips, 30));
		CHECK(moves_on(skips, 30));
		CHECK_EQ(vmstat("numa_pte_updates"), before,
			 "nothing is marked while off");
		set_mode("t/w", "both");
		CHECK(moves_on(scans, second));
	}
	load_stop(&load);
}

static long home_pages(void)
{
	long remote[3], slow[3];

	load_where(&load, 0, remote, 3);
	load_where(&load, 1, slow, 3);
	return remote[HOME] + slow[HOME];
}

TEST(change_leftovers,
     "hint faults left by an earlier mode move and count nothing")
{
	static const char key[] = "hint_faults_uncounted";
	long long uncounted;
	long home;

	begin("both");
	CHECK(moves_on(marked, 30));
	load_pause(&load, true);
	set_mode("t/w", "off");
	home = home_pages();
	uncounted = cgroup_value("t/w", "cpu.numab.stat", key);
	load_pause(&load, false);
	CHECK(moves_on(skips, 30));
	CHECK_EQ(home_pages(), home);
	printf("# %lld leftover faults were not counted\n",
	       cgroup_value("t/w", "cpu.numab.stat", key) - uncounted);
	load_stop(&load);
}

/* numa_preferred_nid, as /proc/PID/sched has it. */
static int preferred_node(pid_t pid)
{
	static char text[16384];
	char path[64], *at;

	snprintf(path, sizeof(path), "/proc/%d/sched", pid);
	if (file_read(path, text, sizeof(text)))
		die("cannot read %s", path);
	at = strstr(text, "numa_preferred_nid");
	CHECK(at);
	at = strchr(at, ':');
	CHECK(at);
	return atoi(at + 1);
}

static bool has_preferred_node(void *arg)
{
	return (preferred_node(load.pid) >= 0) == *(bool *)arg;
}

TEST(change_preferred_node,
     "a task that is switched off loses its preferred node")
{
	bool yes = true, no = false;

	begin("normal");
	CHECK(wait_until(has_preferred_node, &yes, 60));
	set_mode("t/w", "off");
	CHECK(wait_until(has_preferred_node, &no, 10));
	load_stop(&load);
}

TEST(change_storm,
     "ten thousand changes under load leave what the last one said")
{
	static const char *const modes[] = { "off", "both", "normal", "tiering",
					     "inherit" };

	begin("both");
	for (int i = 0; i < 10000; i++)
		set_mode("t/w", modes[i % 5]);
	CHECK_EQ(status_number("settings"), 1);
	set_mode("t/keep", "inherit");
	CHECK_EQ(status_number("settings"), 0);
	CHECK_EQ(status_number("running"), 0);
	set_mode("t/w", "both");
	CHECK(moves_on(scans, 10));
	load_stop(&load);
}

TEST(change_moving_task, "a task has the mode of the cgroup it moves to")
{
	begin("both");
	cgroup_make("t/off");
	set_mode("t/off", "off");
	CHECK(moves_on(scans, 30));
	cgroup_join("t/off", load.pid);
	for (long long before = cgroup_value("t/off", "cpu.numab.stat",
					     "scans_skipped_mode");
	     cgroup_value("t/off", "cpu.numab.stat", "scans_skipped_mode") <
	     before + 2;)
		usleep(20000);
	cgroup_join("t/w", load.pid);
	CHECK(moves_on(scans, 10));
	load_stop(&load);
}
