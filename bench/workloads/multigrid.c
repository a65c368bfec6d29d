// SPDX-License-Identifier: GPL-2.0
/*
 * The pattern of multigrid solvers: threads of one process stream through grids
 * far larger than a cache, from the finest to the coarsest and back, with a
 * barrier between levels. Each thread has its slab of each grid and reads a
 * little of its neighbours'. It wants the bandwidth of all caches; gathering
 * its threads below one cache costs.
 *
 * multigrid threads=4 mb=24 cycles=6
 *	mb	of the finest grid; each next one has half
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "workload.h"

#define LEVELS	    4
#define MAX_THREADS 16
#define MAX_CPUS    64

static pthread_barrier_t level_done;
static char *grid[LEVELS];
static size_t size[LEVELS];
static long threads, cycles;
static unsigned long sweeps_on[MAX_CPUS];

/* A line depends on the ones around it; a twin sweep would write them back. */
static void sweep(char *base, size_t lines, long from, long to)
{
	for (long i = from; i < to; i++) {
		volatile char *at = base + i * LINE;
		size_t before = (i + lines - 1) % lines,
		       after = (i + 1) % lines;

		*at = (at[0] + base[before * LINE] + base[after * LINE]) / 3;
	}
}

static void one_level(int level, long number)
{
	long lines = size[level] / LINE, slab = lines / threads;
	int cpu = sched_getcpu();

	sweep(grid[level], lines, number * slab, (number + 1) * slab);
	if (cpu >= 0 && cpu < MAX_CPUS)
		__atomic_fetch_add(&sweeps_on[cpu], 1, __ATOMIC_RELAXED);
	pthread_barrier_wait(&level_done);
}

static void *run(void *data)
{
	long number = (long)data;

	for (long i = 0; i < cycles; i++) {
		for (int level = 0; level < LEVELS; level++)
			one_level(level, number);
		for (int level = LEVELS - 2; level > 0; level--)
			one_level(level, number);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[MAX_THREADS];
	char more[1024];
	int used;

	threads = argument(argc, argv, "threads", 4);
	cycles = argument(argc, argv, "cycles", 6);
	if (threads < 1 || threads > MAX_THREADS)
		die("multigrid: threads");
	pthread_barrier_init(&level_done, NULL, threads);
	for (int i = 0; i < LEVELS; i++) {
		size[i] = argument(argc, argv, "mb", 24) * MB >> i;
		grid[i] = map_memory(size[i], 0);
	}
	work_enter(argc, argv);
	work_begin();
	for (long i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, run, (void *)i))
			die("pthread_create");
	for (long i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	work_leave();
	used = snprintf(more, sizeof(more), "\"sweeps_on_cpu\": [%lu",
			sweeps_on[0]);
	for (int i = 1; i < 8; i++)
		used += snprintf(more + used, sizeof(more) - used, ", %lu",
				 sweeps_on[i]);
	snprintf(more + used, sizeof(more) - used, "]");
	work_end(more);
	return 0;
}
