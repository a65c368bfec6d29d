// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cgroup.h"
#include "load.h"

#define PAGE 4096UL
#define MB   (1UL << 20)

struct load_shared {
	atomic_ulong passes;
	atomic_int ready;
	atomic_int paused;
	atomic_int asleep; /* threads that see it */
	void *base[LOAD_REGIONS];
};

double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void pause_ms(int ms)
{
	struct timespec t = { .tv_nsec = ms * 1000000L };

	nanosleep(&t, NULL);
}

bool wait_until(bool (*cond)(void *arg), void *arg, double seconds)
{
	double end = now() + seconds;

	while (!cond(arg)) {
		if (now() > end)
			return cond(arg);
		pause_ms(20);
	}
	return true;
}

/* Parse a list such as 0-1,4 of the node's CPUs. */
void load_run_on_node(int node)
{
	char path[96], text[256];
	char *at = text;
	cpu_set_t set;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist",
		 node);
	if (file_read(path, text, sizeof(text)))
		die("cannot read %s", path);
	CPU_ZERO(&set);
	while (*at) {
		long first = strtol(at, &at, 10), last = first;

		if (*at == '-')
			last = strtol(at + 1, &at, 10);
		for (; first <= last; first++)
			CPU_SET(first, &set);
		if (*at == ',')
			at++;
		else
			break;
	}
	if (sched_setaffinity(0, sizeof(set), &set))
		die("cannot run on the CPUs of node %d", node);
}

/* Memory of these nodes only; 0: the default policy. */
static void bind_to(unsigned long nodes)
{
	if (syscall(SYS_set_mempolicy, nodes ? MPOL_BIND : MPOL_DEFAULT,
		    nodes ? &nodes : NULL, nodes ? 8 * sizeof(nodes) : 0))
		die("cannot set the memory policy to nodes %#lx", nodes);
}

static void touch_first(const struct load *load, int i, char *base, size_t len)
{
	volatile char sink;

	bind_to(1UL << load->region[i].node);
	if (load->kind != LOAD_FILE)
		memset(base, 1, len);
	for (size_t at = 0; at < len; at += PAGE)
		sink = *(volatile char *)(base + at);
	(void)sink;
	bind_to(load->bound_to);
}

static void *map_region(const struct load *load, int i)
{
	bool anon = load->kind == LOAD_ANON || load->kind == LOAD_THP;
	bool huge = load->kind == LOAD_THP || load->kind == LOAD_SHMEM_THP;
	size_t len = load->region[i].mb * MB;
	void *base;

	base = mmap(NULL, len, PROT_READ | PROT_WRITE,
		    anon ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED,
		    anon ? -1 : load->region[i].fd, 0);
	if (base == MAP_FAILED)
		die("cannot map %d MB", load->region[i].mb);
	madvise(base, len, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	if (!load->region[i].placed)
		touch_first(load, i, base, len);
	return base;
}

static void *touch_all(void *arg)
{
	const struct load *load = arg;
	struct load_shared *shared = load->shared;
	volatile unsigned long sink;

	for (;;) {
		for (int i = 0; i < LOAD_REGIONS; i++) {
			const char *base = shared->base[i];
			size_t len = load->region[i].mb * MB;

			for (size_t at = 0; at < len; at += PAGE)
				sink = *(volatile unsigned long *)(base + at);
		}
		(void)sink;
		atomic_fetch_add(&shared->passes, 1);
		if (!atomic_load(&shared->paused))
			continue;
		atomic_fetch_add(&shared->asleep, 1);
		while (atomic_load(&shared->paused))
			pause_ms(5);
		atomic_fetch_sub(&shared->asleep, 1);
	}
	return NULL;
}

static void run(struct load *load)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, load->name ? load->name : load->cgroup);
	if (load->cgroup)
		cgroup_join(load->cgroup, getpid());
	if (load->cpu_node >= 0)
		load_run_on_node(load->cpu_node);
	for (int i = 0; i < LOAD_REGIONS; i++)
		if (load->region[i].mb)
			load->shared->base[i] = map_region(load, i);
	atomic_store(&load->shared->ready, 1);
	for (int i = 1; i < load->threads; i++)
		if (pthread_create(&thread, NULL, touch_all, load))
			die("cannot start a thread");
	touch_all(load);
}

static bool is_ready(void *arg)
{
	const struct load *load = arg;

	if (waitpid(load->pid, NULL, WNOHANG) == load->pid) {
		errno = ECHILD;
		die("the workload of cgroup %s ended", load->cgroup);
	}
	return atomic_load(&load->shared->ready);
}

void load_start(struct load *load)
{
	load->shared = mmap(NULL, sizeof(*load->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (load->shared == MAP_FAILED)
		die("cannot map a shared page");
	fflush(stdout);
	load->pid = fork();
	if (load->pid < 0)
		die("cannot start a workload");
	if (!load->pid) {
		run(load);
		_exit(0);
	}
	if (!wait_until(is_ready, load, 60)) {
		errno = ETIMEDOUT;
		die("the workload of cgroup %s is not ready", load->cgroup);
	}
}

unsigned long load_passes(const struct load *load)
{
	return atomic_load(&load->shared->passes);
}

/*
 * Ask where the pages of a region are, or move them to a node (else -1).
 * Returns each page's state, its node or -errno, to be freed.
 */
static int *pages_of(const struct load *load, int region, int node, size_t *n)
{
	size_t count = load->region[region].mb * MB / PAGE;
	char *base = load->shared->base[region];
	void **address = calloc(count, sizeof(*address));
	int *nodes = calloc(count, sizeof(*nodes));
	int *status = calloc(count, sizeof(*status));

	if (!address || !nodes || !status)
		die("cannot ask where %zu pages are", count);
	for (size_t i = 0; i < count; i++) {
		address[i] = base + i * PAGE;
		nodes[i] = node;
	}
	if (syscall(SYS_move_pages, load->pid, count, address,
		    node < 0 ? NULL : nodes, status, MPOL_MF_MOVE) < 0)
		die("cannot ask where the pages of %d are", load->pid);
	free(address);
	free(nodes);
	*n = count;
	return status;
}

void load_where(const struct load *load, int region, long *pages, int nodes)
{
	size_t count;
	int *status = pages_of(load, region, -1, &count);

	memset(pages, 0, nodes * sizeof(*pages));
	for (size_t i = 0; i < count; i++)
		if (status[i] >= 0 && status[i] < nodes)
			pages[status[i]]++;
	free(status);
}

void load_move(const struct load *load, int region, int node)
{
	size_t count;

	free(pages_of(load, region, node, &count));
}

double load_share(const struct load *load, int region, int node)
{
	long pages[8];

	load_where(load, region, pages, 8);
	return 100.0 * pages[node] / (load->region[region].mb * MB / PAGE);
}

static bool is_asleep(void *arg)
{
	const struct load *load = arg;
	int threads = load->threads ? load->threads : 1;

	return atomic_load(&load->shared->asleep) == threads;
}

void load_pause(struct load *load, bool pause)
{
	atomic_store(&load->shared->paused, pause);
	if (pause && !wait_until(is_asleep, load, 60)) {
		errno = ETIMEDOUT;
		die("the workload of cgroup %s does not pause", load->cgroup);
	}
}

void load_stop(struct load *load)
{
	if (load->pid > 0) {
		kill(load->pid, SIGKILL);
		waitpid(load->pid, NULL, 0);
	}
	load->pid = 0;
	munmap(load->shared, sizeof(*load->shared));
}
