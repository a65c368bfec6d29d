// SPDX-License-Identifier: GPL-2.0
/*
 * Message passing with a small footprint: threads in a ring hand a buffer of a
 * few lines on, each reads and writes it and wakes the next. Its lines travel
 * between caches unless the threads share one, which is what cache-aware
 * scheduling is for.
 *
 * messages threads=4 rings=2 lines=32 rounds=4000
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "workload.h"

#define MAX_LINES 1024

struct ring {
	_Atomic uint32_t turn;
	long threads, lines, rounds;
	char buffer[MAX_LINES * LINE] __attribute__((aligned(64)));
};

struct member {
	struct ring *ring;
	long number;
	pthread_t thread;
};

static void wait_for(struct ring *ring, uint32_t turn)
{
	uint32_t seen;

	while ((seen = atomic_load(&ring->turn)) != turn)
		syscall(SYS_futex, &ring->turn, FUTEX_WAIT_PRIVATE, seen, NULL,
			NULL, 0);
}

static void hand_on(struct ring *ring, uint32_t turn)
{
	atomic_store(&ring->turn, turn);
	syscall(SYS_futex, &ring->turn, FUTEX_WAKE_PRIVATE, ring->threads, NULL,
		NULL, 0);
}

static void *run(void *data)
{
	struct member *m = data;
	struct ring *ring = m->ring;

	for (long i = 0; i < ring->rounds; i++) {
		uint32_t turn = i * ring->threads + m->number;

		wait_for(ring, turn);
		for (long line = 0; line < ring->lines; line++)
			(*(volatile char *)(ring->buffer + line * LINE))++;
		hand_on(ring, turn + 1);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long threads = argument(argc, argv, "threads", 4);
	long rings = argument(argc, argv, "rings", 2);
	struct member *members = calloc(rings * threads, sizeof(*members));
	struct ring *ring = map_memory(rings * sizeof(*ring), 0);

	if (!members)
		die("messages");
	work_enter(argc, argv);
	work_begin();
	for (long i = 0; i < rings * threads; i++) {
		struct ring *r = &ring[i / threads];

		r->threads = threads;
		r->lines = argument(argc, argv, "lines", 32) % MAX_LINES;
		r->rounds = argument(argc, argv, "rounds", 4000);
		members[i].ring = r;
		members[i].number = i % threads;
		if (pthread_create(&members[i].thread, NULL, run, &members[i]))
			die("pthread_create");
	}
	for (long i = 0; i < rings * threads; i++)
		pthread_join(members[i].thread, NULL);
	work_leave();
	work_end(NULL);
	return 0;
}
