// SPDX-License-Identifier: GPL-2.0
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../lab/latency/mark.h"
#include "workload.h"

static long long start_ns;
static struct rusage start_self, start_children;

void die(const char *what)
{
	perror(what);
	exit(1);
}

long argument(int argc, char **argv, const char *name, long otherwise)
{
	size_t length = strlen(name);

	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], name, length) && argv[i][length] == '=')
			return strtol(argv[i] + length + 1, NULL, 10);
	return otherwise;
}

void run_on_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

void *map_memory(size_t size, int shared)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       (shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS, -1,
		       0);

	if (p == MAP_FAILED || madvise(p, size, MADV_NOHUGEPAGE))
		die("mmap");
	return p;
}

void place(void *memory, size_t size, int node)
{
	unsigned long mask = 1UL << node;

	if (syscall(SYS_set_mempolicy, MPOL_BIND, &mask, 8 * sizeof(mask)))
		die("set_mempolicy");
	for (size_t at = 0; at < size; at += PAGE)
		((volatile char *)memory)[at] = 1;
	if (syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0))
		die("set_mempolicy");
}

long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

void work_enter(int argc, char **argv)
{
	mark_begin(argument(argc, argv, "section", 0));
}

void work_leave(void)
{
	mark_end();
}

void work_begin(void)
{
	getrusage(RUSAGE_SELF, &start_self);
	getrusage(RUSAGE_CHILDREN, &start_children);
	start_ns = now_ns();
}

static double ms_between(const struct timeval *a, const struct timeval *b)
{
	return (b->tv_sec - a->tv_sec) * 1e3 + (b->tv_usec - a->tv_usec) / 1e3;
}

void work_end(const char *more)
{
	double elapsed = (now_ns() - start_ns) / 1e6;
	struct rusage self, children;

	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	printf("{\"elapsed_ms\": %.3f, \"user_ms\": %.3f, \"system_ms\": %.3f",
	       elapsed,
	       ms_between(&start_self.ru_utime, &self.ru_utime) +
		       ms_between(&start_children.ru_utime, &children.ru_utime),
	       ms_between(&start_self.ru_stime, &self.ru_stime) +
		       ms_between(&start_children.ru_stime,
				  &children.ru_stime));
	printf("%s%s}\n", more ? ", " : "", more ? more : "");
}
