// SPDX-License-Identifier: GPL-2.0
/*
 * Servers with a large shared segment each, on DRAM and on a slow node: what is
 * hot happens to lie on the slow node, the cold rest fills DRAM. Processes of a
 * server answer requests: a line at random, nine times in ten in the hot part.
 * Besides the workers each server has threads that sleep.
 *
 * segments servers=2 workers=2 hot=6 cold=18 requests=500000 readonly=0 slow=2
 *	hot, cold	MB of each server's segment
 *	requests	of each worker
 *	readonly	percent of the hot part that the workers map for reading
 *			only, as programs do with tables and code
 *	slow		the node of the hot part
 * Where it may, one request in eight writes.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload.h"

struct server {
	int fd;
	size_t hot, cold;
	size_t readonly; /* the first bytes of the hot part */
	long requests;
};

static void *sleep_on(void *unused)
{
	for (;;)
		pause();
	return NULL;
}

/* In the file's order: hot pages, then cold ones. */
static void create(struct server *s, int slow)
{
	char *p;

	s->fd = memfd_create("segment", MFD_CLOEXEC);
	if (s->fd < 0 || ftruncate(s->fd, s->hot + s->cold))
		die("memfd_create");
	p = mmap(NULL, s->hot + s->cold, PROT_READ | PROT_WRITE, MAP_SHARED,
		 s->fd, 0);
	if (p == MAP_FAILED)
		die("mmap");
	place(p, s->hot, slow);
	place(p + s->hot, s->cold, 0);
	munmap(p, s->hot + s->cold);
}

static void answer(const struct server *s, char *base, uint64_t seed)
{
	volatile char sink;

	for (long i = 0; i < s->requests; i++) {
		uint32_t draw = next_random(&seed);
		size_t lines = (draw % 10 ? s->hot : s->cold) / LINE;
		size_t line = next_random(&seed) % lines;
		size_t at = line * LINE + (draw % 10 ? 0 : s->hot);

		if (at >= s->readonly && draw % 8 == 0)
			(*(volatile char *)(base + at))++;
		else
			sink = *(volatile char *)(base + at);
	}
	(void)sink;
}

static char *map_segment(const struct server *s)
{
	char *base = mmap(NULL, s->hot + s->cold, PROT_READ | PROT_WRITE,
			  MAP_SHARED, s->fd, 0);

	if (base == MAP_FAILED)
		die("mmap");
	if (s->readonly && mmap(base, s->readonly, PROT_READ,
				MAP_SHARED | MAP_FIXED, s->fd, 0) != base)
		die("mmap");
	return base;
}

static void work(const struct server *s, int number, int argc, char **argv)
{
	char *base = map_segment(s);
	pthread_t sleeper;

	if (pthread_create(&sleeper, NULL, sleep_on, NULL))
		die("pthread_create");
	work_enter(argc, argv);
	answer(s, base, 1 + number);
	work_leave();
	_exit(0);
}

int main(int argc, char **argv)
{
	long servers = argument(argc, argv, "servers", 2);
	long workers = argument(argc, argv, "workers", 2);
	struct server s = {
		.hot = argument(argc, argv, "hot", 6) * MB,
		.cold = argument(argc, argv, "cold", 18) * MB,
		.requests = argument(argc, argv, "requests", 500000),
	};
	int status, bad = 0;

	s.readonly =
		s.hot / PAGE * argument(argc, argv, "readonly", 0) / 100 * PAGE;
	work_begin();
	for (int i = 0; i < servers; i++) {
		create(&s, argument(argc, argv, "slow", 2));
		for (int w = 0; w < workers; w++) {
			pid_t pid = fork();

			if (pid < 0)
				die("fork");
			if (!pid)
				work(&s, i * workers + w, argc, argv);
		}
		close(s.fd);
	}
	while (wait(&status) > 0)
		bad |= status;
	work_end(NULL);
	return bad ? 1 : 0;
}
