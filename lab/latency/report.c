// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "account.h"
#include "report.h"
#include "series.h"

#define MAX_SPACES  256 /* in JSON */
#define SHOW_SPACES 5	/* in the table */

static bool empty(const struct tally *t)
{
	return !t->reads && !t->writes && !t->written;
}

/* The last node's number is that of unknown addresses. */
static unsigned int next_node(const struct model *m, unsigned int node)
{
	return node + 1 == m->nr_nodes ? NO_NODE : node + 1;
}

static void table_rows(FILE *f, const struct model *m, const char *who,
		       const struct account *a)
{
	for (unsigned int n = 0; n <= NO_NODE; n = next_node(m, n)) {
		struct tally t = account_sum(a, n);
		char node[16];

		if (empty(&t))
			continue;
		snprintf(node, sizeof(node), n == NO_NODE ? "?" : "%u", n);
		fprintf(f, "%-20s %4s %12lu %12lu %11lu %11lu %11lu %11.3f\n",
			who, node, t.reads, t.writes, t.misses, t.transfers,
			t.written, t.stall_ps / 1e9);
		who = "";
	}
}

static void table_head(FILE *f, const struct model *m)
{
	fprintf(f,
		"emulated memory: %u caches of %u KB, %u ways, lines of %u "
		"bytes; user-mode accesses\n",
		m->nr_domains, m->cache_bytes / 1024, m->ways, m->line);
	if (m->scale)
		fprintf(f, "each miss delayed by %u times its latency\n",
			m->scale);
	fprintf(f, "%-20s %4s %12s %12s %11s %11s %11s %11s\n", "", "node",
		"reads", "writes", "misses", "transfers", "write-backs",
		"stall ms");
}

static void write_table(FILE *f, const struct model *m)
{
	struct space *spaces[SHOW_SPACES];
	unsigned int n = account_spaces(spaces, SHOW_SPACES);
	char who[32];

	table_head(f, m);
	table_rows(f, m, "machine", account_machine());
	for (unsigned int i = 1; i < MARK_SECTIONS; i++) {
		snprintf(who, sizeof(who), "section %u", i);
		table_rows(f, m, who, account_section(i));
	}
	for (unsigned int i = 0; i < n; i++) {
		snprintf(who, sizeof(who), "space %#lx", spaces[i]->root);
		table_rows(f, m, who, spaces[i]->own);
	}
}

static void json_tally(FILE *f, const struct tally *t)
{
	fprintf(f,
		"{\"reads\": %lu, \"writes\": %lu, \"misses\": %lu, "
		"\"transfers\": %lu, \"written\": %lu, \"stall_ns\": %lu}",
		t->reads, t->writes, t->misses, t->transfers, t->written,
		t->stall_ps / 1000);
}

static void json_account(FILE *f, const struct model *m,
			 const struct account *a)
{
	struct tally unknown = account_sum(a, NO_NODE);
	uint64_t instructions = 0;

	fprintf(f, "\"nodes\": [");
	for (unsigned int n = 0; n < m->nr_nodes; n++) {
		struct tally t = account_sum(a, n);

		fprintf(f, "%s", n ? ", " : "");
		json_tally(f, &t);
	}
	fprintf(f, "],\n  \"unknown\": %lu, \"cpus\": [",
		unknown.reads + unknown.writes);
	for (unsigned int cpu = 0; cpu < m->nr_cpus; cpu++) {
		instructions += a->instructions[cpu];
		fprintf(f, "%s\n    {\"instructions\": %lu, \"nodes\": [",
			cpu ? "," : "", a->instructions[cpu]);
		for (unsigned int n = 0; n < m->nr_nodes; n++) {
			fprintf(f, "%s", n ? ", " : "");
			json_tally(f, &a->tally[cpu][n]);
		}
		fprintf(f, "]}");
	}
	fprintf(f, "],\n  \"instructions\": %lu", instructions);
}

static void json_matrix(FILE *f, const struct model *m, const char *name,
			const unsigned int (*table)[MAX_NODES])
{
	fprintf(f, "\"%s\": [", name);
	for (unsigned int from = 0; from < m->nr_nodes; from++) {
		fprintf(f, "%s[", from ? ", " : "");
		for (unsigned int to = 0; to < m->nr_nodes; to++)
			fprintf(f, "%s%u", to ? ", " : "", table[from][to]);
		fprintf(f, "]");
	}
	fprintf(f, "],\n");
}

static void json_model(FILE *f, const struct model *m)
{
	fprintf(f,
		"\"emulated\": true, \"mode\": \"%s\", \"scale\": %u,\n"
		"\"cache_bytes\": %u, \"ways\": %u, \"line\": %u, "
		"\"cpus\": [",
		m->scale ? "delay" : "count", m->scale, m->cache_bytes, m->ways,
		m->line);
	for (unsigned int cpu = 0; cpu < m->nr_cpus; cpu++)
		fprintf(f, "%s{\"node\": %u, \"domain\": %u}", cpu ? ", " : "",
			m->node_of[cpu], m->domain_of[cpu]);
	fprintf(f, "],\n");
	json_matrix(f, m, "latency_ns", m->latency_ns);
	json_matrix(f, m, "bandwidth_gbs", m->bandwidth_gbs);
}

static void write_json(FILE *f, const struct model *m)
{
	struct space *spaces[MAX_SPACES];
	unsigned int n = account_spaces(spaces, MAX_SPACES);
	const char *comma = "";

	fprintf(f, "{");
	json_model(f, m);
	fprintf(f, "\"machine\": {");
	json_account(f, m, account_machine());
	fprintf(f, "},\n\"sections\": {");
	for (unsigned int i = 1; i < MARK_SECTIONS; i++) {
		if (!account_section_used(i))
			continue;
		fprintf(f, "%s\n \"%u\": {", comma, i);
		json_account(f, m, account_section(i));
		fprintf(f, "}");
		comma = ",";
	}
	fprintf(f, "},\n\"spaces_left_out\": %u, \"spaces\": [",
		account_overflow());
	for (unsigned int i = 0; i < n; i++) {
		fprintf(f, "%s\n {\"root\": %lu, ", i ? "," : "",
			spaces[i]->root);
		json_account(f, m, spaces[i]->own);
		fprintf(f, "}");
	}
	fprintf(f, "],\n");
	series_write(f);
	fprintf(f, "}\n");
}

static const char *write_file(const struct model *m, const char *path,
			      void (*writer)(FILE *, const struct model *))
{
	FILE *f;
	int bad;

	if (!*path)
		return NULL;
	f = fopen(path, "we");
	if (!f)
		return "cannot open a report's file";
	writer(f, m);
	bad = ferror(f);
	if (fclose(f) || bad)
		return "cannot write a report's file";
	return NULL;
}

const char *report_write(const struct model *model)
{
	const char *error = write_file(model, model->table, write_table);
	const char *second = write_file(model, model->json, write_json);

	return error ? error : second;
}
