/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the workloads share. Each does a fixed amount of work, is told how much
 * by arguments NAME=NUMBER, and prints one JSON object: how long it took and
 * what it cost. With section=N what it does between work_begin() and work_end()
 * counts for that section of the lab's plugin (lab/latency/mark.h).
 *
 * Failures end the program: there is nobody to handle them.
 */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#define PAGE 4096UL
#define LINE 64UL
#define MB   (1UL << 20)

void die(const char *what) __attribute__((noreturn));

/* The argument's value, or what holds without it. */
long argument(int argc, char **argv, const char *name, long otherwise);

void run_on_cpu(int cpu);

/* Memory whose pages are on the node; it has the default policy afterwards. */
void place(void *memory, size_t size, int node);

/* Anonymous small pages, private or shared, not touched yet. */
void *map_memory(size_t size, int shared);

long long now_ns(void);

/* A cheap generator: the same numbers in each run. */
static inline uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/*
 * In each process that works: work_enter() and work_leave() around its part.
 * In the one that reports: work_begin() before all, work_end() after all.
 */
void work_enter(int argc, char **argv);
void work_leave(void);
void work_begin(void);

/* MORE: further members of the object, or NULL. */
void work_end(const char *more);

#endif
