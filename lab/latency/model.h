/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The machine that is modelled, as lab/lib/latency.sh writes it from the
 * topology: one statement a line, numbers in decimal.
 *
 *	delay SCALE		delay mode; in count mode the line is absent
 *	interval MS		between two samples of the series
 *	cache BYTES WAYS LINE	of each last-level cache
 *	cpu CPU NODE DOMAIN	each CPU's node and cache
 *	memory START BYTES NODE	in the addresses that this plugin version sees
 *	latency FROM TO NS	from the CPUs of a node to memory of a node
 *	bandwidth FROM TO GBS	the same, 10^9 bytes a second
 *	table FILE, json FILE	where to report
 */
#ifndef LAB_LATENCY_MODEL_H
#define LAB_LATENCY_MODEL_H

#include <stdint.h>

#define MAX_CPUS   16
#define MAX_NODES  8
#define MAX_RANGES 16
#define NO_NODE	   MAX_NODES /* an address that no range holds */

struct model {
	unsigned int scale; /* of delays; 0: count only */
	unsigned int interval_ms;
	unsigned int cache_bytes, ways, line;
	unsigned int nr_cpus, nr_nodes, nr_domains, nr_ranges;
	unsigned int node_of[MAX_CPUS], domain_of[MAX_CPUS];
	unsigned int domain_node[MAX_CPUS]; /* of the domain's first CPU */
	struct {
		uint64_t start, size;
		unsigned int node;
	} range[MAX_RANGES];
	unsigned int latency_ns[MAX_NODES][MAX_NODES];
	unsigned int bandwidth_gbs[MAX_NODES][MAX_NODES]; /* 0: unlimited */
	char table[4096], json[4096];
};

/* Returns NULL, or what is wrong with the file. */
const char *model_read(struct model *model, const char *path);

unsigned int model_node(const struct model *model, uint64_t address);

/* Picoseconds that a line takes from a node's memory to a node's CPUs. */
uint64_t model_cost_ps(const struct model *model, unsigned int from,
		       unsigned int to);

#endif
