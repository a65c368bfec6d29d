// SPDX-License-Identifier: GPL-2.0
/*
 * Policies: what follows from their answers, and which of them are refused.
 * The programs are in tests/guest/policies; answer.bpf.c says what it is told.
 */
#include <stdlib.h>
#include <unistd.h>

#include "test.h"
#include "tool.h"

#define DIR "/lab/policies/"

static void load_policy(const char *file, const char *cgroup,
			const char *options)
{
	int status = tool("policy load " DIR "%s.bpf.o --cgroup /%s %s", file,
			  cgroup, options);

	if (status)
		test_fail(__FILE__, __LINE__, "cannot load %s: %s", file,
			  tool_output());
}

static void set_answers(const char *policy, int task, int folio)
{
	int status = tool("policy set %s answer_task=%d answer_folio=%d",
			  policy, task, folio);

	if (status)
		test_fail(__FILE__, __LINE__, "cannot set: %s", tool_output());
}

struct count {
	const char *cgroup, *key;
	long long more_than;
};

static bool has_count(void *arg)
{
	const struct count *count = arg;

	return cgroup_value(count->cgroup, "cpu.numab.stat", count->key) >
	       count->more_than;
}

/* Wait until a counter has grown by more than n from now on. */
static void expect_growth(const char *cgroup, const char *key, int n)
{
	struct count count = {
		cgroup, key, cgroup_value(cgroup, "cpu.numab.stat", key) + n
	};

	if (!wait_until(has_count, &count, 60))
		test_fail(__FILE__, __LINE__, "%s of %s stays at %lld", key,
			  cgroup, cgroup_value(cgroup, "cpu.numab.stat", key));
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

TEST(policy_task, "a policy turns a workload off, and lets it go again")
{
	struct load load;

	CHECK_EQ(set_sysctl("3"), 0);
	cgroup_make("t/a");
	load_policy("answer", "t/a", "");
	set_answers("answer", 0, -1);
	load = start_load("t/a", NULL);
	expect_growth("t/a", "scans_skipped_mode", 5);
	CHECK_EQ(cgroup_value("t/a", "cpu.numab.stat", "scans_run"), 0);
	CHECK_CMP(load_share(&load, 0, HOME), <, 1);
	CHECK_STR(cgroup_text("t/a", "cpu.numab.effective"), "both policies");
	set_answers("answer", -1, -1);
	expect_home(&load, 0);
	expect_home(&load, 1);
	CHECK_EQ(cgroup_value("t/a", "cpu.numab.stat", "policy_bad_answers"),
		 0);
	load_stop(&load);
}

TEST(policy_folio, "a policy keeps the memory of its cgroup where it is")
{
	struct load load;

	CHECK_EQ(set_sysctl("3"), 0);
	cgroup_make("t/a");
	load_policy("answer", "t/a", "");
	set_answers("answer", -1, 1);
	load = start_load("t/a", NULL);
	expect_home(&load, 0);
	/* Marked it is not on 7.3; on 6.12 it is, and refused at the fault. */
	CHECK_CMP(load_share(&load, 1, HOME), <, 1);
	CHECK_CMP(cgroup_value("t/a", "cpu.numab.stat",
			       "marks_refused_tiering") +
			  cgroup_value("t/a", "cpu.numab.stat",
				       "promotions_refused"),
		  >, 0);
	set_answers("answer", -1, -1);
	expect_home(&load, 1);
	load_stop(&load);
}

TEST(policy_chain, "all policies on the way up are asked, and the files")
{
	struct load load;

	CHECK_EQ(set_sysctl("0"), 0);
	cgroup_make("t/a/b");
	load_policy("answer", "", "--name top");
	load_policy("answer", "t/a", "--name middle");
	load_policy("answer", "t/a/b", "--name one");
	load_policy("answer", "t/a/b", "--name two");
	set_mode("t/a/b", "both");
	set_answers("one", 3, 3);
	set_answers("middle", 3, 3);
	set_answers("two", 0, 3);
	load = start_load("t/a/b", NULL);
	expect_growth("t/a/b", "scans_skipped_mode", 3);
	set_answers("middle", 0, 3);
	set_answers("two", -1, -1);
	expect_growth("t/a/b", "scans_skipped_mode", 3);
	set_answers("top", 0, 3);
	set_answers("middle", 3, 3);
	expect_growth("t/a/b", "scans_skipped_mode", 3);
	CHECK_EQ(cgroup_value("t/a/b", "cpu.numab.stat", "scans_run"), 0);
	set_answers("top", -1, 1);
	expect_home(&load, 0);
	CHECK_CMP(load_share(&load, 1, HOME), <, 1);
	set_answers("top", 3, 3);
	expect_home(&load, 1);
	load_stop(&load);
}

static bool running_is(void *mode)
{
	return status_number("running") == *(int *)mode;
}

static void expect_running(int mode)
{
	if (!wait_until(running_is, &mode, 10))
		test_fail(__FILE__, __LINE__, "mode %lld runs, not %d",
			  status_number("running"), mode);
}

TEST(policy_enables, "a policy switches on what it may, for its cgroup only")
{
	struct load load, other;

	CHECK_EQ(set_sysctl("0"), 0);
	cgroup_make("t/a");
	cgroup_make("t/b");
	load = start_load("t/a", NULL);
	other = start_load("t/b", NULL);
	load_policy("narrow", "t/a", "");
	expect_running(1); /* not what it answers: what it may enable */
	expect_home(&load, 0);
	expect_growth("t/b", "scans_skipped_mode", 3);
	CHECK_CMP(load_share(&load, 1, HOME), <, 1);
	CHECK_CMP(load_share(&other, 0, HOME), <, 1);
	set_mode("t", "off"); /* then nothing has to run */
	expect_running(0);
	set_mode("t", "inherit");
	expect_running(1);
	CHECK_EQ(tool("policy unload narrow"), 0);
	expect_running(0);
	expect_hooks("idle");
	load_stop(&load);
	load_stop(&other);
}

TEST(policy_bad_answers, "a bad answer is no opinion, and counted")
{
	static const int answers[] = { 4, -2, 0x7fffffff, (int)0x80000000 };
	struct load load;

	CHECK_EQ(set_sysctl("1"), 0);
	cgroup_make("t/a");
	load_policy("answer", "t/a", "");
	load = start_load("t/a", NULL);
	for (int i = 0; i < 4; i++) {
		set_answers("answer", answers[i], answers[i]);
		expect_growth("t/a", "policy_bad_answers", 1);
	}
	expect_home(&load, 0);
	load_stop(&load);
}

TEST(policy_calls, "one call serves a scan, and a run of folios")
{
	struct load load;
	long long marks, calls, scans;

	CHECK_EQ(set_sysctl("3"), 0);
	cgroup_make("t/a");
	set_mode("t/a", "tiering"); /* each remote page is refused a mark */
	load_policy("answer", "t/a", "");
	load = start_load("t/a", NULL);
	expect_growth("t/a", "scans_run", 10);
	CHECK_EQ(tool("policy unload answer"), 0);
	calls = cgroup_value("t/a", "cpu.numab.stat", "policy_calls");
	scans = cgroup_value("t/a", "cpu.numab.stat", "scans_run");
	marks = cgroup_value("t/a", "cpu.numab.stat", "marks_refused_normal");
	if (!strcmp(point_state("folio_can_map_prot_numa"), "absent"))
		marks = 2048 * scans; /* pages that were looked at */
	CHECK_CMP(marks, >, 2048);
	CHECK_CMP(calls, >=, scans);
	CHECK_CMP(calls, <, marks / 4, "%lld scans", scans);
	load_stop(&load);
}

TEST(policy_each_folio, "with the flag, each folio is asked about")
{
	struct load load;
	long long calls;

	CHECK_EQ(set_sysctl("2"), 0);
	cgroup_make("t/a");
	load_policy("each_folio", "t/a", "");
	load = start_load("t/a", NULL);
	expect_home(&load, 1);
	calls = cgroup_value("t/a", "cpu.numab.stat", "policy_calls");
	CHECK_CMP(calls, >=, 2048, "8 MB of pages were promoted");
	load_stop(&load);
}

static long long variable(const char *policy, const char *name)
{
	CHECK_EQ(tool("policy get %s %s", policy, name), 0, "%s",
		 tool_output());
	return atoll(tool_output());
}

TEST(policy_kfuncs, "what policies ask the kernel is what the kernel says")
{
	struct load load;

	CHECK_EQ(set_sysctl("3"), 0);
	cgroup_make("t/a");
	load_policy("kfuncs", "t/a", "");
	load = start_load("t/a", NULL);
	expect_home(&load, 0);
	CHECK_CMP(variable("kfuncs", "rss"), >=, 16 << 20);
	CHECK_CMP(variable("kfuncs", "rss"), <, 256 << 20);
	CHECK_CMP(variable("kfuncs", "llc"), >, 0);
	CHECK_EQ(variable("kfuncs", "node_count"), 3);
	CHECK_EQ(variable("kfuncs", "home_is_top"), 1);
	CHECK_EQ(variable("kfuncs", "slow_is_top"), 0);
	CHECK_CMP(variable("kfuncs", "node_bytes"), >, 64 << 20);
	CHECK_CMP(variable("kfuncs", "folio_node"), >=, 0);
	CHECK_CMP(variable("kfuncs", "cgroup_bytes"), >, 4 << 20);
	CHECK_CMP(variable("kfuncs", "cgroup_bytes"), <, 32 << 20);
	CHECK_EQ(variable("kfuncs", "task_cgroup"),
		 variable("kfuncs", "folio_cgroup"));
	CHECK_CMP(variable("kfuncs", "task_cgroup"), >, 1);
	load_stop(&load);
}

/* A policy that is refused, and the words that say why. */
static void expect_refusal(const char *arguments, const char *words)
{
	int status = tool("%s", arguments);

	if (!status || !strstr(tool_output(), words))
		test_fail(__FILE__, __LINE__, "%s: exit %d, said: %s",
			  arguments, status, tool_output());
	CHECK_EQ(status_number("policies"), 0);
}

TEST(policy_refused, "what cannot be a policy is refused with its reason")
{
	cgroup_make("t/a");
#define CHECK_REFUSED(name, words) \
	expect_refusal("policy check " DIR "bad_" name ".bpf.o", words)
	CHECK_REFUSED("empty", "the policy is empty");
	CHECK_REFUSED("two", "more than one policy");
	CHECK_REFUSED("version", "another version of numab");
	CHECK_REFUSED("null", "test for NULL");
	CHECK_REFUSED("sleeps", "may not sleep");
	CHECK_REFUSED("iterator", "nor loop by bpf_for()");
	CHECK_REFUSED("global", "are static");
	CHECK_REFUSED("helper", "no bpf_loop()");
	CHECK_REFUSED("endless", "infinite loop");
	expect_refusal("policy check /lab/policies/none.bpf.o", "No such file");
	expect_refusal("policy load " DIR "answer.bpf.o --cgroup /t/none",
		       "no such cgroup");
	expect_refusal("policy load " DIR "answer.bpf.o --cgroup /t/a "
		       "--name a/b",
		       "no name for a policy");
	expect_refusal("policy load " DIR "answer.bpf.o --cgroup /t/a "
		       "--set nothing=1",
		       "no variable nothing");
	CHECK_EQ(cgroup_write("t", "cgroup.subtree_control", "-cpu"), 0);
	expect_refusal("policy load " DIR "answer.bpf.o --cgroup /t/a",
		       "no cpu controller");
}

TEST(policy_check, "checking a policy attaches nothing")
{
	CHECK_EQ(tool("policy check " DIR "answer.bpf.o"), 0);
	CHECK_EQ(status_number("policies"), 0);
	CHECK_EQ(tool("policy list --json"), 0);
	CHECK(!strstr(tool_output(), "answer"));
}

TEST(policy_replace, "a policy is replaced without a gap")
{
	struct load load;
	long long scans;

	CHECK_EQ(set_sysctl("3"), 0);
	cgroup_make("t/a");
	load_policy("answer", "t/a", "--set answer_task=0");
	load = start_load("t/a", NULL);
	expect_growth("t/a", "scans_skipped_mode", 3);
	scans = cgroup_value("t/a", "cpu.numab.stat", "scans_run");
	for (int i = 0; i < 20; i++) {
		load_policy("answer", "t/a", "--replace --set answer_task=0");
		CHECK_EQ(status_number("policies"), 1);
	}
	CHECK_EQ(cgroup_value("t/a", "cpu.numab.stat", "scans_run"), scans);
	/* It is the new one that answers, and that can be changed. */
	set_answers("answer", -1, -1);
	expect_home(&load, 0);
	CHECK(tool("policy load " DIR "answer.bpf.o --cgroup /t --replace"));
	CHECK_EQ(status_number("policies"), 1);
	load_stop(&load);
}
