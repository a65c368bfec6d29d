// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cgroup.h"
#include "load.h"
#include "server.h"

#define PAGE 4096UL
#define MB   (1UL << 20)
#define RET  0xc3 /* the instruction that each byte of the text is */

#define MATES_MAX 4

struct server_shared {
	atomic_ulong passes;
	atomic_int ready; /* processes */
	atomic_int touching;
	atomic_int awake; /* workers that touch */
	char *base[SERVER_REGIONS];
	pid_t mate[MATES_MAX];
};

static void sleep_ms(int ms)
{
	struct timespec t = { .tv_nsec = ms * 1000000L };

	nanosleep(&t, NULL);
}

void server_disk_mount(const char *path)
{
	if (system("mke2fs /dev/ram0 >/dev/null"))
		die("cannot make a file system in /dev/ram0");
	mkdir(path, 0755);
	if (mount("/dev/ram0", path, "ext4", 0, NULL))
		die("cannot mount /dev/ram0 on %s", path);
}

/* A file on the disk of which nothing is in memory. */
static int make_file(const struct server *server, enum server_region region)
{
	static char data[1 << 20];
	static int number;
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%d-%d", server->disk, getpid(),
		 number++);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	if (fd < 0)
		die("cannot make %s", path);
	memset(data, region == SERVER_TEXT ? RET : 1, sizeof(data));
	for (int i = 0; i < server->mb[region]; i++)
		if (write(fd, data, sizeof(data)) != sizeof(data))
			die("cannot write %s", path);
	if (fsync(fd) || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		die("cannot drop %s from memory", path);
	unlink(path);
	return fd;
}

static int open_region(const struct server *server, enum server_region region)
{
	int fd;

	if (region == SERVER_FILE || region == SERVER_TEXT)
		return make_file(server, region);
	if (region != SERVER_TABLE)
		return -1;
	fd = memfd_create("table", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, server->mb[region] * MB))
		die("cannot make shared memory");
	return fd;
}

static const struct {
	int protection, flags;
} mappings[SERVER_REGIONS] = {
	[SERVER_FILE] = { PROT_READ, MAP_SHARED },
	[SERVER_TEXT] = { PROT_READ | PROT_EXEC, MAP_PRIVATE },
	[SERVER_TABLE] = { PROT_READ | PROT_WRITE, MAP_SHARED },
	[SERVER_COLD] = { PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS },
	[SERVER_GIANT] = { PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE },
};

static void touch(enum server_region region, char *base, size_t len)
{
	size_t step = region == SERVER_GIANT ? MB : PAGE;

	for (size_t at = 0; at < len; at += step) {
		volatile char *byte = base + at;

		if (region == SERVER_TEXT)
			((void (*)(void))(base + at))();
		else if (mappings[region].protection & PROT_WRITE)
			*byte = 1;
		else
			(void)*byte;
	}
}

static void set_policy(int mode, int node)
{
	unsigned long mask = 1UL << node;

	if (syscall(SYS_set_mempolicy, mode, mode ? &mask : NULL,
		    mode ? 8 * sizeof(mask) : 0))
		die("cannot set the memory policy to node %d", node);
}

/* Fixed addresses, far from each other, so that mappings do not merge. */
static void map_region(const struct server *server, enum server_region region,
		       int fd)
{
	char *address = (char *)(0x100000000000UL + region * 0x10000000000UL);
	size_t len = server->mb[region] * MB;
	char *base;

	base = mmap(address, len, mappings[region].protection,
		    mappings[region].flags | MAP_FIXED_NOREPLACE, fd, 0);
	if (base != address)
		die("cannot map %zu bytes", len);
	madvise(base, len, MADV_NOHUGEPAGE);
	set_policy(MPOL_BIND, server->node);
	touch(region, base, len);
	set_policy(MPOL_DEFAULT, 0);
	server->shared->base[region] = base;
}

static void touch_hot(const struct server *server, bool mate)
{
	for (int i = SERVER_FILE; i <= SERVER_TABLE; i++)
		if (server->mb[i] && !(mate && i == SERVER_TABLE))
			touch(i, server->shared->base[i], server->mb[i] * MB);
}

/* Sleeps so much that a tick hardly ever finds it running. */
static void *work(void *arg)
{
	const struct server *server = arg;
	struct server_shared *shared = server->shared;

	for (;;) {
		if (!atomic_load(&shared->touching)) {
			sleep_ms(2);
			continue;
		}
		atomic_fetch_add(&shared->awake, 1);
		touch_hot(server, false);
		atomic_fetch_add(&shared->passes, 1);
		atomic_fetch_sub(&shared->awake, 1);
		sleep_ms(10);
	}
	return NULL;
}

static void *sleep_on(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void run_mate(struct server *server)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	touch_hot(server, true);
	atomic_fetch_add(&server->shared->ready, 1);
	for (;;) {
		touch_hot(server, true);
		sleep_ms(20);
	}
}

static void start_mates(struct server *server)
{
	for (int i = 0; i < server->mates && i < MATES_MAX; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("cannot start a process");
		if (!pid)
			run_mate(server);
		server->shared->mate[i] = pid;
	}
}

/* Its own memory is two pages of stack. */
static void be_busy(void)
{
	for (;;)
		for (volatile int i = 0; i < 1000000; i++)
			;
}

static void run(struct server *server)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "server");
	if (server->cgroup)
		cgroup_join(server->cgroup, getpid());
	load_run_on_node(server->cpu_node);
	for (int i = 0; i < SERVER_REGIONS; i++)
		if (server->mb[i])
			map_region(server, i, open_region(server, i));
	start_mates(server);
	for (int i = 0; i < server->workers; i++)
		if (pthread_create(&thread, NULL, work, server))
			die("cannot start a thread");
	for (int i = 0; i < server->sleepers; i++)
		if (pthread_create(&thread, NULL, sleep_on, NULL))
			die("cannot start a thread");
	atomic_fetch_add(&server->shared->ready, 1);
	be_busy();
}

static bool is_ready(void *arg)
{
	const struct server *server = arg;

	if (waitpid(server->pid, NULL, WNOHANG) == server->pid) {
		errno = ECHILD;
		die("the server ended");
	}
	return atomic_load(&server->shared->ready) == 1 + server->mates;
}

void server_start(struct server *server)
{
	server->shared =
		mmap(NULL, sizeof(*server->shared), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (server->shared == MAP_FAILED)
		die("cannot map a shared page");
	fflush(stdout);
	server->pid = fork();
	if (server->pid < 0)
		die("cannot start a server");
	if (!server->pid)
		run(server);
	if (!wait_until(is_ready, server, 60)) {
		errno = ETIMEDOUT;
		die("the server is not ready");
	}
}

unsigned long server_passes(const struct server *server)
{
	return atomic_load(&server->shared->passes);
}

/* The node of each page (else -errno), to be freed; moved before, if node >= 0. */
static int *pages_of(const struct server *server, enum server_region region,
		     int node, size_t *ret_n)
{
	size_t step = region == SERVER_GIANT ? MB : PAGE;
	size_t n = server->mb[region] * MB / step;
	void **address = calloc(n, sizeof(*address));
	int *nodes = calloc(n, sizeof(*nodes));
	int *status = calloc(n, sizeof(*status));

	if (!address || !nodes || !status)
		die("cannot ask where %zu pages are", n);
	for (size_t i = 0; i < n; i++) {
		address[i] = server->shared->base[region] + i * step;
		nodes[i] = node;
	}
	if (syscall(SYS_move_pages, server->pid, n, address,
		    node < 0 ? NULL : nodes, status, MPOL_MF_MOVE_ALL) < 0)
		die("cannot ask where the pages of %d are", server->pid);
	free(address);
	free(nodes);
	*ret_n = n;
	return status;
}

double server_share(const struct server *server, enum server_region region,
		    int node)
{
	size_t n, present = 0, there = 0;
	int *status = pages_of(server, region, -1, &n);

	for (size_t i = 0; i < n; i++) {
		present += status[i] >= 0;
		there += status[i] == node;
	}
	free(status);
	return present ? 100.0 * there / present : 0;
}

void server_place(const struct server *server, enum server_region region)
{
	size_t n;

	free(pages_of(server, region, server->node, &n));
}

static bool nobody_touches(void *arg)
{
	const struct server *server = arg;

	return !atomic_load(&server->shared->awake);
}

void server_touch(struct server *server, bool touching)
{
	atomic_store(&server->shared->touching, touching);
	if (!touching && !wait_until(nobody_touches, server, 30)) {
		errno = ETIMEDOUT;
		die("the server does not pause");
	}
}

void server_stop(struct server *server)
{
	for (int i = 0; i < MATES_MAX; i++)
		if (server->shared->mate[i] > 0)
			kill(server->shared->mate[i], SIGKILL);
	if (server->pid > 0) {
		kill(server->pid, SIGKILL);
		waitpid(server->pid, NULL, 0);
	}
	server->pid = 0;
	munmap(server->shared, sizeof(*server->shared));
}
