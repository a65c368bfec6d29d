// SPDX-License-Identifier: GPL-2.0
/* What people type about a process, and a program that has the header alone. */
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"
#include "test.h"

#define NOBODY 65534

/* Exit statuses of the tool: see numab(8). */
enum {
	NO_MODULE = 3,
	DENIED = 6,
	NO_PROCESS = 8,
	NOT_RUN = 125,
};

static char said[8192];

/* Run a shell line; what it says is in said, errors as well. */
static int shell(const char *fmt, ...)
{
	char line[512];
	va_list args;
	size_t len;
	FILE *pipe;
	int status;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line) - 16, fmt, args);
	va_end(args);
	strcat(line, " 2>&1");
	pipe = popen(line, "r");
	if (!pipe)
		die("cannot run %s", line);
	len = fread(said, 1, sizeof(said) - 1, pipe);
	said[len] = '\0';
	status = pclose(pipe);
	printf("# %s: %d\n", line, WEXITSTATUS(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static void expect_said(const char *text)
{
	if (!strstr(said, text))
		test_fail(__FILE__, __LINE__, "no \"%s\" in: %s", text, said);
}

TEST(tool_run, "a command runs with the mode and values that are asked for")
{
	CHECK_EQ(set_sysctl("1"), 0);
	CHECK_EQ(shell("numab run off -- sh -c 'numab task $$; exit 9'"), 9);
	expect_said("own         off\n");
	expect_said("effective   off\n");
	expect_said("decided by  the process itself\n");
	CHECK_EQ(shell("numab run --hot-threshold-ms 200 --scan-period-ms "
		       "2000,9000 -- sh -c 'numab list --tasks; true'"),
		 0);
	expect_said(" sh ");
	expect_said("hot_threshold_ms=200,scan_period_ms=2000:9000");
	CHECK_EQ(shell("numab run off -- /nothing"), 127);
	CHECK_EQ(shell("numab run off -- /"), 126);
	CHECK_EQ(status_number("tasks"), 0);
}

TEST(tool_task, "a running process is set, listed and shown, and let go")
{
	pid_t pid = sleeper();

	CHECK_EQ(set_sysctl("0"), 0);
	cgroup_make("t/w");
	set_mode("t/w", "normal");
	cgroup_join("t/w", pid);
	CHECK_EQ(shell("numab task %d both --promote-mbps 5", pid), 0);
	expect_said("is set to both, but normal holds: its cgroups allow only "
		    "normal");
	CHECK_EQ(task_read(pid).mode, NUMAB_MODE_BOTH);
	CHECK_EQ(task_read(pid).promote_mbps, 5);
	CHECK_EQ(shell("numab task %d", pid), 0);
	expect_said("decided by  /t/w: normal\n");
	expect_said("promote_mbps        5        5          process\n");
	expect_said("kernel\n");
	CHECK_EQ(shell("numab list --tasks t"), 0);
	expect_said("promote_mbps=5  /t/w\n");
	CHECK_EQ(shell("numab status"), 0);
	expect_said(", processes 1");
	CHECK_EQ(shell("numab task %d inherit --promote-mbps default", pid), 0);
	CHECK_STR(said, "");
	CHECK_EQ(status_number("tasks"), 0);
	kill_and_wait(pid);
}

static int run_line(void *line)
{
	int status = shell("%s", (const char *)line);

	if (status == DENIED)
		expect_said("you may not trace it");
	if (status == NOT_RUN)
		expect_said("CAP_SYS_NICE");
	return status;
}

static int as_nobody(const char *line)
{
	return as_user(NOBODY, run_line, (void *)line);
}

TEST(tool_cache, "so is a hint for cache-aware scheduling, where there is that")
{
	cgroup_make("t/w");
	if (access("/sys/kernel/debug/sched/llc_balancing/enabled", F_OK)) {
		CHECK_EQ(shell("numab run --cache never -- true"), NOT_RUN);
		expect_said("this kernel lacks a decision point");
		CHECK_EQ(shell("numab set t/w cache=never"), 1);
		expect_said("no cpu.numab.cache");
		return;
	}
	CHECK_EQ(shell("numab set t/w cache=50"), 0);
	CHECK_STR(cgroup_text("t/w", "cpu.numab.cache"), "50");
	CHECK_EQ(shell("numab get t/w"), 0);
	expect_said("cache               50       50         /t/w\n");
	CHECK_EQ(shell("numab run --cache never -- sh -c 'numab task $$'"), 0);
	expect_said("cache               never    never      process\n");
	CHECK_EQ(shell("numab run --cache 30 -- sh -c "
		       "'numab list --tasks; true'"),
		 0);
	expect_said(" cache=30 ");
	CHECK_EQ(shell("numab set t/w cache=101"), 2);
	CHECK_EQ(as_nobody("numab run --cache always -- true"), NOT_RUN);
	CHECK_EQ(as_nobody("numab run --cache never -- true"), 0);
	CHECK_EQ(shell("numab set t/w cache=auto"), 0);
}

TEST(tool_refusals, "who may not is told why")
{
	pid_t pid = sleeper();
	char line[64];

	CHECK_EQ(set_sysctl("0"), 0);
	snprintf(line, sizeof(line), "numab task %d", pid);
	CHECK_EQ(as_nobody(line), DENIED);
	strcat(line, " off");
	CHECK_EQ(as_nobody(line), DENIED);
	CHECK_EQ(as_nobody("numab run normal -- true"), NOT_RUN);
	CHECK_EQ(as_nobody("numab run off -- true"), 0);
	CHECK_EQ(as_nobody("numab list --tasks"), 0);
	CHECK_EQ(shell("numab task 2"), NO_PROCESS);
	expect_said("it is a kernel thread");
	kill_and_wait(pid);
	CHECK_EQ(shell("numab task %d", pid), NO_PROCESS);
	expect_said("no such process");
}

TEST(tool_example, "a program with the header alone opts out where it can")
{
	CHECK_EQ(set_sysctl("3"), 0);
	CHECK_EQ(shell("self_opt_out"), 0);
	CHECK_STR(said, "balancing: off\n");
	CHECK_EQ(unload("numab"), 0);
	CHECK_EQ(shell("self_opt_out"), 0);
	CHECK_STR(said, "as the kernel does: No such file or directory\n");
	CHECK_EQ(shell("numab run off -- true"), NOT_RUN);
	expect_said("numab is not loaded\nhint: load it: modprobe numab\n");
	CHECK_EQ(shell("numab run --if-loaded off -- echo ran"), 0);
	CHECK_STR(said, "ran\n");
	CHECK_EQ(shell("numab task 1"), NO_MODULE);
	CHECK_EQ(load_numab(""), 0);
}
