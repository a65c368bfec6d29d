// SPDX-License-Identifier: GPL-2.0
#include "machine.h"
#include "machines.h"

static void test_tested_kernels(void **state)
{
	static const struct {
		const char *release;
		bool tested;
	} cases[] = {
		{ "7.3.4+deb14-cloud-amd64", true },
		{ "7.3", true },
		{ "7.3-rc1", true },
		{ "7.30.1", false },
		{ "7.31", false },
		{ "6.12.90+deb13", true },
		{ "6.1.0", false },
		{ "6.120", false },
		{ "17.3.0", false },
		{ "", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		check(machine_kernel_is_tested(cases[i].release, "7.3 6.12") ==
			      cases[i].tested,
		      "%s", cases[i].release);
	assert_false(machine_kernel_is_tested("7.3.4", ""));
	/* lab/kernels has arrived in the program. */
	assert_true(*machine_tested_kernels);
}

static void test_2s_cxl(void **state)
{
	AUTO_MACHINE struct machine machine = {};

	machine_2s_cxl();
	assert_int_equal(machine_read(&machine), 0);
	assert_string_equal(machine.release, "7.3.4+deb14-cloud-amd64");
	assert_int_equal(machine.node_count, 3);
	assert_int_equal(machine.nodes[1].id, 1);
	assert_string_equal(machine.nodes[1].cpus, "4-7");
	assert_string_equal(machine.nodes[2].cpus, "");
	assert_int_equal(machine.nodes[2].total_bytes, 512ull << 20);
	assert_int_equal(machine.nodes[2].free_bytes, 256ull << 20);
	assert_int_equal(machine.tier_count, 2);
	assert_true(machine.tiers[0].top);
	assert_false(machine.tiers[1].top);
	assert_int_equal(machine.tiers[1].id, 22);
	assert_int_equal(machine_count_memory_nodes(&machine), 3);
	assert_int_equal(machine.balancing, 0);
	assert_int_equal(machine.promote_mbps, 65536);
	assert_int_equal(machine.demotion, 0);
	assert_int_equal(machine.cache_aware, CACHE_AWARE_ABSENT);
	assert_true(machine.cpu_is_available);
	assert_true(machine.cpu_is_enabled);
}

/* HBM nodes without CPUs may be faster than the slowest tier with CPUs. */
static void test_top_tier_reaches_to_the_slowest_cpu(void **state)
{
	AUTO_MACHINE struct machine machine = {};

	machine_2s_cxl();
	machine_tier(2, "3\n");
	machine_tier(10, "1\n");
	machine_tier(4, "0\n");
	assert_int_equal(machine_read(&machine), 0);
	assert_int_equal(machine.tier_count, 4);
	assert_int_equal(machine.tiers[0].id, 2);
	assert_true(machine.tiers[0].top);
	assert_true(machine.tiers[1].top);
	assert_true(machine.tiers[2].top);
	assert_false(machine.tiers[3].top);
}

static void test_nothing_there(void **state)
{
	AUTO_MACHINE struct machine machine = {};

	assert_int_equal(machine_read(&machine), 0);
	assert_null(machine.release);
	assert_false(machine.tested);
	assert_int_equal(machine.node_count, 0);
	assert_int_equal(machine.tier_count, 0);
	assert_int_equal(machine.balancing, -1);
	assert_int_equal(machine.promote_mbps, -1);
	assert_int_equal(machine.demotion, -1);
	assert_int_equal(machine.cache_aware, CACHE_AWARE_UNKNOWN);
	assert_null(machine.cgroup_mount);
}

static void test_rubbish(void **state)
{
	AUTO_MACHINE struct machine machine = {};

	machine_1s();
	fixture_file("/proc/sys/kernel/numa_balancing", "\xff\n");
	fixture_file("/sys/kernel/mm/numa/demotion_enabled", "maybe\n");
	fixture_file("/sys/devices/system/node/online", "0-1\n");
	fixture_file("/sys/devices/system/node/node1/meminfo",
		     "Node\nNode 1\nNode 1 MemTotal:\n"
		     "Node 1 MemTotal: x kB\n"
		     "Node 1 MemFree: 18446744073709551615 kB");
	machine_tier(5, "0-\n");
	fixture_dir("/sys/devices/virtual/memory_tiering/memory_tier9");
	fixture_dir("/sys/devices/virtual/memory_tiering/memory_tierX");
	fixture_dir("/sys/devices/virtual/memory_tiering/power");
	assert_int_equal(machine_read(&machine), 0);
	assert_int_equal(machine.balancing, -1);
	assert_int_equal(machine.demotion, -1);
	assert_int_equal(machine.node_count, 2);
	assert_int_equal(machine.nodes[1].total_bytes, 0);
	assert_true(machine.nodes[1].free_bytes == UINT64_MAX);
	assert_string_equal(machine.nodes[1].cpus, "");
	assert_int_equal(machine.tier_count, 2);
	assert_int_equal(nodes_count(&machine.tiers[1].nodes), 0);
	assert_false(machine.tiers[1].top);
}

static void test_cache_aware(void **state)
{
	static const struct {
		const char *text;
		enum cache_aware want;
	} cases[] = {
		{ "Y\n", CACHE_AWARE_ON },   { "N\n", CACHE_AWARE_OFF },
		{ "1\n", CACHE_AWARE_ON },   { "0\n", CACHE_AWARE_OFF },
		{ "", CACHE_AWARE_UNKNOWN },
	};

	machine_1s();
	for (size_t i = 0; i < COUNT(cases); i++) {
		AUTO_MACHINE struct machine machine = {};

		fixture_file("/sys/kernel/debug/sched/llc_balancing/enabled",
			     cases[i].text);
		assert_int_equal(machine_read(&machine), 0);
		assert_int_equal(machine.cache_aware, cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tested_kernels),
		fixture_test(test_2s_cxl),
		fixture_test(test_top_tier_reaches_to_the_slowest_cpu),
		fixture_test(test_nothing_there),
		fixture_test(test_rubbish),
		fixture_test(test_cache_aware),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
