// SPDX-License-Identifier: GPL-2.0
/*
 * In the guest, for tests/lab/latency.sh: accesses whose number is known, each
 * kind in a section of its own. The model's caches must be of 64 KB and 16
 * ways: then a page holds one line of each set.
 * usage: accesses count NODES	prints "section N ..." as the plugin should
 *        accesses wait NODE		prints how many nanoseconds the guest saw pass
 */
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../../lab/latency/mark.h"

#define PAGE  4096UL
#define LINE  64UL
#define LINES (PAGE / LINE)
#define PAGES 64UL
#define WAYS  16UL

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void run_on(int cpu)
{
	const struct sched_param first = { .sched_priority = 1 };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
	/* Where a section is a CPU's, nobody else may run there. */
	if (sched_setscheduler(0, SCHED_FIFO, &first))
		die("sched_setscheduler");
}

/* Pages on a node, there and to stay; the kernel is asked whether they are. */
static char *pages_on(int node)
{
	unsigned long mask = 1UL << node;
	void *page[PAGES];
	int status[PAGES];
	char *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || madvise(p, PAGES * PAGE, MADV_NOHUGEPAGE) ||
	    syscall(SYS_mbind, p, PAGES * PAGE, MPOL_BIND, &mask, 64, 0) ||
	    mlock(p, PAGES * PAGE))
		die("memory on a node");
	memset(p, 1, PAGES * PAGE);
	for (unsigned long i = 0; i < PAGES; i++)
		page[i] = p + i * PAGE;
	if (syscall(SYS_move_pages, 0, PAGES, page, NULL, status, 0))
		die("move_pages");
	for (unsigned long i = 0; i < PAGES; i++) {
		if (status[i] == node)
			continue;
		fprintf(stderr, "page %lu is on %d, not %d\n", i, status[i],
			node);
		exit(1);
	}
	return p;
}

/*
 * Between the marks nothing but these instructions touches memory. What the
 * call left in the caches is the oldest there, or is gone after the flush.
 */
static __attribute__((noinline)) void read_rounds(int section, const char *p,
						  long n, long stride,
						  long rounds)
{
	const char *at;
	long left;

	mark_begin(section);
	__asm__ volatile("2:\tmov %2, %0\n\tmov %3, %1\n"
			 "1:\tmov (%0), %%al\n\tadd %5, %0\n\t"
			 "dec %1\n\tjnz 1b\n\tdec %4\n\tjnz 2b"
			 : "=&r"(at), "=&r"(left), "+&r"(p), "+&r"(n),
			   "+&r"(rounds)
			 : "r"(stride)
			 : "rax", "memory", "cc");
	mark_end();
}

static __attribute__((noinline)) void flush_and_read(int section, const char *p,
						     long n, long stride,
						     long rounds)
{
	mark_flush();
	read_rounds(section, p, n, stride, rounds);
}

static void read_in(int section, const char *p, long n, long stride)
{
	read_rounds(section, p, n, stride, 1);
}

static __attribute__((noinline)) void write_in(int section, char *p, long n,
					       long stride)
{
	mark_begin(section);
	__asm__ volatile("1: movb $2, (%0)\n\tadd %2, %0\n\tdec %1\n\tjnz 1b"
			 : "+&r"(p), "+&r"(n)
			 : "r"(stride)
			 : "memory", "cc");
	mark_end();
}

static void expect(int section, int node, long reads, long writes, long misses,
		   long transfers, long written)
{
	printf("section %d %d %ld %ld %ld %ld %ld\n", section, node, reads,
	       writes, misses, transfers, written);
}

static void each_node(int nodes)
{
	for (int node = 0; node < nodes; node++) {
		char *p = pages_on(node);

		flush_and_read(1 + node, p, PAGES * LINES, LINE, 1);
		expect(1 + node, node, PAGES * LINES, 0, PAGES * LINES, 0, 0);
	}
}

static void hits_and_writes(char *p)
{
	flush_and_read(15, p, 8 * LINES, LINE, 1);
	read_in(5, p, 8 * LINES, LINE);
	expect(5, 0, 8 * LINES, 0, 0, 0, 0);
	mark_flush();
	write_in(6, p, 8 * PAGE / 8, 8);
	expect(6, 0, 0, 8 * PAGE / 8, 8 * LINES, 0, 0);
	expect(15, 0, 8 * LINES, 0, 8 * LINES, 0, 0);
}

/* As many pages as ways stay; one more, and the oldest always is the next. */
static void least_recently_used(char *p)
{
	flush_and_read(7, p, WAYS, PAGE, 10);
	expect(7, 0, 10 * WAYS, 0, WAYS, 0, 0);
	flush_and_read(8, p, WAYS + 1, PAGE, 10);
	expect(8, 0, 10 * (WAYS + 1), 0, 10 * (WAYS + 1), 0, 0);
}

/* Fill a set with modified lines, then read as many others. */
static __attribute__((noinline)) void write_backs(char *p)
{
	long n = WAYS, left = WAYS;

	mark_flush();
	mark_begin(9);
	__asm__ volatile("1: movb $2, (%0)\n\tadd %3, %0\n\tdec %1\n\tjnz 1b\n"
			 "2: mov (%0), %%al\n\tadd %3, %0\n\tdec %2\n\tjnz 2b"
			 : "+&r"(p), "+&r"(n), "+&r"(left)
			 : "r"(PAGE)
			 : "rax", "memory", "cc");
	mark_end();
	expect(9, 0, WAYS, WAYS, 2 * WAYS, 0, WAYS);
}

/* The other socket reads what this one wrote, takes it, and is read. */
static void coherence(char *p, int other_cpu)
{
	mark_flush();
	write_in(11, p, 8, LINE);
	expect(11, 0, 0, 8, 8, 0, 0);
	run_on(other_cpu);
	read_in(12, p, 8, LINE);
	expect(12, 0, 8, 0, 0, 8, 8);
	write_in(13, p, 8, LINE);
	expect(13, 0, 0, 8, 0, 8, 0);
	run_on(0);
	read_in(14, p, 8, LINE);
	expect(14, 0, 8, 0, 0, 8, 8);
}

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void wait_for(int node)
{
	char *p = pages_on(node);
	long long start;

	start = now_ns();
	flush_and_read(1, p, PAGES * LINES, LINE, 1);
	printf("%lld\n", now_ns() - start);
}

int main(int argc, char **argv)
{
	int nodes = argc == 3 ? atoi(argv[2]) : 0;
	char *p;

	run_on(0);
	if (argc != 3) {
		fprintf(stderr, "usage: accesses count NODES|wait NODE\n");
		return 2;
	}
	if (!strcmp(argv[1], "wait")) {
		wait_for(nodes);
		return 0;
	}
	each_node(nodes);
	p = pages_on(0);
	hits_and_writes(p);
	least_recently_used(p);
	write_backs(p);
	coherence(p, sysconf(_SC_NPROCESSORS_ONLN) - 1);
	return 0;
}
