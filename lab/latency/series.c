// SPDX-License-Identifier: GPL-2.0
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "account.h"
#include "series.h"

/* Index 0 is the machine; sections begin at 1. */
struct sample {
	uint64_t ms;
	struct tally tally[MARK_SECTIONS][MAX_NODES];
};

struct event {
	uint64_t us;
	unsigned int cpu, kind, section;
};

#define MAX_EVENTS 65536

static const struct model *model;
static struct timespec start;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sample *samples;
static size_t nr_samples;
static struct event events[MAX_EVENTS];
static size_t nr_events;

static uint64_t since_start_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - start.tv_sec) * 1000000LL +
	       (now.tv_nsec - start.tv_nsec) / 1000;
}

/* The lock is held. Memory that is out ends the series, not the machine. */
static void take_sample(void)
{
	struct sample *s;

	if (!(nr_samples & (nr_samples - 1))) {
		size_t room = nr_samples ? 2 * nr_samples : 1;

		s = realloc(samples, room * sizeof(*samples));
		if (!s)
			return;
		samples = s;
	}
	s = &samples[nr_samples++];
	memset(s, 0, sizeof(*s));
	s->ms = since_start_us() / 1000;
	for (unsigned int i = 0; i < MARK_SECTIONS; i++) {
		if (i && !account_section_used(i))
			continue;
		for (unsigned int n = 0; n < model->nr_nodes; n++)
			s->tally[i][n] = account_sum(
				i ? account_section(i) : account_machine(), n);
	}
}

static void *run(void *unused)
{
	const struct timespec interval = {
		.tv_sec = model->interval_ms / 1000,
		.tv_nsec = model->interval_ms % 1000 * 1000000L,
	};

	for (;;) {
		pthread_mutex_lock(&lock);
		take_sample();
		pthread_mutex_unlock(&lock);
		nanosleep(&interval, NULL);
	}
	return NULL;
}

/* The emulator's signals are for its own threads. */
void series_start(const struct model *m)
{
	sigset_t all, old;
	pthread_t thread;

	model = m;
	clock_gettime(CLOCK_MONOTONIC, &start);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (!pthread_create(&thread, NULL, run, NULL))
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void series_event(unsigned int cpu, unsigned int kind, unsigned int section)
{
	pthread_mutex_lock(&lock);
	if (nr_events < MAX_EVENTS)
		events[nr_events++] =
			(struct event){ since_start_us(), cpu, kind, section };
	pthread_mutex_unlock(&lock);
}

static void write_tallies(FILE *file, const struct tally *t)
{
	for (unsigned int n = 0; n < model->nr_nodes; n++)
		fprintf(file, "%s[%lu, %lu, %lu, %lu, %lu]", n ? ", " : "",
			t[n].reads + t[n].writes, t[n].misses, t[n].transfers,
			t[n].written, t[n].stall_ps / 1000);
}

static void write_sample(FILE *file, const struct sample *s)
{
	fprintf(file, "{\"ms\": %lu, \"machine\": [", s->ms);
	write_tallies(file, s->tally[0]);
	fprintf(file, "]");
	for (unsigned int i = 1; i < MARK_SECTIONS; i++) {
		if (!account_section_used(i))
			continue;
		fprintf(file, ", \"%u\": [", i);
		write_tallies(file, s->tally[i]);
		fprintf(file, "]");
	}
	fprintf(file, "}");
}

void series_write(FILE *file)
{
	static const char *const kinds[] = {
		[MARK_BEGIN] = "begin",
		[MARK_END] = "end",
		[MARK_FLUSH] = "flush",
		[MARK_EVENT] = "event",
	};

	pthread_mutex_lock(&lock);
	take_sample();
	fprintf(file, "\"events\": [");
	for (size_t i = 0; i < nr_events; i++)
		fprintf(file,
			"%s\n  {\"ms\": %.3f, \"cpu\": %u, \"mark\": \"%s\", "
			"\"section\": %u}",
			i ? "," : "", events[i].us / 1000.0, events[i].cpu,
			kinds[events[i].kind], events[i].section);
	fprintf(file, "],\n\"sample\": [\"accesses\", \"misses\", "
		      "\"transfers\", \"written\", \"stall_ns\"],\n"
		      "\"series\": [");
	for (size_t i = 0; i < nr_samples; i++) {
		fprintf(file, "%s\n  ", i ? "," : "");
		write_sample(file, &samples[i]);
	}
	fprintf(file, "]");
	pthread_mutex_unlock(&lock);
}
