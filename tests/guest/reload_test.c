// SPDX-License-Identifier: GPL-2.0
/* Loading and unloading as an ordinary operation, under load. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#define LOADS 2

/* Unload with tasks inside the gates, settings in place, writers at work. */
TEST(reload_cycles,
     "a hundred loads and unloads under load leave stock behaviour")
{
	struct load loads[LOADS];
	long long before;
	char name[16];

	cgroup_make("t/empty");
	for (int i = 0; i < LOADS; i++) {
		snprintf(name, sizeof(name), "t/w%d", i);
		cgroup_make(name);
		loads[i] = (struct load){
			.cgroup = strdup(name),
			.cpu_node = -1,
			.region = { { .node = REMOTE, .mb = 8 },
				    { .node = SLOW, .mb = 8 } },
		};
		load_start(&loads[i]);
	}
	CHECK_EQ(set_sysctl("1"), 0);
	for (int i = 0; i < 100; i++) {
		set_mode("t/w0", i % 2 ? "both" : "normal");
		set_mode("t/w1", "tiering");
		set_mode("t/empty", i % 3 ? "off" : "inherit");
		CHECK_EQ(unload("numab"), 0, "cycle %d", i);
		CHECK_EQ(file_number(SYSCTL), 1);
		CHECK(!cgroup_has("t/w0", "cpu.numab.mode"));
		CHECK_EQ(load_numab(""), 0, "cycle %d", i);
	}
	CHECK_EQ(unload("numab"), 0);
	CHECK(!is_traced("task_numa_work"));
	before = vmstat("numa_hint_faults");
	for (double end = now() + 30; vmstat("numa_hint_faults") == before;)
		CHECK(now() < end); /* the stock kernel balances again */
	for (int i = 0; i < LOADS; i++)
		load_stop(&loads[i]);
}

static void write_for_ever(void)
{
	for (;;) {
		cgroup_write("t/w", "cpu.numab.mode", "both");
		set_sysctl("2");
		cgroup_write("t/w", "cpu.numab.mode", "off");
		set_sysctl("0");
	}
}

TEST(reload_with_writers,
     "unloading while files and the sysctl are being written")
{
	pid_t writer;

	cgroup_make("t/w");
	fflush(stdout);
	writer = fork();
	if (!writer)
		write_for_ever();
	for (int i = 0; i < 10; i++) {
		CHECK_EQ(unload("numab"), 0);
		CHECK_EQ(load_numab(""), 0);
	}
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
}
