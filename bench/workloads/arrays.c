// SPDX-License-Identifier: GPL-2.0
/*
 * Thread-local memory on the wrong node, the pattern of autonuma's numa01 with
 * thread-local memory: each thread goes through an array of its own, a line at
 * a time, and writes one line in eight. All arrays are first touched on one
 * node; each thread stays on one CPU, so what can help is moving the memory.
 *
 * arrays threads=4 mb=4 passes=20 node=0 first=0
 *	mb	of each thread
 *	node	where the memory starts; -1: where the threads touch it first
 *	first	the first thread's CPU, the others follow
 */
#include <pthread.h>
#include <stddef.h>

#include "workload.h"

#define MAX_THREADS 16

struct part {
	pthread_t thread;
	int cpu;
	long passes;
	char *memory;
	size_t size;
};

static pthread_barrier_t ready;

static void pass(char *memory, size_t size)
{
	volatile char sink;

	for (size_t at = 0; at < size; at += LINE) {
		if (at / LINE % 8)
			sink = *(volatile char *)(memory + at);
		else
			(*(volatile char *)(memory + at))++;
	}
	(void)sink;
}

static void *run(void *data)
{
	struct part *part = data;

	run_on_cpu(part->cpu);
	pthread_barrier_wait(&ready);
	for (long i = 0; i < part->passes; i++)
		pass(part->memory, part->size);
	return NULL;
}

int main(int argc, char **argv)
{
	long threads = argument(argc, argv, "threads", 4);
	long node = argument(argc, argv, "node", 0);
	struct part parts[MAX_THREADS];

	if (threads < 1 || threads > MAX_THREADS)
		die("arrays: threads");
	pthread_barrier_init(&ready, NULL, threads + 1);
	work_enter(argc, argv);
	for (int i = 0; i < threads; i++) {
		struct part *p = &parts[i];

		p->cpu = argument(argc, argv, "first", 0) + i;
		p->passes = argument(argc, argv, "passes", 20);
		p->size = argument(argc, argv, "mb", 4) * MB;
		p->memory = map_memory(p->size, 0);
		if (node >= 0)
			place(p->memory, p->size, node);
		if (pthread_create(&p->thread, NULL, run, p))
			die("pthread_create");
	}
	work_begin();
	pthread_barrier_wait(&ready);
	for (int i = 0; i < threads; i++)
		pthread_join(parts[i].thread, NULL);
	work_leave();
	work_end(NULL);
	return 0;
}
