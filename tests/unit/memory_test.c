// SPDX-License-Identifier: GPL-2.0
/*
 * Each command with its first, second, third... allocation failing: it ends
 * with one of its exit codes, and nothing is leaked or used wrongly (the
 * sanitizers watch). What it prints is then of no interest.
 *
 * help is left out: the C library aborts when it has no memory to format it.
 * The allocator's names are taken over here, which also reaches the calls of
 * the libraries, and lead to the sanitizer's own.
 */
#include "machines.h"

void *__interceptor_malloc(size_t size);
void *__interceptor_calloc(size_t count, size_t size);
void *__interceptor_realloc(void *old, size_t size);

/* Allocations still to succeed; negative: all of them. */
static long allocations_left = -1;
static bool has_failed;

static bool fails(void)
{
	if (allocations_left < 0 || allocations_left-- > 0)
		return false;
	/* Only this one: what follows must cope with what it left behind. */
	allocations_left = -1;
	has_failed = true;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __interceptor_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __interceptor_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __interceptor_realloc(old, size);
}

char *strndup(const char *text, size_t max)
{
	size_t len = strnlen(text, max);
	char *copy = malloc(len + 1);

	if (copy) {
		memcpy(copy, text, len);
		copy[len] = '\0';
	}
	return copy;
}

char *strdup(const char *text)
{
	return strndup(text, PTRDIFF_MAX - 1);
}

static void system_make(void)
{
	machine_2s_cxl();
	fixture_module("1\n");
	fixture_file("/sys/kernel/numab/points", "a live\nb held by me\n");
	fixture_workload("/a", "normal\n", "normal\n");
	fixture_workload("/a/b", "both\n", "normal\n");
	fixture_cgroup("/a/b", "cpu.numab.stat", "scans_run 1\n");
	fixture_cgroup("/a/b", "memory.stat", "numa_hint_faults 1\n");
	fixture_cgroup("/a/b", "memory.numa_stat", "anon N0=1 N1=2\n");
	fixture_cgroup("/a/leaf", "cgroup.controllers", "\n");
}

static char **arguments;

static int run_arguments(int argc, char **argv)
{
	const struct command *command = command_find(arguments[0]);
	char *copy[8] = { "numab" };

	for (argc = 1; arguments[argc]; argc++)
		copy[argc] = arguments[argc];
	return command->run(argc, copy);
}

/* The streams that catch the output are there before memory runs out. */
static int run_failing_at(long at)
{
	FILE *real_out = stdout, *real_err = stderr;
	int code;

	stdout = fopen("/dev/null", "w");
	stderr = fopen("/dev/null", "w");
	has_failed = false;
	allocations_left = at;
	code = run_arguments(0, NULL);
	allocations_left = -1;
	fclose(stdout);
	fclose(stderr);
	stdout = real_out;
	stderr = real_err;
	return code;
}

static void test_every_allocation(void **state)
{
	char *commands_to_run[][5] = {
		{ "status" },
		{ "status", "--json" },
		{ "list", "--all" },
		{ "list", "--json" },
		{ "get", "/a/b" },
		{ "get", "/a/b", "--json" },
		{ "set", "/a/b", "both", "-v" },
		{ "set", "/a/none", "off" },
		{ "set", "/a/leaf", "off" },
	};

	system_make();
	for (size_t i = 0; i < COUNT(commands_to_run); i++) {
		long at = 0;
		int code;

		arguments = commands_to_run[i];
		do {
			code = run_failing_at(at++);
			check(code >= 0 && code < EXIT_CODES, "%s: %d",
			      arguments[0], code);
		} while (has_failed);
		/* Something was allocated, and the sweep came to its end. */
		check(at > 2, "%s: %ld allocations", arguments[0], at - 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		fixture_test(test_every_allocation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
