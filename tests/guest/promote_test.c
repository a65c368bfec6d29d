// SPDX-License-Identifier: GPL-2.0
/* Promotion that filters for placement do not stop. */
#include <linux/mempolicy.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../lab/guest/server.h"
#include "test.h"

#define DISK	"/tmp/disk"
#define SWITCH	"/sys/module/numab/parameters/promotion_scans"
#define SHARE	"/sys/module/numab/parameters/promotion_share"
#define MB	8
#define PAGES	256 /* in a MB */
#define HOT_END SERVER_COLD

static long long counted(const char *key)
{
	return cgroup_value("t/server", "cpu.numab.stat", key);
}

static long long kernel_counted(const char *key)
{
	return cgroup_value("t/server", "memory.stat", key);
}

static bool vetoes_folios(void)
{
	return strcmp(point_state("folio_can_map_prot_numa"), "absent");
}

static void write_parameter(const char *path, const char *text)
{
	CHECK_EQ(file_write(path, text, strlen(text)), 0, "%s = %s", path,
		 text);
}

/* A disk, a cgroup, and small scans, so that a sweep takes several. */
static void prepare(void)
{
	int err;

	umount2(DISK, MNT_DETACH);
	err = load_brd("rd_nr=1 rd_size=65536");
	CHECK(!err || err == -EEXIST);
	server_disk_mount(DISK);
	write_parameter(SWITCH, "1");
	write_parameter(SHARE, "25");
	write_parameter(SCANS "scan_size_mb", "32");
	CHECK_EQ(set_sysctl("0"), 0);
	cgroup_make("t/server");
}

static void begin(const char *mode)
{
	prepare();
	set_mode("t/server", mode);
}

static bool is_put_away(void *unused)
{
	(void)unused;
	return (!umount(DISK) || errno == EINVAL) && !unload("brd");
}

/* The mates are nobody's children any more: they take a moment to be gone. */
static void end(struct server *server)
{
	server_stop(server);
	CHECK(wait_until(is_put_away, NULL, 30));
}

/* Many threads, so that the kernel does not force scans of idle mappings. */
static struct server server_of(int mates)
{
	return (struct server){
		.cgroup = "t/server",
		.disk = DISK,
		.cpu_node = HOME,
		.node = SLOW,
		.workers = 2,
		.sleepers = 30,
		.mates = mates,
		.mb = { MB, MB, MB, 4 * MB },
	};
}

static bool is_home(const struct server *server, enum server_region region)
{
	return !server->mb[region] || server_share(server, region, SLOW) < 5;
}

static bool table_is_home(void *server)
{
	return is_home(server, SERVER_TABLE);
}

static bool hot_is_home(void *server)
{
	for (int i = 0; i < HOT_END; i++)
		if (!is_home(server, i))
			return false;
	return true;
}

static bool hot_is_home_wholly(void *arg)
{
	const struct server *server = arg;

	for (int i = 0; i < HOT_END; i++)
		if (server->mb[i] && server_share(server, i, SLOW) > 0)
			return false;
	return true;
}

/* The kernel's first two sweeps go everywhere: have them over, start anew. */
static void start_late(struct server *server)
{
	server_start(server);
	server_touch(server, true);
	CHECK(wait_until(table_is_home, server, 60));
	for (int i = 0; i < HOT_END; i++)
		if (server->mb[i])
			server_place(server, i);
}

static bool is_hooked(void *wanted)
{
	return is_traced("migrate_misplaced_folio_prepare") == *(bool *)wanted;
}

/* The point that is hooked for nothing else; letting go takes a while. */
static void expect_hooked(bool hooked)
{
	if (!wait_until(is_hooked, &hooked, 20))
		test_fail(__FILE__, __LINE__, "still hooked: %d", !hooked);
}

struct enough {
	const char *key;
	long long value;
};

static bool is_enough(void *arg)
{
	const struct enough *enough = arg;

	return counted(enough->key) >= enough->value;
}

/* Wait until a counter has grown by so much. */
static void wait_for(const char *key, long long more)
{
	struct enough enough = { key, counted(key) + more };

	if (!wait_until(is_enough, &enough, 120))
		test_fail(__FILE__, __LINE__, "%s is %lld, not %lld", key,
			  counted(key), enough.value);
}

/*
 * On 6.12 nothing promotes text that several processes map. A sweep looks at
 * everything once; the mates' address spaces have theirs, too.
 */
TEST(promote_server, "hot memory behind the filters comes home in three sweeps")
{
	struct server server;
	long long before, looked, sweep;

	begin("tiering");
	server = server_of(vetoes_folios() ? 1 : 0);
	start_late(&server);
	before = counted("promotion_scan_bytes");
	CHECK(wait_until(hot_is_home, &server, 60));
	looked = counted("promotion_scan_bytes") - before;
	sweep = (3LL * MB + 4 * MB) << 20;
	printf("# looked at %lld MB, a sweep is %lld MB\n", looked >> 20,
	       sweep >> 20);
	CHECK_CMP(looked, <=, 3 * sweep * (1 + server.mates));
	CHECK_CMP(server_share(&server, SERVER_COLD, SLOW), >=, 95);
	CHECK_CMP(counted("promotion_marks"), >, 0);
	/* What has come home is left alone from then on. */
	CHECK(wait_until(hot_is_home_wholly, &server, 60));
	before = kernel_counted("numa_hint_faults");
	wait_for("promotion_scans_run", 20);
	CHECK_CMP(kernel_counted("numa_hint_faults") - before, <, 64);
	end(&server);
}

/* The text has pages that the fault refuses where one is not told of it. */
TEST(promote_shared_text, "program text that many processes run comes home")
{
	struct server server;

	if (!vetoes_folios())
		test_skip("marking does not ask for each folio");
	begin("tiering");
	server = server_of(3);
	server.mb[SERVER_FILE] = server.mb[SERVER_COLD] = 0;
	start_late(&server);
	CHECK(wait_until(hot_is_home, &server, 120));
	end(&server);
}

TEST(promote_switch, "without these scans it stays; the switch acts at once")
{
	struct server server;

	/* Before the gates: a point that is hooked with them stays with them. */
	prepare();
	write_parameter(SWITCH, "0");
	/* Those of an earlier case take a while to be let go. */
	expect_hooked(false);
	set_mode("t/server", "tiering");
	server = server_of(0);
	start_late(&server);
	wait_for("scans_run", 20);
	CHECK_CMP(server_share(&server, SERVER_FILE, SLOW), ==, 100);
	CHECK_CMP(server_share(&server, SERVER_TEXT, SLOW), ==, 100);
	CHECK_EQ(counted("promotion_scans_run"), 0);
	expect_hooked(false);
	write_parameter(SWITCH, "1");
	expect_hooked(true);
	CHECK(wait_until(hot_is_home, &server, 60));
	end(&server);
}

/* What is hooked and that it works, with no setting at all. */
TEST(promote_default, "the sysctl alone is enough, and hooks what it takes")
{
	struct server server;
	long long before;

	begin("inherit");
	CHECK_EQ(set_sysctl("1"), 0);
	expect_hooked(false);
	CHECK_EQ(set_sysctl("2"), 0);
	expect_hooked(true);
	CHECK_STR(point_state("task_numa_work"), "live");
	CHECK_STR(point_state("mpol_misplaced"), "idle");
	CHECK_STR(point_state("task_numa_fault"), "idle");
	server = server_of(0);
	start_late(&server);
	CHECK(wait_until(hot_is_home, &server, 60));
	CHECK_CMP(counted("promotion_scans_run"), >, 0);
	write_parameter(SWITCH, "0");
	expect_hooked(false);
	before = counted("promotion_scans_run");
	server_place(&server, SERVER_FILE);
	write_parameter(SWITCH, "1");
	expect_hooked(true);
	wait_for("promotion_scans_run", 1);
	CHECK_CMP(counted("promotion_scans_run"), >, before);
	CHECK_EQ(set_sysctl("1"), 0);
	expect_hooked(false);
	end(&server);
}

/*
 * All of the server is in the top tier; something else lies on the slow node,
 * so that there are passes. In mode tiering the kernel marks nothing there.
 */
TEST(promote_top_tier, "not one page of the top tier is marked for it")
{
	struct load slow = { .cgroup = "t/slow",
			     .region = { { .node = SLOW, .mb = 4 } } };
	struct server server;

	begin("tiering");
	cgroup_make("t/slow");
	set_mode("t/slow", "off");
	load_start(&slow);
	if (vetoes_folios()) {
		/* The kernel itself marks the top tier, too. */
		cgroup_make("t/both");
		set_mode("t/both", "both");
	}
	server = server_of(1);
	server.node = HOME;
	server_start(&server);
	server_touch(&server, true);
	wait_for("promotion_scans_run", 30);
	if (vetoes_folios())
		CHECK_CMP(counted("promotion_scan_bytes"), >, 3 * MB << 20);
	CHECK_EQ(counted("promotion_marks"), 0);
	CHECK_EQ(kernel_counted("numa_pte_updates"), 0);
	CHECK_EQ(kernel_counted("numa_hint_faults"), 0);
	load_stop(&slow);
	end(&server);
}

/* Pages marked while nobody touches: each at most once, until nothing is new. */
static long long marked_while_idle(struct server *server)
{
	long long before = kernel_counted("numa_pte_updates");

	server_touch(server, false);
	for (long long last = -1, n = 0; n < 3;) {
		long long marks;

		wait_for("scans_run", 5);
		marks = kernel_counted("numa_pte_updates") - before;
		n = marks == last ? n + 1 : 0;
		last = marks;
	}
	before = kernel_counted("numa_pte_updates") - before;
	return before;
}

/*
 * In mode both, with file and text on another node of the top tier: what a
 * stock kernel leaves unmarked there stays so. Its faults would show it.
 */
TEST(promote_top_tier_both, "nor in mode both, of what placement leaves alone")
{
	struct load slow = { .cgroup = "t/slow",
			     .region = { { .node = SLOW, .mb = 4 } } };
	struct server server;
	long long faults, marks;

	if (!vetoes_folios())
		test_skip("there are no such scans in mode both");
	begin("both");
	cgroup_make("t/slow");
	set_mode("t/slow", "off");
	load_start(&slow);
	server = server_of(1);
	server.node = REMOTE;
	server.mb[SERVER_TABLE] = server.mb[SERVER_COLD] = 0;
	server_start(&server);
	marks = marked_while_idle(&server);
	faults = kernel_counted("numa_hint_faults");
	server_touch(&server, true);
	wait_for("promotion_scans_run", 20);
	faults = kernel_counted("numa_hint_faults") - faults;
	printf("# %lld pages of its own were marked, %lld faults\n", marks,
	       faults);
	/* The rest of the process is stacks and the program's data. */
	CHECK_CMP(faults, <, MB * PAGES / 4);
	CHECK_EQ(counted("promotion_marks"), 0);
	CHECK_EQ(server_share(&server, SERVER_FILE, REMOTE), 100);
	CHECK_EQ(server_share(&server, SERVER_TEXT, REMOTE), 100);
	load_stop(&slow);
	end(&server);
}

/* The share holds over many passes, in bytes looked at. */
static void check_share(int scan_mb, int percent)
{
	long long passes = counted("promotion_scans_run");
	long long bytes = counted("promotion_scan_bytes");
	long long scans = counted("scans_run");

	wait_for("promotion_scans_run", 20);
	/* A pass that is under way may be counted in one and not the other. */
	bytes = counted("promotion_scan_bytes") - bytes;
	passes = counted("promotion_scans_run") - passes + 1;
	scans = counted("scans_run") - scans;
	printf("# %d %% of %d MB: %lld kB in a pass, %lld scans\n", percent,
	       scan_mb, (bytes >> 10) / passes, scans);
	CHECK_CMP(bytes, <=, (passes * scan_mb << 20) * percent / 100);
	/* Without a hook on folios, what is marked already is not seen. */
	if (vetoes_folios())
		CHECK_CMP(bytes, >, 0);
	/* One pass in a period of the kernel's scan, which is not put off. */
	CHECK_CMP(passes, <=, scans + 3);
}

TEST(promote_budget, "a pass takes no more than its share, one in a period")
{
	struct server server;

	begin("tiering");
	server = server_of(0);
	server.mb[SERVER_COLD] = 32 * MB;
	server_start(&server);
	server_touch(&server, true);
	check_share(32, 25);
	write_parameter(SHARE, "50");
	check_share(32, 50);
	write_parameter(SCANS "scan_size_mb", "16");
	check_share(16, 50);
	CHECK_EQ(file_write(SHARE, "0", 1), -EINVAL);
	CHECK_EQ(file_write(SHARE, "101", 3), -EINVAL);
	end(&server);
}

static long long mappings_of(pid_t pid)
{
	char path[64], line[512];
	long long n = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "r");
	CHECK(maps);
	while (fgets(line, sizeof(line), maps))
		n++;
	fclose(maps);
	return n;
}

static bool file_is_home(void *server)
{
	return is_home(server, SERVER_FILE);
}

/* The bound is that of decide/promote.h; budget 8 MB, quantum 2 MB. */
TEST(promote_fair, "a mapping a hundred times larger makes no other one wait")
{
	struct server server;
	long long before, passes, bound;

	begin("tiering");
	server = server_of(0);
	server.sleepers = 6;
	server.mb[SERVER_COLD] = 0;
	server.mb[SERVER_GIANT] = 100 * MB * 2;
	start_late(&server);
	CHECK(wait_until(hot_is_home, &server, 120));
	/* And up to 3 passes, since nothing was found there for long. */
	bound = 4 + MB / 2 * (mappings_of(server.pid) / 4 + 1);
	server_place(&server, SERVER_FILE);
	before = counted("promotion_scans_run");
	CHECK(wait_until(file_is_home, &server, 120));
	passes = counted("promotion_scans_run") - before;
	printf("# %lld passes of at most %lld\n", passes, bound);
	CHECK_CMP(passes, <=, bound);
	end(&server);
}

static long long node_free_kb(int node)
{
	char path[96], line[128];
	long long kb = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/meminfo",
		 node);
	file = fopen(path, "r");
	CHECK(file);
	while (kb < 0 && fgets(line, sizeof(line), file))
		sscanf(line, "Node %*d MemFree: %lld kB", &kb);
	fclose(file);
	return kb;
}

/* Take all that a node gives, and what is beyond that from others. */
static pid_t fill_node(int node)
{
	size_t len = (node_free_kb(node) + 32 * 1024) << 10;
	unsigned long mask = 1UL << node;
	int pipes[2];
	char byte;
	pid_t pid;

	CHECK_EQ(pipe(pipes), 0);
	fflush(stdout);
	pid = fork();
	CHECK_CMP(pid, >=, 0);
	if (!pid) {
		char *base = mmap(NULL, len, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		cgroup_join("t/hog", getpid());
		syscall(SYS_set_mempolicy, MPOL_PREFERRED, &mask, 64);
		for (size_t at = 0; at < len; at += 4096)
			base[at] = 1;
		CHECK_EQ(write(pipes[1], "", 1), 1);
		for (;;)
			pause();
	}
	CHECK_EQ(read(pipes[0], &byte, 1), 1);
	return pid;
}

/* Each mark is one fault at most, and passes have a budget of pages. */
TEST(promote_full_node, "a fast node that is full makes no storm of faults")
{
	struct server server;
	long long faults, marks, passes;
	pid_t hog;

	begin("tiering");
	cgroup_make("t/hog");
	set_mode("t/hog", "off");
	server = server_of(0);
	start_late(&server);
	hog = fill_node(HOME);
	for (int i = 0; i < HOT_END; i++)
		server_place(&server, i);
	faults = kernel_counted("numa_hint_faults");
	marks = kernel_counted("numa_pte_updates");
	passes = counted("promotion_scans_run");
	wait_for("promotion_scans_run", 30);
	faults = kernel_counted("numa_hint_faults") - faults;
	marks = kernel_counted("numa_pte_updates") - marks;
	passes = counted("promotion_scans_run") - passes;
	printf("# full: %lld faults, %lld marks in %lld passes, file %.0f %%\n",
	       faults, marks, passes, server_share(&server, SERVER_FILE, SLOW));
	CHECK_CMP(faults, <=, marks + 3 * MB * PAGES);
	/* Budget 8 MB, and the kernel's own 32 MB. */
	CHECK_CMP(marks, <=, (passes + 1) * (8 + 32) * PAGES);
	CHECK_EQ(kill(hog, SIGKILL), 0);
	waitpid(hog, NULL, 0);
	CHECK(wait_until(hot_is_home, &server, 120));
	end(&server);
}

static unsigned long touched_before;

/* It counts folios, and those of a file are large on newer kernels. */
static bool file_was_cold(void)
{
	return counted("promotions_cold") > MB * PAGES / 16;
}

static bool was_touched(void *arg)
{
	struct server *server = arg;

	return server_passes(server) > touched_before;
}

/*
 * Touch what was marked some scans ago. Who is touching already when it is
 * marked takes the fault in the same tick, and is hot.
 */
static void touch_late(struct server *server)
{
	server_touch(server, false);
	wait_for("promotion_scans_run", 4);
	touched_before = server_passes(server);
	server_touch(server, true);
	CHECK(wait_until(was_touched, server, 30));
}

TEST(promote_threshold, "a workload's own hot threshold holds here, too")
{
	struct server server;

	begin("tiering");
	CHECK_EQ(cgroup_write("t/server", "cpu.numab.hot_threshold_ms", "1"),
		 0);
	server = server_of(0);
	server.mb[SERVER_TABLE] = server.mb[SERVER_TEXT] = 0;
	server_start(&server);
	for (int i = 0; i < 20 && !file_was_cold(); i++)
		touch_late(&server);
	printf("# %lld cold, %lld marks\n", counted("promotions_cold"),
	       counted("promotion_marks"));
	CHECK(file_was_cold());
	CHECK_CMP(server_share(&server, SERVER_FILE, SLOW), >, 50);
	end(&server);
}

TEST(promote_unload, "unloading under these scans waits for them")
{
	struct server server;

	begin("tiering");
	write_parameter(SCANS "scan_period_min_ms", "10");
	write_parameter(SCANS "scan_period_max_ms", "10");
	server = server_of(1);
	server_start(&server);
	server_touch(&server, true);
	for (int i = 0; i < 10; i++) {
		set_mode("t/server", i % 2 ? "both" : "tiering");
		wait_for(i % 2 && !vetoes_folios() ? "scans_run" :
						     "promotion_scans_run",
			 3);
		CHECK_EQ(unload("numab"), 0);
		CHECK(!is_traced("migrate_misplaced_folio_prepare"));
		CHECK_EQ(load_numab(""), 0);
	}
	CHECK_EQ(load_numab("promotion_scans=0"), -EEXIST);
	CHECK_EQ(unload("numab"), 0);
	CHECK_EQ(load_numab("promotion_scans=0 promotion_share=10"), 0);
	CHECK_EQ(set_sysctl("2"), 0);
	expect_hooked(false);
	write_parameter(SWITCH, "1");
	expect_hooked(true);
	CHECK_EQ(unload("numab"), 0);
	CHECK_EQ(load_numab(""), 0);
	end(&server);
}
