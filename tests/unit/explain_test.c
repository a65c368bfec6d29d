// SPDX-License-Identifier: GPL-2.0
/* numab explain: what the module says of a process, and resctrl beside it. */
#include <errno.h>

#include "../../decide/cache.h"
#include "fixture.h"
#include "gathering.h"
#include "resctrl.h"

#define PROCESSES                                                           \
	"pid 7\nfootprint 0\nin_sweep 0\nrss 1048576\nllc 33554432\n"       \
	"tolerance 1\nestimated 0\nasked -1\nverdict rss_fits\n"            \
	"kernel_refuses 0\nlifted 0\ncpu 3\n\n"                             \
	"pid 77\nfootprint 4096\nin_sweep 40960000\nrss 134217728\n"        \
	"llc 33554432\ntolerance 1\nestimated 1\nasked -1\n"                \
	"verdict footprint_exceeds\nkernel_refuses 0\nlifted 0\ncpu -1\n\n" \
	"pid 777\nfootprint 134217728\nin_sweep 0\nrss 134217728\n"         \
	"llc 33554432\ntolerance 1\nestimated 1\nasked -3\n"                \
	"verdict always\nkernel_refuses 1\nlifted 1\ncpu 0\nnews 5\n\n"     \
	"pid 8\nverdict of_a_later_version\nasked 50\n"

static void processes(void)
{
	fixture_file(GATHERING_FILE, PROCESSES);
	fixture_file("/proc/7/comm", "small\n");
	fixture_file("/proc/77/comm", "stream\n");
	fixture_file("/proc/777/comm", "wanted\n");
	fixture_file("/proc/8/comm", "new\n");
	fixture_file("/proc/9/comm", "single\n");
}

static void test_parse(void **state)
{
	struct gathering g;

	assert_int_equal(gathering_parse(PROCESSES, 77, &g), 0);
	assert_int_equal(g.footprint, 4096);
	assert_int_equal(g.in_sweep, 40960000);
	assert_int_equal(g.cpu, -1);
	assert_int_equal(g.verdict, CACHE_FOOTPRINT_EXCEEDS);
	assert_true(g.estimated);
	assert_int_equal(gathering_bound(&g), 33554432);
	assert_int_equal(gathering_parse(PROCESSES, 777, &g), 0);
	assert_int_equal(g.asked, NUMAB_CACHE_ALWAYS);
	assert_true(g.lifted && g.kernel_refuses);
	assert_int_equal(gathering_parse(PROCESSES, 8, &g), 0);
	assert_int_equal(g.verdict, -1);
	assert_int_equal(gathering_parse(PROCESSES, 9, &g), -ENOENT);
	assert_int_equal(gathering_parse("", 7, &g), -ENOENT);
	assert_int_equal(gathering_parse("pid\npid x\nrss 1\n", 7, &g),
			 -ENOENT);
}

static void test_fits(void **state)
{
	AUTO_OUTPUT struct output output;

	processes();
	output = run(cmd_explain, "7", NULL);
	assert_int_equal(output.code, EXIT_OK);
	assert_contains(output.out, "process      7 (small)\n");
	assert_contains(output.out, "cache        32768 kB");
	assert_contains(output.out, "memory       1024 kB resident\n");
	assert_contains(output.out, "may be gathered: all of its memory fits "
				    "(32768 kB)\n");
	assert_contains(output.out, "now          gathered on the cache of "
				    "CPU 3\n");
	assert_lacks(output.out, "occupancy");
}

static void test_exceeds(void **state)
{
	AUTO_OUTPUT struct output output;

	processes();
	output = run(cmd_explain, "77", NULL);
	assert_contains(output.out, "in sweep     40000 kB of hint faults");
	assert_contains(output.out,
			"decision     not: the memory in use does not fit "
			"(32768 kB)\n");
	assert_contains(output.out, "now          not gathered\n");
	assert_lacks(output.out, "its own check");
}

static void test_lifted(void **state)
{
	AUTO_OUTPUT struct output output, json;
	AUTO_JSON json_t *root = NULL;
	json_t *cache;

	processes();
	output = run(cmd_explain, "777", NULL);
	assert_contains(output.out, "asked for    always");
	assert_contains(output.out, "its own check says no, and is made to "
				    "pass\n");
	json = run(cmd_explain, "--json", "777", NULL);
	root = parse_json(&json);
	cache = json_object_get(root, "cache");
	assert_string_equal(json_string_value(json_object_get(cache, "asked")),
			    "always");
	assert_true(json_is_true(json_object_get(cache, "lifted")));
	assert_int_equal(
		json_integer_value(json_object_get(cache, "footprint_bytes")),
		134217728);
	assert_true(json_is_null(json_object_get(root, "resctrl")));
}

static void test_newer_module(void **state)
{
	AUTO_OUTPUT struct output output;

	processes();
	output = run(cmd_explain, "8", NULL);
	assert_int_equal(output.code, EXIT_OK);
	assert_contains(output.out, "a tolerance of 50");
	assert_contains(output.out, "for a reason this tool does not know");
}

static void test_nothing_known(void **state)
{
	AUTO_OUTPUT struct output single, unloaded, gone;
	AUTO_FREE char *path = fixture_path(GATHERING_FILE);

	processes();
	single = run(cmd_explain, "9", NULL);
	assert_int_equal(single.code, EXIT_OK);
	assert_contains(single.out, "one thread is never gathered");
	gone = run(cmd_explain, "10", NULL);
	assert_int_equal(gone.code, EXIT_FAILED);
	assert_contains(gone.err, "process 10: No such process");
	unlink(path);
	unloaded = run(cmd_explain, "9", NULL);
	assert_int_equal(unloaded.code, EXIT_OK);
	assert_contains(unloaded.out, "numab is not loaded");
}

static void test_resctrl(void **state)
{
	AUTO_RESCTRL struct resctrl resctrl = {};
	AUTO_OUTPUT struct output output;

	processes();
	fixture_file("/proc/77/cpu_resctrl_groups", "res:batch\nmon:one\n");
	fixture_file(RESCTRL_DIR "/batch/mon_groups/one/mon_data/mon_L3_01/"
				 "llc_occupancy",
		     "20480\n");
	fixture_file(RESCTRL_DIR "/batch/mon_groups/one/mon_data/mon_L3_00/"
				 "llc_occupancy",
		     "Unavailable\n");
	fixture_file(RESCTRL_DIR "/batch/mon_groups/one/mon_data/mon_L3_00/"
				 "mbm_total_bytes",
		     "1\n");
	fixture_file(RESCTRL_DIR "/batch/mon_groups/one/mon_data/mon_MB_00/x",
		     "1\n");
	assert_int_equal(resctrl_read(77, &resctrl), 0);
	assert_string_equal(resctrl.group, "/batch/mon_groups/one");
	assert_int_equal(resctrl.count, 2);
	assert_int_equal(resctrl.caches[0].id, 0);
	assert_int_equal(resctrl.caches[0].bytes, -1);
	assert_int_equal(resctrl.caches[1].bytes, 20480);
	output = run(cmd_explain, "77", NULL);
	assert_contains(output.out,
			"occupancy    cache 1: 20 kB (resctrl group "
			"/batch/mon_groups/one/)\n");
	assert_contains(output.out, "cache 0: not to be had now");
}

static void test_resctrl_root(void **state)
{
	AUTO_RESCTRL struct resctrl resctrl = {};

	processes();
	fixture_file("/proc/7/cpu_resctrl_groups", "res:/\nmon:\n");
	fixture_file(RESCTRL_DIR "/mon_data/mon_L3_00/llc_occupancy", "512\n");
	assert_int_equal(resctrl_read(7, &resctrl), 0);
	assert_string_equal(resctrl.group, "");
	assert_int_equal(resctrl.caches[0].bytes, 512);
}

static void test_resctrl_absent(void **state)
{
	struct resctrl resctrl = {};

	processes();
	assert_int_equal(resctrl_read(7, &resctrl), -ENOENT);
	fixture_file("/proc/7/cpu_resctrl_groups", "res:\nmon:\n");
	assert_int_equal(resctrl_read(7, &resctrl), -ENOENT);
	fixture_file("/proc/7/cpu_resctrl_groups", "");
	assert_int_equal(resctrl_read(7, &resctrl), -ENOENT);
	/* Bandwidth only. */
	fixture_file("/proc/7/cpu_resctrl_groups", "res:/\nmon:\n");
	fixture_file(RESCTRL_DIR "/mon_data/mon_L3_00/mbm_total_bytes", "5\n");
	assert_int_equal(resctrl_read(7, &resctrl), -ENOENT);
	assert_int_equal(resctrl_read(6, &resctrl), -ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		fixture_test(test_parse),
		fixture_test(test_fits),
		fixture_test(test_exceeds),
		fixture_test(test_lifted),
		fixture_test(test_newer_module),
		fixture_test(test_nothing_known),
		fixture_test(test_resctrl),
		fixture_test(test_resctrl_root),
		fixture_test(test_resctrl_absent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
