// SPDX-License-Identifier: GPL-2.0
/*
 * A fixed amount of work for bench/scan: touch every page of some memory, then
 * compute, again and again. Prints the CPU time of it in nanoseconds, which
 * has all that NUMA balancing makes the process do on top.
 * usage: work MB PASSES
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE	4096
#define COMPUTE 1000000 /* rounds between two passes, 2 ms or so */

static long long cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void pass(volatile char *memory, size_t size)
{
	for (size_t at = 0; at < size; at += PAGE)
		memory[at]++;
	for (volatile int i = 0; i < COMPUTE; i++)
		;
}

static void *sleep_on(void *unused)
{
	for (;;)
		pause();
	return NULL;
}

int main(int argc, char **argv)
{
	size_t size = argc > 2 ? strtoul(argv[1], NULL, 10) << 20 : 0;
	unsigned long passes = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	pthread_t sleeper;
	long long start;
	char *memory;

	if (!size || !passes) {
		fprintf(stderr, "usage: work MB PASSES\n");
		return 2;
	}
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || madvise(memory, size, MADV_NOHUGEPAGE)) {
		perror("work");
		return 1;
	}
	/* Of a single thread the kernel marks remote memory only. */
	if (pthread_create(&sleeper, NULL, sleep_on, NULL)) {
		fprintf(stderr, "work: cannot make a thread\n");
		return 1;
	}
	pass(memory, size);
	start = cpu_ns();
	while (passes--)
		pass(memory, size);
	printf("%lld\n", cpu_ns() - start);
	return 0;
}
