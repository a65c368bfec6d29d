/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process like a database server, all of whose memory starts on one node:
 * worker threads, which sleep most of the time, touch a read-only mapping of a
 * file, program text and a table in shared memory; another thread is always
 * busy, with next to no memory of its own. Beside that lie a big region that
 * nobody touches any more and a huge one that is nearly empty.
 *
 * It is the workload that filters for placement keep on a slow node.
 */
#ifndef LAB_GUEST_SERVER_H
#define LAB_GUEST_SERVER_H

#include <stdbool.h>
#include <sys/types.h>

enum server_region {
	SERVER_FILE,  /* read-only and shared, of a file */
	SERVER_TEXT,  /* executable and private, of a file */
	SERVER_TABLE, /* shared memory */
	SERVER_COLD,  /* anonymous, touched once */
	SERVER_GIANT, /* anonymous, one page of each MB touched once */
	SERVER_REGIONS,
};

struct server {
	/* what to do, set by the caller */
	const char *cgroup; /* NULL: the caller's */
	const char *disk;   /* a folder on a file system with a page cache */
	int cpu_node;	    /* whose CPUs it runs on */
	int node;	    /* where its memory starts */
	int workers;	    /* threads that touch */
	int sleepers;	    /* threads that do nothing */
	int mates;	    /* more processes that touch file and text */
	int mb[SERVER_REGIONS]; /* 0: not there */

	/* state, read by the caller */
	pid_t pid;
	struct server_shared *shared;
};

/* Start it; returns when all of its memory is where it starts. */
void server_start(struct server *server);

/* Times a worker went through all it touches. */
unsigned long server_passes(const struct server *server);

/* The percentage of a region's present pages that are on a node. */
double server_share(const struct server *server, enum server_region region,
		    int node);

/* Put a region's pages back to where they started. */
void server_place(const struct server *server, enum server_region region);

/* Let workers touch (or not). Returns when all of them have seen it. */
void server_touch(struct server *server, bool touch);

void server_stop(struct server *server);

/* Make a file system in the kernel's RAM disk at /dev/ram0 and mount it. */
void server_disk_mount(const char *path);

#endif
