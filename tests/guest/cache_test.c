// SPDX-License-Identifier: GPL-2.0
/*
 * Cache-aware scheduling, on real scheduling: on which of two last-level caches
 * (8 MB each, CPUs 0-3 and 4-7) the threads of a process run. Three threads on
 * eight CPUs are spread by two to one when nobody gathers them, and are all on
 * one side when the kernel does.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../lab/guest/stream.h"
#include "process.h"
#include "test.h"

#define TWO_NODES "2s+2llc"
#define ONE_NODE  "1n+2llc"

#define THREADS 3
#define SMALL	2  /* MB: fits */
#define BIG	96 /* MB: does not */
#define LOOKS	60

/* Percent of the looks on one of the caches. */
#define GATHERED 90
#define SPREAD	 80

#define KNOBS "/sys/kernel/debug/sched/llc_balancing/"
#define GATE  "/sys/module/numab/parameters/cache_gate"

static bool kernel_has_it(void)
{
	return !access(KNOBS "enabled", F_OK);
}

static void need_it(void)
{
	if (!kernel_has_it())
		test_skip("this kernel does not schedule by caches");
}

static void write_to(const char *path, const char *text)
{
	int err = file_write(path, text, strlen(text));

	if (err)
		test_fail(__FILE__, __LINE__, "cannot write %s to %s: %s", text,
			  path, strerror(-err));
}

/*
 * As slowly as on a real machine: no sweep ends within a case. Where threads
 * have a preferred node by the time they are to be gathered again, the kernel
 * gives way to that.
 */
static void scan_slowly(void)
{
	write_to(SCANS "scan_delay_ms", "1000");
	write_to(SCANS "scan_size_mb", "1");
	write_to(SCANS "scan_period_min_ms", "1000");
}

static double share(const struct stream *stream)
{
	double first = stream_share(stream, 0, 3, LOOKS);

	return first > 50 ? first : 100 - first;
}

static bool is_gathered(void *stream)
{
	return share(stream) > GATHERED;
}

static bool is_spread(void *stream)
{
	return share(stream) < SPREAD;
}

static void expect_gathered(struct stream *stream)
{
	if (!wait_until(is_gathered, stream, 60))
		test_fail(__FILE__, __LINE__,
			  "not gathered: %.0f %% on one cache", share(stream));
	printf("# gathered: %.0f %% on one cache\n", share(stream));
}

static void expect_spread(struct stream *stream)
{
	if (!wait_until(is_spread, stream, 60))
		test_fail(__FILE__, __LINE__,
			  "not spread: %.0f %% on one cache", share(stream));
	printf("# spread: %.0f %% on one cache\n", share(stream));
}

static void start(struct stream *stream, const char *cgroup, int mb)
{
	*stream = (struct stream){ .cgroup = cgroup,
				   .threads = THREADS,
				   .mb = mb };
	if (cgroup)
		cgroup_make(cgroup);
	stream_start(stream);
}

/* Give the kernel a second, then look three times. */
static void check_spread(struct stream *stream, const char *what)
{
	sleep(1);
	for (int i = 0; i < 3; i++) {
		double percent = share(stream);

		printf("# %s: %.0f %% on one cache\n", what, percent);
		CHECK_CMP((int)percent, <, SPREAD, "%s", what);
	}
}

static long long refused(const char *why)
{
	char key[64];

	snprintf(key, sizeof(key), "gathers_refused_%s", why);
	return status_stat(key);
}

/* A value that numab shows of a process, as text; or NULL. */
static const char *fact(const struct stream *stream, const char *key)
{
	static char text[65536];
	char mark[32], *at, *line;
	size_t len = strlen(key);

	if (file_read("/sys/kernel/debug/numab/cache", text, sizeof(text)))
		die("cannot read what numab knows of processes");
	snprintf(mark, sizeof(mark), "pid %d\n", stream->pid);
	at = strstr(text, mark);
	if (!at)
		return NULL;
	for (line = strtok(at, "\n"); line; line = strtok(NULL, "\n"))
		if (!strncmp(line, key, len) && line[len] == ' ')
			return line + len + 1;
	return NULL;
}

static long long number_of(const struct stream *stream, const char *key)
{
	const char *text = fact(stream, key);

	return text ? atoll(text) : -1;
}

static void stock(const char *sysctl)
{
	struct stream stream;

	need_it();
	CHECK_EQ(unload("numab"), 0);
	scan_slowly();
	CHECK_EQ(set_sysctl(sysctl), 0);
	start(&stream, NULL, BIG);
	expect_gathered(&stream);
	stream_stop(&stream);
}

TEST_ON(TWO_NODES, cache_stock_on,
	"a stock kernel gathers threads that stream through 12 times the cache")
{
	stock("1");
}

TEST_ON(TWO_NODES, cache_stock_off, "the same with balancing off")
{
	stock("0");
}

TEST_ON(ONE_NODE, cache_stock_one_node, "the same on a machine without NUMA")
{
	stock("0");
}

TEST_ON(TWO_NODES, cache_rss_on,
	"with numab they are not gathered before the first sweep is over")
{
	struct stream stream;

	need_it();
	scan_slowly();
	start(&stream, "t/a", BIG);
	check_spread(&stream, "on");
	CHECK_STR(fact(&stream, "verdict"), "rss_exceeds");
	CHECK_EQ(number_of(&stream, "footprint"), 0);
	CHECK_EQ(number_of(&stream, "cpu"), -1);
	CHECK_CMP(refused("rss"), >, 0);
	CHECK_CMP(cgroup_value("t/a", "cpu.numab.stat", "gathers_refused_rss"),
		  >, 0);
	stream_stop(&stream);
}

TEST_ON(TWO_NODES, cache_rss_off, "nor with balancing off for all")
{
	struct stream stream;

	need_it();
	CHECK_EQ(set_sysctl("0"), 0);
	start(&stream, NULL, BIG);
	check_spread(&stream, "off");
	CHECK_STR(fact(&stream, "verdict"), "rss_exceeds");
	stream_stop(&stream);
}

TEST_ON(TWO_NODES, cache_rss_off_by_cgroup,
	"nor where a cgroup is off, whatever was known before")
{
	struct stream stream;

	need_it();
	cgroup_make("t/a");
	start(&stream, "t/a", BIG);
	for (double end = now() + 60; number_of(&stream, "estimated") != 1;)
		CHECK(now() < end);
	set_mode("t/a", "off");
	check_spread(&stream, "off by cgroup");
	CHECK_STR(fact(&stream, "verdict"), "rss_exceeds");
	stream_stop(&stream);
}

TEST_ON(ONE_NODE, cache_rss_one_node, "nor on a machine without NUMA")
{
	struct stream stream;

	need_it();
	start(&stream, NULL, BIG);
	check_spread(&stream, "one node, on");
	CHECK_EQ(set_sysctl("0"), 0);
	check_spread(&stream, "one node, off");
	CHECK_CMP(refused("rss"), >, 0);
	stream_stop(&stream);
}

static bool has_estimate(void *stream)
{
	const char *verdict = fact(stream, "verdict");

	return verdict && !strcmp(verdict, "footprint_exceeds");
}

TEST_ON(TWO_NODES, cache_footprint,
	"once a sweep is over, the faults of the present one count")
{
	struct stream stream;
	long long before;

	need_it();
	start(&stream, "t/a", BIG);
	CHECK(wait_until(has_estimate, &stream, 60));
	printf("# footprint %lld kB, in this sweep %lld kB\n",
	       number_of(&stream, "footprint") >> 10,
	       number_of(&stream, "in_sweep") >> 10);
	before = refused("footprint");
	check_spread(&stream, "estimated");
	CHECK_CMP(refused("footprint"), >, before);
	stream_stop(&stream);
}

static void gather_small(const char *sysctl)
{
	struct stream stream;

	need_it();
	scan_slowly();
	CHECK_EQ(set_sysctl(sysctl), 0);
	start(&stream, NULL, SMALL);
	expect_gathered(&stream);
	CHECK_STR(fact(&stream, "verdict"), "rss_fits");
	CHECK_CMP(number_of(&stream, "cpu"), >=, 0);
	stream_stop(&stream);
}

TEST_ON(TWO_NODES, cache_small, "a process that fits is gathered as before")
{
	gather_small("0");
	gather_small("1");
}

TEST_ON(ONE_NODE, cache_small_one_node, "the same without NUMA")
{
	gather_small("0");
}

static void grow_and_shrink(const char *sysctl)
{
	struct stream stream;

	need_it();
	scan_slowly();
	CHECK_EQ(set_sysctl(sysctl), 0);
	start(&stream, NULL, SMALL);
	expect_gathered(&stream);
	stream_resize(&stream, BIG);
	expect_spread(&stream);
	stream_resize(&stream, SMALL);
	expect_gathered(&stream);
	stream_stop(&stream);
}

TEST_ON(TWO_NODES, cache_grows_off,
	"one that grows is let go, and gathered again when it has shrunk")
{
	grow_and_shrink("0");
}

TEST_ON(TWO_NODES, cache_grows_on, "the same with balancing on")
{
	grow_and_shrink("1");
}

TEST_ON(TWO_NODES, cache_tolerance, "the kernel's aggr_tolerance is respected")
{
	struct stream stream;

	need_it();
	CHECK_EQ(set_sysctl("0"), 0);
	start(&stream, NULL, BIG);
	expect_spread(&stream);
	write_to(KNOBS "aggr_tolerance", "99");
	expect_gathered(&stream);
	CHECK_STR(fact(&stream, "verdict"), "rss_fits");
	write_to(KNOBS "aggr_tolerance", "1");
	expect_spread(&stream);
	write_to(KNOBS "aggr_tolerance", "100");
	expect_gathered(&stream);
	CHECK_STR(fact(&stream, "verdict"), "any_tolerance");
	write_to(KNOBS "aggr_tolerance", "0");
	expect_spread(&stream);
	CHECK_STR(fact(&stream, "verdict"), "no_tolerance");
	stream_stop(&stream);
}

static void set_cache(const char *cgroup, const char *text)
{
	CHECK_EQ(cgroup_write(cgroup, "cpu.numab.cache", text), 0, "%s", text);
}

TEST_ON(TWO_NODES, cache_never, "never keeps a workload that fits apart")
{
	struct stream stream;

	need_it();
	scan_slowly();
	start(&stream, "t/a/b", SMALL);
	expect_gathered(&stream);
	set_cache("t/a", "never");
	set_cache("t/a/b", "always");
	expect_spread(&stream);
	CHECK_STR(fact(&stream, "verdict"), "never");
	CHECK_CMP(refused("setting"), >, 0);
	set_cache("t/a", "auto");
	set_cache("t/a/b", "0");
	expect_spread(&stream);
	set_cache("t/a/b", "auto");
	expect_gathered(&stream);
	stream_stop(&stream);
}

static bool is_refused(void *stream)
{
	return number_of(stream, "kernel_refuses") == 1;
}

/*
 * It is set before the threads run: once they are spread, each has a preferred
 * node of its own, to which the kernel gives way.
 */
static void lift(const char *own, const char *above)
{
	struct stream stream;

	cgroup_make("t/a/b");
	set_cache("t/a", above);
	set_cache("t/a/b", own);
	CHECK_STR(point_state("exceed_llc_capacity"), "live");
	start(&stream, "t/a/b", BIG);
	CHECK(wait_until(is_refused, &stream, 60));
	expect_gathered(&stream);
	CHECK_EQ(number_of(&stream, "kernel_refuses"), 1);
	CHECK_EQ(number_of(&stream, "lifted"), 1);
	set_cache("t/a/b", "1");
	expect_spread(&stream);
	CHECK_EQ(number_of(&stream, "lifted"), 0);
	stream_stop(&stream);
}

TEST_ON(TWO_NODES, cache_always, "always passes the kernel's own check")
{
	need_it();
	lift("auto", "always");
}

TEST_ON(TWO_NODES, cache_own_tolerance,
	"so does a tolerance of its own, as far as it goes")
{
	need_it();
	lift("2", "1");
}

static bool nothing_is_hooked(void *arg)
{
	(void)arg;
	return !is_traced("exceed_llc_capacity") &&
	       !is_traced("task_numa_fault");
}

static void set_task(const struct stream *stream, int cache)
{
	struct numab_attr attr = { .fields = NUMAB_FIELD_CACHE,
				   .cache = cache };

	CHECK_EQ(task_write(stream->pid, attr), 0, "%d", cache);
	CHECK_EQ(task_read(stream->pid).cache, cache);
}

TEST_ON(TWO_NODES, cache_task, "a process has a word on it, too")
{
	struct numab_attr bad = { .fields = NUMAB_FIELD_CACHE, .cache = 101 };
	struct stream stream;

	need_it();
	scan_slowly();
	CHECK(wait_until(nothing_is_hooked, NULL, 10));
	start(&stream, "t/a", SMALL);
	expect_gathered(&stream);
	set_task(&stream, NUMAB_CACHE_NEVER);
	CHECK(!is_traced("task_numa_fault"));
	expect_spread(&stream);
	CHECK_STR(fact(&stream, "verdict"), "never");
	set_task(&stream, NUMAB_CACHE_ALWAYS);
	expect_gathered(&stream);
	set_cache("t/a", "never");
	expect_spread(&stream);
	set_cache("t/a", "always");
	set_task(&stream, 0);
	expect_spread(&stream);
	set_task(&stream, NUMAB_CACHE_AUTO);
	expect_gathered(&stream);
	CHECK_EQ(task_write(stream.pid, bad), -EINVAL);
	stream_stop(&stream);
}

TEST_ON(TWO_NODES, cache_hooks,
	"a word on caches hooks nothing of scans and faults")
{
	need_it();
	/* Of what an earlier case hooked. */
	CHECK(wait_until(nothing_is_hooked, NULL, 10));
	CHECK_STR(point_state("task_cache_work"), "live");
	cgroup_make("t/a");
	set_cache("t/a", "never");
	CHECK(!is_traced("task_numa_fault"));
	CHECK(!is_traced("exceed_llc_capacity"));
	set_cache("t/a", "always");
	CHECK(!is_traced("task_numa_fault"));
	CHECK(is_traced("exceed_llc_capacity"));
	set_cache("t/a", "auto");
	CHECK(wait_until(nothing_is_hooked, NULL, 10));
}

TEST_ON(TWO_NODES, cache_switch, "cache_gate=0 leaves it to the kernel")
{
	struct stream stream;

	need_it();
	CHECK_EQ(set_sysctl("0"), 0);
	start(&stream, NULL, BIG);
	expect_spread(&stream);
	write_to(GATE, "0");
	expect_gathered(&stream);
	write_to(GATE, "1");
	expect_spread(&stream);
	CHECK_EQ(unload("numab"), 0);
	expect_gathered(&stream);
	stream_stop(&stream);
}

TEST_ON(TWO_NODES, cache_size_unknown,
	"without a size there is nothing to compare with: as before")
{
	struct stream stream;
	char text[256];

	need_it();
	CHECK_EQ(unload("numab"), 0);
	CHECK_EQ(load_faulty("fault=missing:llc_bytes"), 0);
	CHECK_EQ(file_read(STATUS "cache", text, sizeof(text)), 0);
	CHECK(strstr(text, "sized 0"));
	CHECK_EQ(set_sysctl("0"), 0);
	start(&stream, NULL, BIG);
	expect_gathered(&stream);
	CHECK_STR(fact(&stream, "verdict"), "size_unknown");
	stream_stop(&stream);
	CHECK_EQ(unload("numab"), 0);
}

TEST_ON(TWO_NODES, cache_file, "words, numbers, rubbish and who may write them")
{
	static const char *const bad[] = { " ",	  "101", "-1",
					   "yes", "1 2", "alwaysss" };
	static const char *const good[] = { "never", "always", "0",   "1",
					    "99",    "100",    "auto" };
	int status;
	pid_t pid;

	need_it();
	cgroup_make("t/a/b");
	CHECK_STR(cgroup_text("t/a", "cpu.numab.cache"), "auto");
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		set_cache("t/a", good[i]);
		CHECK_STR(cgroup_text("t/a", "cpu.numab.cache"), good[i]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CHECK_EQ(cgroup_write("t/a", "cpu.numab.cache", bad[i]),
			 -EINVAL, "%s", bad[i]);
	CHECK_STR(cgroup_text("t/a", "cpu.numab.cache"), "auto");
	set_cache("t/a", "50");
	pid = fork();
	if (!pid) {
		/* Somebody without capabilities who owns the files. */
		CHECK_EQ(chown(CGROUP_MOUNT "/t/a/b/cpu.numab.cache", 1, 1), 0);
		CHECK_EQ(setgid(1) || setuid(1), 0);
		set_cache("t/a/b", "never");
		set_cache("t/a/b", "50");
		set_cache("t/a/b", "0");
		set_cache("t/a/b", "auto");
		CHECK_EQ(cgroup_write("t/a/b", "cpu.numab.cache", "51"),
			 -EPERM);
		CHECK_EQ(cgroup_write("t/a/b", "cpu.numab.cache", "always"),
			 -EPERM);
		exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_STR(cgroup_text("t/a/b", "cpu.numab.cache"), "auto");
}

static bool no_spaces(void *arg)
{
	(void)arg;
	return !status_number("spaces");
}

TEST_ON(TWO_NODES, cache_single, "a single thread is none of its business")
{
	struct load load = { .cgroup = "t/a",
			     .cpu_node = -1,
			     .region = { { .node = 0, .mb = BIG } } };
	long long before;

	need_it();
	cgroup_make("t/a");
	set_cache("t/a", "never");
	before = refused("setting");
	load_start(&load);
	for (unsigned long passes = load_passes(&load);
	     load_passes(&load) < passes + 20;)
		;
	CHECK_EQ(refused("setting"), before);
	load_stop(&load);
}

/* Streams that come and go while hints change and the module does. */
TEST_ON(TWO_NODES, cache_exiting, "processes may end at any moment")
{
	need_it();
	cgroup_make("t/a");
	for (int i = 0; i < 12; i++) {
		struct stream stream[3];

		for (int j = 0; j < 3; j++)
			start(&stream[j], "t/a", j ? BIG : SMALL);
		if (i % 4 == 3) {
			CHECK_EQ(unload("numab"), 0);
			CHECK_EQ(load_numab(""), 0);
		}
		set_cache("t/a", i % 2 ? "always" : "never");
		for (int j = 0; j < 3; j++)
			stream_stop(&stream[j]);
		set_cache("t/a", "auto");
	}
	CHECK(wait_until(no_spaces, NULL, 30));
}
