// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../decide/cache.h"
#include "command.h"
#include "fs.h"
#include "gathering.h"
#include "hint.h"
#include "resctrl.h"

#define KB UINT64_C(1024)

struct arguments {
	int pid;
	bool json;
};

/* What is known of the process. */
struct answer {
	int pid;
	char *comm;
	int gathering_error; /* 0, or why there is nothing; see gathering.h */
	struct gathering gathering;
	bool has_resctrl;
	struct resctrl resctrl;
};

static const struct argp_option options[] = {
	{ "json", 'j', 0, 0, "Print JSON", 0 },
	{},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;
	uint64_t pid;

	switch (key) {
	case 'j':
		args->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (args->pid)
			argp_error(state, "one argument too many: %s", arg);
		if (text_parse_u64((struct span){ arg, strlen(arg) }, &pid) ||
		    !pid || pid > INT32_MAX)
			argp_error(state, "not a process id: %s", arg);
		args->pid = pid;
		return 0;
	case ARGP_KEY_END:
		if (!args->pid)
			argp_error(state, "a PID is needed");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp cmd_explain_argp = {
	.options = options,
	.parser = parse,
	.args_doc = "PID",
	.doc = "Show what holds for a process, and why: whether cache-aware "
	       "scheduling may gather its threads on one last-level cache.",
};

static void answer_release(struct answer *answer)
{
	free(answer->comm);
	resctrl_release(&answer->resctrl);
}

static int answer_read(int pid, struct answer *answer)
{
	char path[64];
	int ret;

	answer->pid = pid;
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	if (fs_read_word(path, &answer->comm))
		return -ESRCH;
	answer->gathering_error = gathering_read(pid, &answer->gathering);
	if (answer->gathering_error == -ENOMEM)
		return -ENOMEM;
	ret = resctrl_read(pid, &answer->resctrl);
	answer->has_resctrl = !ret;
	return ret == -ENOENT ? 0 : ret;
}

static const char *why_unknown(int error)
{
	switch (error) {
	case -ENOENT:
		return "a process with one thread is never gathered";
	case -ENODATA:
		return "numab is not loaded, debugfs is not mounted, or this "
		       "kernel does not schedule by caches";
	case -EACCES:
	case -EPERM:
		return "unknown (needs root)";
	default:
		return strerror(-error);
	}
}

static void print_asked(const struct gathering *g)
{
	const char *word = numab_cache_word(g->asked);

	if (word)
		printf("asked for    %s; the kernel's tolerance is %d\n", word,
		       g->tolerance);
	else
		printf("asked for    a tolerance of %d; the kernel's is %d\n",
		       g->asked, g->tolerance);
}

static void print_decision(const struct gathering *g)
{
	bool gathers = g->verdict >= 0 && numab_cache_gathers(g->verdict);
	uint64_t bound = gathering_bound(g);

	printf("decision     %s: %s", gathers ? "may be gathered" : "not",
	       g->verdict < 0 ? "for a reason this tool does not know" :
				numab_cache_reason(g->verdict));
	if (bound)
		printf(" (%" PRIu64 " kB)", bound / KB);
	putchar('\n');
	if (g->kernel_refuses)
		printf("kernel       its own check says no%s\n",
		       g->lifted ? ", and is made to pass" : "");
	if (g->cpu >= 0)
		printf("now          gathered on the cache of CPU %d\n",
		       g->cpu);
	else
		puts("now          not gathered");
}

static void print_gathering(const struct gathering *g)
{
	printf("cache        %" PRIu64 " kB, where it runs now\n", g->llc / KB);
	printf("footprint    %" PRIu64 " kB, the kernel's estimate%s\n",
	       g->footprint / KB, g->estimated ? "" : " (there is none)");
	printf("in sweep     %" PRIu64 " kB of hint faults since\n",
	       g->in_sweep / KB);
	printf("memory       %" PRIu64 " kB resident\n", g->rss / KB);
	print_asked(g);
	print_decision(g);
}

static void print_resctrl(const struct resctrl *resctrl)
{
	for (size_t i = 0; i < resctrl->count; i++) {
		const struct resctrl_cache *cache = &resctrl->caches[i];

		printf("occupancy    cache %u: ", cache->id);
		if (cache->bytes < 0)
			printf("not to be had now");
		else
			printf("%" PRId64 " kB", cache->bytes / (int64_t)KB);
		printf(" (resctrl group %s/)\n", resctrl->group);
	}
}

static void print_answer(const struct answer *answer)
{
	printf("process      %d (%s)\n", answer->pid, answer->comm);
	if (answer->gathering_error)
		printf("cache        %s\n",
		       why_unknown(answer->gathering_error));
	else
		print_gathering(&answer->gathering);
	if (answer->has_resctrl)
		print_resctrl(&answer->resctrl);
}

static json_t *gathering_json(const struct answer *answer)
{
	const struct gathering *g = &answer->gathering;

	if (answer->gathering_error)
		return json_null();
	return json_pack(
		"{s:I, s:I, s:I, s:I, s:b, s:i, s:o, s:s, s:b, s:b, s:b, s:o}",
		"llc_bytes", (json_int_t)g->llc, "footprint_bytes",
		(json_int_t)g->footprint, "in_sweep_bytes",
		(json_int_t)g->in_sweep, "rss_bytes", (json_int_t)g->rss,
		"estimated", g->estimated, "kernel_tolerance", g->tolerance,
		"asked", hint_json(g->asked), "verdict",
		numab_cache_verdict_name(g->verdict), "may_be_gathered",
		g->verdict >= 0 && numab_cache_gathers(g->verdict),
		"kernel_refuses", g->kernel_refuses, "lifted", g->lifted,
		"gathered_at_cpu", json_number(g->cpu));
}

static json_t *resctrl_json(const struct answer *answer)
{
	json_t *caches;

	if (!answer->has_resctrl)
		return json_null();
	caches = json_array();
	for (size_t i = 0; caches && i < answer->resctrl.count; i++) {
		const struct resctrl_cache *cache = &answer->resctrl.caches[i];

		json_array_append_new(caches,
				      json_pack("{s:I, s:o}", "cache",
						(json_int_t)cache->id, "bytes",
						json_number(cache->bytes)));
	}
	return json_pack("{s:o, s:o}", "group",
			 json_text(answer->resctrl.group), "occupancy", caches);
}

static json_t *answer_json(const struct answer *answer)
{
	return json_pack("{s:i, s:i, s:o, s:o, s:o}", "version",
			 NUMAB_JSON_VERSION, "pid", answer->pid, "comm",
			 json_text(answer->comm), "cache",
			 gathering_json(answer), "resctrl",
			 resctrl_json(answer));
}

int cmd_explain(int argc, char **argv)
{
	AUTO(answer_release) struct answer answer = {};
	struct arguments args = {};
	char what[32];
	int ret;

	ret = parse_arguments(&cmd_explain_argp, argc, argv, &args);
	if (ret)
		return ret;
	ret = answer_read(args.pid, &answer);
	if (ret) {
		snprintf(what, sizeof(what), "process %d", args.pid);
		return complain_errno(what, ret);
	}
	if (args.json)
		return print_json(answer_json(&answer));
	print_answer(&answer);
	return EXIT_OK;
}
