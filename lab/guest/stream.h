/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A workload that streams: threads of one process, free to run anywhere, each
 * of which goes through its part of a few arrays as a stencil does, a pass
 * after another, with little use of anything twice. Where its threads run is
 * sampled: that is how cache-aware scheduling shows.
 */
#ifndef LAB_GUEST_STREAM_H
#define LAB_GUEST_STREAM_H

#include <sys/types.h>

struct stream {
	/* what to do, set by the caller */
	const char *cgroup; /* or NULL */
	int threads;
	int mb; /* of all arrays together, to begin with */

	/* state */
	pid_t pid;
	struct stream_shared *shared;
};

/* Start it, and return when its threads run. */
void stream_start(struct stream *stream);

/* Grow or shrink to so many MB; what is too much is given back. */
void stream_resize(struct stream *stream, int mb);

/* Passes that all threads made together. */
unsigned long stream_passes(const struct stream *stream);

/*
 * Look so often where each thread that runs is. Returns the percentage of
 * looks that found it on a CPU from first to last.
 */
double stream_share(const struct stream *stream, int first, int last,
		    int looks);

/* Kill it and wait for it. */
void stream_stop(struct stream *stream);

#endif
