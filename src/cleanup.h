/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scope guards: a variable declared with one of these is released when its
 * scope ends, on every path out of it. Initialise it where it is declared.
 *
 *	AUTO_FREE char *name = NULL;
 *	AUTO_CLOSE int fd = -1;
 *
 * Ownership leaves a guarded variable with take_ptr() or take_fd().
 */
#ifndef NUMAB_CLEANUP_H
#define NUMAB_CLEANUP_H

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#define AUTO(release) __attribute__((cleanup(release)))
#define AUTO_FREE     AUTO(cleanup_free)
#define AUTO_CLOSE    AUTO(cleanup_close)
#define AUTO_CLOSEDIR AUTO(cleanup_closedir)

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_closedir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

#define take_ptr(p)                         \
	({                                  \
		__typeof__(p) taken_ = (p); \
		(p) = NULL;                 \
		taken_;                     \
	})

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

#endif
