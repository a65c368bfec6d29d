// SPDX-License-Identifier: GPL-2.0
/*
 * guest-tests TOPOLOGY [CASE...]: run the cases named, or all, of those that are
 * for the machine we are in. Prints TAP: the host's tests/guest-run counts it
 * and compares what was skipped with what may be.
 * guest-tests --topologies [CASE...]: print which machines these are for.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine.h"
#include "process.h"
#include "test.h"

#define CASE_SECONDS 1200
#define SKIPPED	     4 /* exit status, as kselftest has it */

static struct test *tests;

void test_register(struct test *test)
{
	struct test **at = &tests;

	while (*at && strcmp((*at)->name, test->name) < 0)
		at = &(*at)->next;
	test->next = *at;
	*at = test;
}

static bool ended(void *arg)
{
	int *state = arg; /* pid, then status */

	return waitpid(state[0], &state[1], WNOHANG) == state[0];
}

/* Returns the exit status; 255 stands for a crash or a time-out. */
static int run_case(const struct test *test)
{
	int state[2];

	fflush(stdout);
	state[0] = fork();
	if (state[0] < 0)
		die("cannot fork");
	if (!state[0]) {
		setpgid(0, 0);
		test->run();
		exit(0);
	}
	if (!wait_until(ended, state, CASE_SECONDS)) {
		printf("# no end within %d s\n", CASE_SECONDS);
		kill(-state[0], SIGKILL);
		waitpid(state[0], NULL, 0);
		return 255;
	}
	kill(-state[0], SIGKILL); /* what it started */
	if (!WIFEXITED(state[1])) {
		printf("# killed by signal %d\n", WTERMSIG(state[1]));
		return 255;
	}
	return WEXITSTATUS(state[1]);
}

static bool wanted(const struct test *test, int argc, char **argv)
{
	for (int i = 2; i < argc; i++)
		if (!strcmp(argv[i], test->name))
			return true;
	return argc == 2;
}

/* Each once. */
static int print_topologies(int argc, char **argv)
{
	for (struct test *test = tests, *other; test; test = test->next) {
		if (!wanted(test, argc, argv))
			continue;
		for (other = tests; other != test; other = other->next)
			if (wanted(other, argc, argv) &&
			    !strcmp(other->topology, test->topology))
				break;
		if (other == test)
			puts(test->topology);
	}
	return 0;
}

/* What this kernel is and can: docs/support.md is made from it. */
static void print_kernel(void)
{
	char text[4096], *line;

	if (file_read("/proc/sys/kernel/osrelease", text, sizeof(text)))
		die("cannot read the kernel's release");
	printf("# kernel %s\n", text);
	if (file_read(STATUS "points", text, sizeof(text)))
		die("numab is not loaded");
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		printf("# point %s\n", line);
}

/* NAME=VALUE is for the cases' environment, as with make: none is a name. */
static int take_settings(int argc, char **argv)
{
	int left = 0;

	for (int i = 0; i < argc; i++) {
		if (strchr(argv[i], '='))
			putenv(argv[i]);
		else
			argv[left++] = argv[i];
	}
	argv[left] = NULL;
	return left;
}

int main(int argc, char **argv)
{
	int count = 0, failed = 0;

	argc = take_settings(argc, argv);

	/* Executed by a case: say the mode that came over the execve(). */
	if (argc == 2 && !strcmp(argv[1], "--mode"))
		return task_exit_status();
	if (argc < 2)
		die("name the topology of this machine");
	if (!strcmp(argv[1], "--topologies"))
		return print_topologies(argc, argv);
	print_kernel();
	for (struct test *test = tests; test; test = test->next) {
		double start = now();
		int status;

		if (!wanted(test, argc, argv) ||
		    strcmp(test->topology, argv[1]))
			continue;
		machine_reset();
		status = run_case(test);
		printf("%s %d - %s: %s (%.1f s)%s\n",
		       status && status != SKIPPED ? "not ok" : "ok", ++count,
		       test->name, test->what, now() - start,
		       status == SKIPPED ? " # SKIP" : "");
		failed += status && status != SKIPPED;
	}
	machine_reset();
	printf("1..%d\n", count);
	return failed || !count;
}
