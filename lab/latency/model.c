// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "model.h"

static unsigned int larger(unsigned int a, unsigned int b)
{
	return a > b ? a : b;
}

static bool read_cpu(struct model *m, const char *text)
{
	unsigned int cpu, node, domain;

	if (sscanf(text, "%u %u %u", &cpu, &node, &domain) != 3 ||
	    cpu >= MAX_CPUS || node >= MAX_NODES || domain >= MAX_CPUS)
		return false;
	m->node_of[cpu] = node;
	m->domain_of[cpu] = domain;
	if (domain >= m->nr_domains)
		m->domain_node[domain] = node;
	m->nr_cpus = larger(m->nr_cpus, cpu + 1);
	m->nr_domains = larger(m->nr_domains, domain + 1);
	m->nr_nodes = larger(m->nr_nodes, node + 1);
	return true;
}

static bool read_memory(struct model *m, const char *text)
{
	unsigned int i = m->nr_ranges;

	if (i == MAX_RANGES ||
	    sscanf(text, "%lu %lu %u", &m->range[i].start, &m->range[i].size,
		   &m->range[i].node) != 3 ||
	    m->range[i].node >= MAX_NODES)
		return false;
	m->nr_nodes = larger(m->nr_nodes, m->range[i].node + 1);
	m->nr_ranges++;
	return true;
}

static bool read_pair(unsigned int (*table)[MAX_NODES], const char *text)
{
	unsigned int from, to, value;

	if (sscanf(text, "%u %u %u", &from, &to, &value) != 3 ||
	    from >= MAX_NODES || to >= MAX_NODES)
		return false;
	table[from][to] = value;
	return true;
}

static bool read_path(char *path, size_t size, const char *text)
{
	size_t length = strcspn(text, "\n");

	if (!length || length >= size)
		return false;
	memcpy(path, text, length);
	path[length] = '\0';
	return true;
}

static bool read_line(struct model *m, const char *word, const char *text)
{
	if (!strcmp(word, "delay"))
		return sscanf(text, "%u", &m->scale) == 1 && m->scale;
	if (!strcmp(word, "interval"))
		return sscanf(text, "%u", &m->interval_ms) == 1 &&
		       m->interval_ms;
	if (!strcmp(word, "cache"))
		return sscanf(text, "%u %u %u", &m->cache_bytes, &m->ways,
			      &m->line) == 3;
	if (!strcmp(word, "cpu"))
		return read_cpu(m, text);
	if (!strcmp(word, "memory"))
		return read_memory(m, text);
	if (!strcmp(word, "latency"))
		return read_pair(m->latency_ns, text);
	if (!strcmp(word, "bandwidth"))
		return read_pair(m->bandwidth_gbs, text);
	if (!strcmp(word, "table"))
		return read_path(m->table, sizeof(m->table), text);
	if (!strcmp(word, "json"))
		return read_path(m->json, sizeof(m->json), text);
	return false;
}

static const char *check(const struct model *m)
{
	if (!m->nr_cpus || !m->nr_ranges || !m->interval_ms)
		return "cpu, memory or interval is missing";
	for (unsigned int cpu = 0; cpu < m->nr_cpus; cpu++)
		for (unsigned int to = 0; to < m->nr_nodes; to++)
			if (!m->latency_ns[m->node_of[cpu]][to])
				return "a latency is missing";
	if (m->line < 16 || (m->line & (m->line - 1)) || !m->ways ||
	    m->cache_bytes < m->ways * m->line ||
	    m->cache_bytes % (m->ways * m->line))
		return "the cache's size is no multiple of ways and line, or "
		       "the line no power of two";
	return NULL;
}

const char *model_read(struct model *model, const char *path)
{
	static char error[4200];
	FILE *file = fopen(path, "re");
	char line[4200], word[32];
	int used;

	memset(model, 0, sizeof(*model));
	if (!file)
		return "cannot open the model's file";
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%31s %n", word, &used) != 1 ||
		    !read_line(model, word, line + used)) {
			fclose(file);
			snprintf(error, sizeof(error), "cannot read '%.*s'",
				 (int)strcspn(line, "\n"), line);
			return error;
		}
	}
	fclose(file);
	return check(model);
}

unsigned int model_node(const struct model *model, uint64_t address)
{
	for (unsigned int i = 0; i < model->nr_ranges; i++)
		if (address - model->range[i].start < model->range[i].size)
			return model->range[i].node;
	return NO_NODE;
}

uint64_t model_cost_ps(const struct model *model, unsigned int from,
		       unsigned int to)
{
	uint64_t ps = model->latency_ns[from][to] * 1000ULL;
	unsigned int gbs = model->bandwidth_gbs[from][to];

	return gbs ? ps + model->line * 1000ULL / gbs : ps;
}
