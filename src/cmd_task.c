// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "answer.h"
#include "cgroup.h"
#include "cmd_wish.h"
#include "command.h"
#include "mode.h"
#include "process.h"
#include "task.h"

/* Instead of a cgroup's path: a path begins with a slash. */
#define FROM_PROCESS "process"
#define FROM_UNKNOWN "unknown"

struct arguments {
	const char *pid;
	struct wish wish;
	bool json;
};

/* Who has the last word on a process's mode. */
enum decider {
	BY_DEFAULT,
	BY_PROCESS,
	BY_CGROUPS,
	BY_BOTH, /* each leaves something out */
	BY_POLICIES,
};

static const char *const decider_words[] = {
	[BY_DEFAULT] = "system default", [BY_PROCESS] = "process",
	[BY_CGROUPS] = "cgroups",	 [BY_BOTH] = "process and cgroups",
	[BY_POLICIES] = "policies",
};

static const struct argp_option options[] = {
	{ "json", 'j', 0, 0, "Print JSON, also after setting", 0 },
	{},
};

static const struct argp_child children[] = { { &wish_argp, 0, NULL, 0 }, {} };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->wish;
		return 0;
	case 'j':
		args->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (!args->pid)
			args->pid = arg;
		else if (!args->wish.mode)
			args->wish.mode = arg;
		else
			argp_error(state, "one argument too many: %s", arg);
		return 0;
	case ARGP_KEY_END:
		if (!args->pid)
			argp_error(state, "a PID is needed");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp cmd_task_argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.args_doc = "PID [MODE]",
	.doc = "Show the mode and the values of a process, its own and those "
	       "that hold, and who decides them; or give it a mode (inherit, "
	       "off, normal, tiering or both) or values: each a number, max or "
	       "default.\v"
	       "They are of the whole process. See numab-task(7).",
};

/* The cgroup's answer with the process's own values in front of it. */
static void add_own_values(const struct task *task, struct answer *answer,
			   bool known)
{
	struct knobs *knobs = &answer->knobs;

	knobs->own = task_values(&task->attr);
	knobs->has_own = knobs->has_effective = true;
	for (int knob = 0; knob < NR_KNOBS; knob++) {
		if (knobs->own.value[knob]) {
			knobs->effective.value[knob] = knobs->own.value[knob];
			answer->from[knob] = FROM_PROCESS;
		} else if (!known) {
			answer->from[knob] = FROM_UNKNOWN;
		}
	}
}

/*
 * What the cgroups say only explains: the modes are the kernel's own answer.
 * So it is no error that a cgroup is gone or out of sight. Whether policies
 * take part is the cgroup's answer as well.
 */
static void read_answer(const struct task *task, struct answer *answer)
{
	AUTO_FREE char *mount = NULL;
	int written;
	bool known;

	known = task->cgroup && !cgroup_find_mount(&mount) &&
		!answer_read(mount, task->cgroup, answer);
	if (!known) {
		answer_release(answer);
		answer->hints = HINTS_NONE;
		written = chain_system_written();
		answer->chain.written = written < 0 ? -1 : written;
	}
	add_own_values(task, answer, known);
	hints_add_nearer(&answer->hints, task->attr.cache, FROM_PROCESS);
}

/* The kernel's answer for the cgroups has their policies in it. */
static bool policies_decide(const struct answer *answer, int own, int met)
{
	return answer->is_known &&
	       numab_opinion_meet(own, chain_opinion(&answer->chain)) != met;
}

static enum decider find_decider(const struct numab_attr *attr,
				 const struct answer *answer)
{
	int own = attr->mode, cgroups = attr->cgroup_mode;
	int met = numab_opinion_meet(own, cgroups);

	if (met == NUMAB_INHERIT)
		return BY_DEFAULT;
	if (met != attr->effective_mode || policies_decide(answer, own, met))
		return BY_POLICIES;
	if (own == met)
		return BY_PROCESS;
	return cgroups == met ? BY_CGROUPS : BY_BOTH;
}

/* The nearest cgroup that alone says what all of them together do. */
static const char *find_cgroup(const struct task *task,
			       const struct answer *answer)
{
	const struct chain *chain = &answer->chain;

	for (size_t i = 0; i < chain->count; i++)
		if (chain->links[i].opinion != NUMAB_INHERIT &&
		    chain->links[i].opinion == task->attr.cgroup_mode)
			return chain->links[i].path;
	return NULL;
}

static void add_decider(struct table *table, const struct task *task,
			const struct answer *answer)
{
	enum decider decider = find_decider(&task->attr, answer);
	const char *path = find_cgroup(task, answer);
	AUTO_FREE char *place =
		path ? text_printable(path) : strdup("its cgroups");

	table_add(table, "decided by");
	if (decider == BY_CGROUPS || decider == BY_BOTH)
		table_add(table, "%s%s: %s",
			  decider == BY_BOTH ? "the process and " : "",
			  place ? place : "",
			  numab_opinion_name(task->attr.cgroup_mode));
	else
		table_add(table, "%s",
			  decider == BY_DEFAULT	 ? "the system default" :
			  decider == BY_POLICIES ? "a BPF policy" :
						   "the process itself");
}

static int show(const struct task *task, const struct answer *answer)
{
	AUTO_TABLE struct table modes = { .columns = 2, .left = 2 };
	AUTO_TABLE struct table values = { .columns = 4, .left = 4 };
	AUTO_FREE char *name = text_printable(task->name);
	AUTO_FREE char *cgroup = NULL;
	int written = answer->chain.written, ret;

	cgroup = text_printable(task->cgroup ? task->cgroup : "-");
	table_add(&modes, "process");
	table_add(&modes, "%d (%s)", task->pid, name ? name : "");
	table_add(&modes, "own");
	table_add(&modes, "%s", numab_opinion_name(task->attr.mode));
	table_add(&modes, "effective");
	table_add(&modes, "%s%s", numab_opinion_name(task->attr.effective_mode),
		  answer->policies ? ", BPF policies take part" : "");
	add_decider(&modes, task, answer);
	table_add(&modes, "cgroup");
	table_add(&modes, "%s", cgroup ? cgroup : "");
	answer_add_opinions(&modes, answer);
	table_add(&modes, "default");
	table_add(&modes, "kernel.numa_balancing = %d (%s)", written,
		  sysctl_words(written));
	answer_add_tuning(&values, answer);
	ret = table_print(&modes, stdout);
	putchar('\n');
	if (!ret)
		ret = table_print(&values, stdout);
	return ret ? complain_errno("cannot show the process", ret) : EXIT_OK;
}

static int show_json(const struct task *task, const struct answer *answer)
{
	const struct numab_attr *attr = &task->attr;
	int written = answer->chain.written;

	return print_json(json_pack(
		"{s:i, s:i, s:o, s:s, s:s, s:s, s:b, s:s, s:o, s:o, s:o, "
		"s:{s:o, s:s}, s:o, s:o}",
		"version", NUMAB_JSON_VERSION, "pid", task->pid, "name",
		json_text(task->name), "own", numab_opinion_name(attr->mode),
		"cgroup_mode", numab_opinion_name(attr->cgroup_mode),
		"effective", numab_opinion_name(attr->effective_mode),
		"policies", answer->policies, "decided_by",
		decider_words[find_decider(attr, answer)], "deciding_cgroup",
		json_text(find_cgroup(task, answer)), "cgroup",
		json_text(task->cgroup), "opinions",
		answer_opinions_json(answer), "system_default", "written",
		json_number(written), "mode", sysctl_words(written), "tuning",
		answer_tuning_json(answer), "cache", answer_hint_json(answer)));
}

static int refuse(const struct task_wish *wish, int error)
{
	AUTO_REFUSAL struct refusal refusal = {};

	refusal_of_task(wish, error, &refusal);
	return complain(&refusal, "cannot %s process %d",
			wish->fields ? "set" : "show", wish->pid);
}

static int set(struct task *task, struct numab_attr *attr)
{
	struct task_wish wish = {
		.pid = task->pid,
		.fields = attr->fields,
		.mode = attr->mode,
		.present = task->attr.mode,
		.cgroups = task->attr.cgroup_mode,
	};
	char whom[32];
	int ret;

	attr->pidfd = task->pidfd;
	ret = task_calls.set(attr);
	if (ret)
		return refuse(&wish, ret);
	ret = task_calls.get(task->pidfd, &task->attr);
	if (ret)
		return ret == -ESRCH ? EXIT_OK : refuse(&wish, ret);
	snprintf(whom, sizeof(whom), "process %d", task->pid);
	if (attr->fields & NUMAB_FIELD_MODE)
		wish_warn(whom, attr->mode, &task->attr);
	return EXIT_OK;
}

int cmd_task(int argc, char **argv)
{
	AUTO_ANSWER struct answer answer = {};
	AUTO_TASK struct task task = TASK_NONE;
	struct task_wish reading = {};
	struct arguments args = {};
	struct numab_attr attr;
	int ret;

	ret = parse_arguments(&cmd_task_argp, argc, argv, &args);
	if (!ret)
		ret = wish_make(&args.wish, &attr);
	if (ret)
		return ret;
	if (process_parse_pid(args.pid, &reading.pid)) {
		AUTO_FREE char *shown = text_printable(args.pid);

		fprintf(stderr, "numab: %s is not a process id\n",
			shown ? shown : "");
		return EXIT_USAGE;
	}
	ret = task_read(reading.pid, &task);
	if (ret)
		return refuse(&reading, ret);
	if (attr.fields) {
		ret = set(&task, &attr);
		if (ret || !args.json)
			return ret;
	}
	read_answer(&task, &answer);
	return args.json ? show_json(&task, &answer) : show(&task, &answer);
}
