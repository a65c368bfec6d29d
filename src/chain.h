/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The opinions along the way from a cgroup up to the root, and the system
 * default that holds where none of them is one: who decides a mode.
 *
 * Errors: negative errno. Nothing prints.
 */
#ifndef NUMAB_CHAIN_H
#define NUMAB_CHAIN_H

#include <stdbool.h>
#include <stddef.h>

struct chain_link {
	char *path;
	bool has_file; /* without the cpu controller: false, inherit */
	int opinion;
};

struct chain {
	size_t count; /* links, the cgroup itself first, the root left out */
	struct chain_link *links;
	int written; /* kernel.numa_balancing as written; -1: unknown */
};

#define AUTO_CHAIN AUTO(chain_release)
void chain_release(struct chain *chain);

/* -ENOENT or -ENODEV: the cgroup is gone. */
int chain_read(const char *mount, const char *path, struct chain *ret_chain);

/* The opinion of all links together, without policies. */
int chain_opinion(const struct chain *chain);

/* The mode that the opinions and the system default make. */
int chain_effective(const struct chain *chain);

/* Whether any place has an opinion; else the system default holds. */
bool chain_has_opinion(const struct chain *chain);

/* The nearest ancestor whose opinion leaves out a mechanism of mode. */
const struct chain_link *chain_find_narrowing(const struct chain *chain,
					      int mode);

/* kernel.numa_balancing as the administrator wrote it, or -errno. */
int chain_system_written(void);

#endif
