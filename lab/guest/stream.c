// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cgroup.h"
#include "load.h"
#include "stream.h"

#define MB	   (1UL << 20)
#define MB_MAX	   1024UL
#define ARRAYS	   2
#define THREADS	   64
#define LOOK_EVERY 10 /* ms */

struct stream_shared {
	atomic_ulong mb;
	atomic_ulong passes;
	atomic_int running;
};

struct part {
	const struct stream *stream;
	double *to;
	const double *from;
	int index;
};

/* One thread's part of an array of this many bytes. */
static void sweep(const struct part *part, size_t len)
{
	size_t n = len / sizeof(double) / part->stream->threads;
	size_t first = n * part->index;

	for (size_t i = first + 8; i + 8 < first + n; i += 8)
		part->to[i] = part->from[i - 8] + part->from[i] * 0.5 +
			      part->from[i + 8];
}

static void *stream_part(void *arg)
{
	struct part *part = arg;
	struct stream_shared *shared = part->stream->shared;

	atomic_fetch_add(&shared->running, 1);
	for (;;) {
		sweep(part, atomic_load(&shared->mb) * MB / ARRAYS);
		atomic_fetch_add(&shared->passes, 1);
	}
	return NULL;
}

static void *map_array(void)
{
	void *array = mmap(NULL, MB_MAX * MB / ARRAYS, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (array == MAP_FAILED)
		die("cannot map an array");
	madvise(array, MB_MAX * MB / ARRAYS, MADV_NOHUGEPAGE);
	return array;
}

/* What lies beyond the size is given back, over and over: it may race. */
static void give_back(struct stream_shared *shared, char *array)
{
	size_t len = atomic_load(&shared->mb) * MB / ARRAYS;

	madvise(array + len, MB_MAX * MB / ARRAYS - len, MADV_DONTNEED);
}

static void run(struct stream *stream)
{
	static struct part parts[THREADS];
	char *array[ARRAYS] = { map_array(), map_array() };
	struct timespec tick = { .tv_nsec = 20000000 };
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "stream");
	if (stream->cgroup)
		cgroup_join(stream->cgroup, getpid());
	for (int i = 0; i < stream->threads; i++) {
		parts[i] = (struct part){ stream, (double *)array[0],
					  (double *)array[1], i };
		if (pthread_create(&thread, NULL, stream_part, &parts[i]))
			die("cannot start a thread");
	}
	for (;;) {
		nanosleep(&tick, NULL);
		for (int i = 0; i < ARRAYS; i++)
			give_back(stream->shared, array[i]);
	}
}

static bool is_running(void *arg)
{
	const struct stream *stream = arg;

	return atomic_load(&stream->shared->running) == stream->threads;
}

void stream_start(struct stream *stream)
{
	stream->shared =
		mmap(NULL, sizeof(*stream->shared), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (stream->shared == MAP_FAILED || stream->threads > THREADS)
		die("cannot prepare a stream");
	atomic_store(&stream->shared->mb, stream->mb);
	fflush(stdout);
	stream->pid = fork();
	if (stream->pid < 0)
		die("cannot start a stream");
	if (!stream->pid) {
		run(stream);
		_exit(0);
	}
	if (!wait_until(is_running, stream, 60))
		die("the stream's threads do not run");
}

void stream_resize(struct stream *stream, int mb)
{
	atomic_store(&stream->shared->mb, mb);
}

unsigned long stream_passes(const struct stream *stream)
{
	return atomic_load(&stream->shared->passes);
}

/* The state and the CPU (fields 3 and 39) of /proc/PID/task/TID/stat. */
static bool read_place(const char *path, char *state, int *cpu)
{
	char text[1024], *at;

	if (file_read(path, text, sizeof(text)))
		return false;
	at = strrchr(text, ')');
	if (!at || sscanf(at + 1, " %c", state) != 1)
		return false;
	at += 2;
	for (int i = 3; i < 39 && at; i++) {
		at = strchr(at, ' ');
		at += !!at;
	}
	return at && sscanf(at, "%d", cpu) == 1;
}

static void look(const struct stream *stream, int first, int last, long *all,
		 long *within)
{
	char path[320];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", stream->pid);
	dir = opendir(path);
	if (!dir)
		die("the stream is gone");
	while ((entry = readdir(dir))) {
		char state;
		int cpu;

		snprintf(path, sizeof(path), "/proc/%d/task/%s/stat",
			 stream->pid, entry->d_name);
		if (*entry->d_name == '.' || !read_place(path, &state, &cpu) ||
		    state != 'R')
			continue;
		++*all;
		*within += cpu >= first && cpu <= last;
	}
	closedir(dir);
}

double stream_share(const struct stream *stream, int first, int last, int looks)
{
	struct timespec pause = { .tv_nsec = LOOK_EVERY * 1000000 };
	long all = 0, within = 0;

	while (looks--) {
		look(stream, first, last, &all, &within);
		nanosleep(&pause, NULL);
	}
	return all ? 100.0 * within / all : -1;
}

void stream_stop(struct stream *stream)
{
	kill(stream->pid, SIGKILL);
	waitpid(stream->pid, NULL, 0);
	munmap(stream->shared, sizeof(*stream->shared));
}
