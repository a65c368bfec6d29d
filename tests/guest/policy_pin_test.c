// SPDX-License-Identifier: GPL-2.0
/*
 * What the tool keeps of policies in bpffs: it belongs to the one that is
 * attached, whatever became of others.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"
#include "test.h"
#include "tool.h"

#define ANSWER "/lab/policies/answer.bpf.o"
#define PINS   "/sys/fs/bpf/numab/"

#define NOBODY 65534
#define DENIED 6

static void load_answer(const char *options)
{
	int status = tool("policy load " ANSWER " --cgroup /t/a %s", options);

	if (status)
		test_fail(__FILE__, __LINE__, "cannot load: %s", tool_output());
}

/* That of the policy whose maps are pinned. */
static int answer(void)
{
	CHECK_EQ(tool("policy get answer answer_task"), 0, "%s", tool_output());
	return atoi(tool_output());
}

static void expect_maps(void)
{
	CHECK(!access(PINS "answer/maps/data", F_OK));
	CHECK(access(PINS "answer/maps_new", F_OK));
}

TEST(policy_pins_kept, "a replacement that is refused changes no pin")
{
	pid_t pid = sleeper();

	CHECK_EQ(set_sysctl("3"), 0);
	cgroup_make("t/a");
	cgroup_join("t/a", pid);
	load_answer("--set answer_task=0");
	CHECK_EQ(answer(), 0);
	CHECK_EQ(tool("policy load " ANSWER
		      " --cgroup /t --replace --set answer_task=1"),
		 1);
	CHECK(strstr(tool_output(), "has it another cgroup"));
	expect_maps();
	CHECK_EQ(answer(), 0);
	/* They are still those of the policy that is asked. */
	CHECK_EQ(task_read(pid).effective_mode, NUMAB_MODE_OFF);
	CHECK_EQ(tool("policy set answer answer_task=1"), 0);
	CHECK_EQ(task_read(pid).effective_mode, NUMAB_MODE_NORMAL);
	load_answer("--replace --set answer_task=2");
	expect_maps();
	CHECK_EQ(answer(), 2);
	CHECK_EQ(tool("policy set answer answer_task=0"), 0);
	CHECK_EQ(task_read(pid).effective_mode, NUMAB_MODE_OFF);
	kill_and_wait(pid);
	CHECK_EQ(tool("policy unload answer"), 0, "%s", tool_output());
	CHECK(access(PINS "answer", F_OK));
	CHECK_EQ(status_number("policies"), 0);
}

static bool is_detached(void *unused)
{
	(void)unused;
	return !tool("policy list") && strstr(tool_output(), " detached ");
}

TEST(policy_pins_left, "what a removed cgroup left of a policy is no obstacle")
{
	for (int i = 0; i < 2; i++) {
		cgroup_make("t/a");
		load_answer("");
		CHECK_EQ(cgroup_remove("t/a"), 0);
		CHECK(wait_until(is_detached, NULL, 30));
		cgroup_make("t/a");
		load_answer(i ? "--replace" : "");
		CHECK_EQ(status_number("policies"), 1);
		CHECK_EQ(tool("policy unload answer"), 0, "%s", tool_output());
	}
	CHECK_EQ(tool("policy unload answer"), 1);
	CHECK(strstr(tool_output(), "there is no policy answer"));
}

static pid_t start_load(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		freopen("/dev/null", "w", stderr);
		execlp("numab", "numab", "policy", "load", ANSWER, "--cgroup",
		       "/t/a", NULL);
		_exit(127);
	}
	return pid;
}

/* The one that comes first has it; the others touch nothing of it. */
TEST(policy_pins_raced, "of loads at once under one name, one is done")
{
	cgroup_make("t/a");
	for (int round = 0; round < 5; round++) {
		pid_t pids[6];
		int done = 0;

		for (int i = 0; i < 6; i++)
			pids[i] = start_load();
		for (int i = 0; i < 6; i++) {
			int status;

			CHECK_EQ(waitpid(pids[i], &status, 0), pids[i]);
			CHECK(WIFEXITED(status));
			CHECK_CMP(WEXITSTATUS(status), <=, 1);
			done += !WEXITSTATUS(status);
		}
		CHECK_EQ(done, 1);
		CHECK_EQ(status_number("policies"), 1);
		expect_maps();
		CHECK_EQ(answer(), -1);
		CHECK_EQ(tool("policy unload answer"), 0, "%s", tool_output());
		CHECK_EQ(status_number("policies"), 0);
	}
}

static int run_tool(void *arguments)
{
	int status = tool("%s", (const char *)arguments);

	if (status == DENIED && !strstr(tool_output(), "run this as root"))
		return 99;
	return status;
}

TEST(policy_pins_denied, "who is not root is told so, whatever there is")
{
	static char *const lines[] = {
		"policy list",
		"policy show answer",
		"policy get answer answer_task",
		"policy set answer answer_task=0",
		"policy unload answer",
		"unload --force",
	};

	cgroup_make("t/a");
	load_answer("");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		CHECK_EQ(as_user(NOBODY, run_tool, lines[i]), DENIED, "%s",
			 lines[i]);
	CHECK_EQ(status_number("policies"), 1);
	CHECK_EQ(answer(), -1);
	CHECK_EQ(tool("policy unload answer"), 0, "%s", tool_output());
}
