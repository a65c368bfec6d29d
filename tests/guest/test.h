/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests inside a lab machine. A case is a function in a process of its own;
 * it ends at the first check that fails. What it leaves behind (processes,
 * cgroups below "t", the sysctl, the module's absence) is put right before the
 * next one.
 */
#ifndef TESTS_GUEST_TEST_H
#define TESTS_GUEST_TEST_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../../lab/guest/cgroup.h"
#include "../../lab/guest/load.h"

#define SYSCTL "/proc/sys/kernel/numa_balancing"
#define STATUS "/sys/kernel/numab/"
/* How the kernel scans; put right before each case. */
#define SCANS "/sys/kernel/debug/sched/numa_balancing/"

/* Which pinned tasks are scanned; put right before each case. */
#define SCAN_PINNED "/sys/module/numab/parameters/scan_pinned"

/* The machine that cases are for when they do not say otherwise. */
#define TOPOLOGY "2s+cxl"

/* Its nodes. */
enum {
	HOME,
	REMOTE,
	SLOW
};

struct test {
	const char *name;
	const char *what; /* one sentence */
	void (*run)(void);
	const char *topology;
	struct test *next;
};

void test_register(struct test *test);

/* TEST(name, "what it proves") { body } */
#define TEST(fn, sentence) TEST_ON(TOPOLOGY, fn, sentence)

/* The same on another machine of the lab. */
#define TEST_ON(topology, fn, sentence)                                       \
	static void fn(void);                                                 \
	static struct test fn##_test = { #fn, sentence, fn, topology, NULL }; \
	static void __attribute__((constructor)) fn##_register(void)          \
	{                                                                     \
		test_register(&fn##_test);                                    \
	}                                                                     \
	static void fn(void)

void test_fail(const char *file, int line, const char *fmt, ...)
	__attribute__((noreturn, format(printf, 3, 4)));

/* End the case as skipped; the reason must stand in tests/guest/skips. */
void test_skip(const char *reason) __attribute__((noreturn));

#define CHECK(cond)                                                 \
	do {                                                        \
		if (!(cond))                                        \
			test_fail(__FILE__, __LINE__, "%s", #cond); \
	} while (0)

/* Compare numbers, showing both sides; the rest of the line says of what. */
#define CHECK_CMP(a, op, b, ...)                                            \
	do {                                                                \
		long long a_ = (a), b_ = (b);                               \
		char what_[320] = "";                                       \
		snprintf(what_, sizeof(what_), " " __VA_ARGS__);            \
		if (!(a_ op b_))                                            \
			test_fail(__FILE__, __LINE__,                       \
				  "%s %s %s: %lld against %lld%s", #a, #op, \
				  #b, a_, b_, what_);                       \
	} while (0)
#define CHECK_EQ(a, b, ...) CHECK_CMP(a, ==, b, __VA_ARGS__)

#define CHECK_STR(a, b)                                                    \
	do {                                                               \
		const char *a_ = (a), *b_ = (b);                           \
		if (strcmp(a_, b_))                                        \
			test_fail(__FILE__, __LINE__,                      \
				  "%s is \"%s\", not \"%s\"", #a, a_, b_); \
	} while (0)

/* The contents of cgroup's file, in a buffer that the next call reuses. */
const char *cgroup_text(const char *cgroup, const char *file);

/* Set a mode and insist. */
void set_mode(const char *cgroup, const char *mode);

/* Write the sysctl. 0 or -errno. */
int set_sysctl(const char *text);

long long status_number(const char *name);

/* The state word of a decision point, such as "live". */
const char *point_state(const char *symbol);

/* Wait (10 s) until the gates are hooked or not. */
void expect_hooks(const char *state);

/* Is a function redirected or watched by anybody (ftrace's own list)? */
bool is_traced(const char *function);

/* A value of /proc/vmstat. */
long long vmstat(const char *key);

/* One of numab's counters for the whole machine. */
long long status_stat(const char *key);

/* Load and unload the module; 0 or -errno. faulty: the one with fault=. */
int load_numab(const char *parameters);
int load_faulty(const char *parameters);
int load_livepatch(const char *target);
int load_brd(const char *parameters); /* the kernel's RAM disk */
int unload(const char *module);

/* Does the kernel itself leave tasks alone that a cpuset pins to a node? */
bool kernel_skips_pinned(void);

/* Does the kernel's log since the case began contain this? */
bool log_has(const char *text);

#endif
