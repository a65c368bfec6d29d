// SPDX-License-Identifier: GPL-2.0
/*
 * Policies and what goes wrong: whatever does, the workload runs on and the
 * kernel's log stays clean, which the machine's verdict is about.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "tool.h"

#define DIR   "/lab/policies/"
#define LOADS 4

static struct load loads[LOADS];

/* A task on each CPU that scans and faults, in cgroup. */
static void start_loads(const char *cgroup)
{
	for (int i = 0; i < LOADS; i++) {
		loads[i] = (struct load){
			.cgroup = cgroup,
			.cpu_node = -1,
			.region = { { .node = i % 2 ? HOME : REMOTE, .mb = 8 },
				    { .node = SLOW, .mb = 8 } },
		};
		load_start(&loads[i]);
	}
}

static void stop_loads(void)
{
	for (int i = 0; i < LOADS; i++)
		load_stop(&loads[i]);
}

/* All of them go on. */
static void expect_progress(void)
{
	for (int i = 0; i < LOADS; i++) {
		unsigned long before = load_passes(&loads[i]);

		for (double end = now() + 30; load_passes(&loads[i]) == before;)
			CHECK(now() < end);
	}
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

static void expect_count(const char *key, long long more_than)
{
	struct count count = { key, more_than };

	if (!wait_until(has_count, &count, 60))
		test_fail(__FILE__, __LINE__, "%s stays at %lld", key,
			  cgroup_value("t/a", "cpu.numab.stat", key));
}

static bool policies_are(void *count)
{
	return status_number("policies") == *(int *)count;
}

static void expect_policies(int count)
{
	if (!wait_until(policies_are, &count, 30))
		test_fail(__FILE__, __LINE__, "%lld policies, not %d",
			  status_number("policies"), count);
}

static void begin(void)
{
	CHECK_EQ(set_sysctl("3"), 0);
	cgroup_make("t/a");
}

TEST(policy_unload_asked, "policies come and go while all CPUs ask them")
{
	begin();
	start_loads("t/a");
	for (int i = 0; i < 30; i++) {
		CHECK_EQ(tool("policy load " DIR "each_folio.bpf.o --cgroup "
			      "/t/a"),
			 0, "%s", tool_output());
		if (!i)
			expect_count("policy_calls", 100);
		CHECK_EQ(tool("policy unload each_folio"), 0, "%s",
			 tool_output());
	}
	expect_progress();
	stop_loads();
}

TEST(policy_longest, "a policy as long as the verifier allows stops nobody")
{
	begin();
	start_loads("t/a");
	CHECK_EQ(tool("policy load " DIR "longest.bpf.o --cgroup /t/a"), 0,
		 "%s", tool_output());
	expect_count("policy_calls", 20);
	expect_progress();
	CHECK_EQ(tool("policy unload longest"), 0);
	stop_loads();
}

TEST(policy_map_full, "a policy whose map is full goes on")
{
	begin();
	start_loads("t/a");
	CHECK_EQ(tool("policy load " DIR "map_full.bpf.o --cgroup /t/a"), 0,
		 "%s", tool_output());
	expect_count("policy_calls", 4);
	expect_count("scans_skipped_mode", 4);
	expect_progress();
	stop_loads();
}

static pid_t start_tool(const char *policy, const char *name)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid)
		return pid;
	execlp("numab", "numab", "policy", "load", policy, "--cgroup", "/t/a",
	       "--name", name, NULL);
	_exit(127);
}

TEST(policy_killed, "a tool that is killed half-way leaves no half policy")
{
	begin();
	for (int i = 0; i < 40; i++) {
		pid_t pid = start_tool(DIR "answer.bpf.o", "victim");
		int status;

		usleep(i * 5000); /* at another moment each time */
		kill(pid, SIGKILL);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK_EQ(tool("policy list"), 0, "%s", tool_output());
		if (strstr(tool_output(), " attached ")) {
			CHECK_EQ(status_number("policies"), 1);
		} else {
			expect_policies(0);
			/* What is left over is no obstacle. */
			CHECK_EQ(tool("policy load " DIR "answer.bpf.o "
				      "--cgroup /t/a --name victim"),
				 0, "%s", tool_output());
			CHECK_EQ(status_number("policies"), 1);
		}
		CHECK_EQ(tool("policy unload victim"), 0, "%s", tool_output());
		expect_policies(0);
	}
}

static bool is_removed(void *cgroup)
{
	return !cgroup_remove(cgroup);
}

TEST(policy_removed, "a cgroup takes its policies with it")
{
	/* Not begin(): tiering by the sysctl keeps the promotion hooks. */
	cgroup_make("t/a/b");
	CHECK_EQ(tool("policy load " DIR "narrow.bpf.o --cgroup /t/a/b"), 0);
	CHECK_EQ(tool("policy load " DIR "answer.bpf.o --cgroup /t/a/b"), 0);
	CHECK_EQ(status_number("policies"), 2);
	CHECK(wait_until(is_removed, "t/a/b", 20));
	expect_policies(0);
	expect_hooks("idle");
	/* Detached, so that nothing holds the module. */
	for (double end = now() + 30; unload("numab");)
		CHECK(now() < end);
	CHECK_EQ(load_numab(""), 0);
	CHECK_EQ(tool("policy list"), 0);
	CHECK(strstr(tool_output(), "detached"));
	CHECK_EQ(tool("policy unload narrow"), 0);
	CHECK_EQ(tool("policy unload answer"), 0);
	cgroup_make("t/a/b");
	CHECK_EQ(tool("policy load " DIR "answer.bpf.o --cgroup /t/a/b"), 0,
		 "%s", tool_output());
}

/* Attach and detach for ever, in cgroups that come and go. */
static void storm(int number)
{
	char cgroup[32], path[64];

	snprintf(cgroup, sizeof(cgroup), "t/a/s%d", number);
	snprintf(path, sizeof(path), CGROUP_MOUNT "/%s", cgroup);
	for (;;) {
		mkdir(path, 0755);
		tool("policy load " DIR "answer.bpf.o --cgroup /%s --name s%d "
		     "--set answer_task=%d",
		     cgroup, number, number % 2);
		if (rand() % 2)
			tool("policy unload s%d", number);
		rmdir(path);
		tool("policy unload s%d", number);
	}
}

TEST(policy_storm, "storms of policies, cgroups and unloading")
{
	pid_t pids[3];

	begin();
	start_loads("t/a");
	for (int i = 0; i < 3; i++) {
		fflush(stdout);
		pids[i] = fork();
		if (!pids[i])
			storm(i);
	}
	for (int i = 0; i < 6; i++) {
		for (double end = now() + 60; tool("unload --force");)
			CHECK_CMP(now(), <, end, "%s", tool_output());
		CHECK_EQ(load_numab(""), 0);
		expect_progress();
	}
	for (int i = 0; i < 3; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	stop_loads();
}

TEST(policy_holds_module, "the module stays while a policy is attached")
{
	begin();
	start_loads("t/a");
	CHECK_EQ(tool("policy load " DIR "answer.bpf.o --cgroup /t/a"), 0);
	CHECK_EQ(unload("numab"), -EAGAIN);
	CHECK_EQ(tool("unload"), 1);
	CHECK(strstr(tool_output(), "policies are attached"));
	CHECK(strstr(tool_output(), "--force"));
	expect_count("policy_calls", 10);
	CHECK_EQ(tool("unload --force"), 0, "%s", tool_output());
	CHECK(!cgroup_has("t/a", "cpu.numab.mode"));
	CHECK(!is_traced("task_numa_work"));
	expect_progress();
	CHECK_EQ(load_numab(""), 0);
	CHECK_EQ(status_number("policies"), 0);
	stop_loads();
}

TEST(policy_no_memory, "without memory a policy is not attached")
{
	CHECK_EQ(unload("numab"), 0);
	CHECK_EQ(load_faulty("fault=alloc:policy"), 0);
	cgroup_make("t/a");
	CHECK_EQ(tool("policy load " DIR "answer.bpf.o --cgroup /t/a"), 1);
	CHECK(strstr(tool_output(), "Cannot allocate memory"));
	CHECK_EQ(status_number("policies"), 0);
	expect_hooks("idle");
	for (double end = now() + 30; unload("numab");)
		CHECK(now() < end);
	CHECK_EQ(load_numab(""), 0);
}

TEST(policy_no_btf, "a module without BTF says so, and does the rest")
{
	CHECK_EQ(unload("numab"), 0);
	CHECK_EQ(load_faulty("fault=btf:own"), 0);
	CHECK_STR(point_state("__register_bpf_struct_ops"), "mismatch");
	CHECK(log_has("built without BTF"));
	CHECK(tool("policy check " DIR "answer.bpf.o"));
	cgroup_make("t/a");
	set_mode("t/a", "off");
	CHECK_EQ(unload("numab"), 0);
	CHECK_EQ(load_numab(""), 0);
}
