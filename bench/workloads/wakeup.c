// SPDX-License-Identifier: GPL-2.0
/*
 * Wake-up latency, in the manner of schbench: message threads wake their
 * workers in turn, a worker notes how long it took from the wake-up to its
 * first instruction, computes a little over memory of its own, and sleeps.
 * Prints percentiles of all wake-ups.
 *
 * wakeup messengers=2 workers=4 wakeups=1000 kb=64
 *	workers, wakeups	of each messenger, of each worker
 *	kb			that a worker goes through after each wake-up
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "workload.h"

struct worker {
	_Atomic uint32_t go; /* wake-ups so far */
	_Atomic uint32_t done;
	_Atomic long long woken_at;
	long long *latency;
	char *memory;
	pthread_t thread;
} __attribute__((aligned(64)));

static long workers, wakeups;
static size_t bytes;

static void futex(_Atomic uint32_t *word, int operation, uint32_t value)
{
	syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, NULL,
		NULL, 0);
}

static void wait_until(_Atomic uint32_t *word, uint32_t value)
{
	uint32_t seen;

	while ((seen = atomic_load(word)) != value)
		futex(word, FUTEX_WAIT, seen);
}

static void set_and_wake(_Atomic uint32_t *word, uint32_t value)
{
	atomic_store(word, value);
	futex(word, FUTEX_WAKE, 1);
}

static void *run_worker(void *data)
{
	struct worker *w = data;

	for (long i = 0; i < wakeups; i++) {
		wait_until(&w->go, i + 1);
		w->latency[i] = now_ns() - atomic_load(&w->woken_at);
		for (size_t at = 0; at < bytes; at += LINE)
			((volatile char *)w->memory)[at]++;
		set_and_wake(&w->done, i + 1);
	}
	return NULL;
}

static void *run_messenger(void *data)
{
	struct worker *group = data;

	for (long i = 0; i < wakeups; i++) {
		for (long w = 0; w < workers; w++) {
			atomic_store(&group[w].woken_at, now_ns());
			set_and_wake(&group[w].go, i + 1);
		}
		for (long w = 0; w < workers; w++)
			wait_until(&group[w].done, i + 1);
	}
	return NULL;
}

static int by_size(const void *a, const void *b)
{
	long long x = *(const long long *)a, y = *(const long long *)b;

	return (x > y) - (x < y);
}

static void report(long long *latency, long n)
{
	char more[128];

	qsort(latency, n, sizeof(*latency), by_size);
	snprintf(more, sizeof(more),
		 "\"p50_us\": %.1f, \"p90_us\": %.1f, \"p99_us\": %.1f",
		 latency[n / 2] / 1e3, latency[n * 9 / 10] / 1e3,
		 latency[n * 99 / 100] / 1e3);
	work_end(more);
}

int main(int argc, char **argv)
{
	long messengers = argument(argc, argv, "messengers", 2), all;
	struct worker *worker;
	pthread_t *messenger;
	long long *latency;

	workers = argument(argc, argv, "workers", 4);
	wakeups = argument(argc, argv, "wakeups", 1000);
	bytes = argument(argc, argv, "kb", 64) * 1024;
	all = messengers * workers;
	worker = map_memory(all * sizeof(*worker), 0);
	messenger = calloc(messengers, sizeof(*messenger));
	latency = calloc(all * wakeups, sizeof(*latency));
	if (!messenger || !latency)
		die("wakeup");
	work_begin();
	for (long i = 0; i < all; i++) {
		worker[i].latency = latency + i * wakeups;
		worker[i].memory = map_memory(bytes, 0);
		if (pthread_create(&worker[i].thread, NULL, run_worker,
				   &worker[i]))
			die("pthread_create");
	}
	for (long i = 0; i < messengers; i++)
		if (pthread_create(&messenger[i], NULL, run_messenger,
				   worker + i * workers))
			die("pthread_create");
	for (long i = 0; i < messengers; i++)
		pthread_join(messenger[i], NULL);
	for (long i = 0; i < all; i++)
		pthread_join(worker[i].thread, NULL);
	report(latency, all * wakeups);
	return 0;
}
