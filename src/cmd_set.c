// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "cgroup.h"
#include "chain.h"
#include "command.h"
#include "hint.h"
#include "knob.h"
#include "mode.h"

#define SETTINGS_MAX (2 + KNOB_KEYS_MAX)

struct arguments {
	const char *cgroup;
	size_t count;
	const char *words[SETTINGS_MAX];
	bool verbose;
};

/* A file to write. */
struct setting {
	const char *name; /* its key; NULL: it is the mode */
	const char *file;
	char *text;
};

/* All of what was asked for, in its order, and known to be right. */
struct plan {
	size_t count;
	struct setting settings[SETTINGS_MAX];
	bool has_mode;
	int opinion;
};

static const struct argp_option options[] = {
	{ "verbose", 'v', 0, 0, "Print the mode that holds afterwards", 0 },
	{},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case 'v':
		args->verbose = true;
		return 0;
	case ARGP_KEY_ARG:
		if (!args->cgroup)
			args->cgroup = arg;
		else if (args->count < SETTINGS_MAX)
			args->words[args->count++] = arg;
		else
			argp_error(state, "one argument too many: %s", arg);
		return 0;
	case ARGP_KEY_END:
		if (!args->count)
			argp_error(state, "a CGROUP and a MODE or KEY=VALUE "
					  "are needed");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp cmd_set_argp = {
	.options = options,
	.parser = parse,
	.args_doc = "CGROUP [MODE] [KEY=VALUE ...]",
	.doc = "Give a cgroup a mode: inherit, off, normal, tiering or both "
	       "(or 0 to 3); or values of its own in place of the kernel's: "
	       "hot_threshold_ms, scan_size_mb and promote_mbps, each a number, "
	       "max or default, and scan_period_ms, which is MIN or MIN:MAX, "
	       "or default; or cache, its word on cache-aware scheduling: "
	       "auto, never, always or a tolerance from 0 to 100.\v"
	       "CGROUP is a path below /sys/fs/cgroup or as in "
	       "/proc/PID/cgroup. See numab-cgroup(7).",
};

static void plan_release(struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		free(plan->settings[i].text);
}

static int refuse_key(const char *shown)
{
	fprintf(stderr, "numab: %s has no key of numab\nhint: the keys are",
		shown);
	for (const struct knob_key *key = knob_keys; key->name; key++)
		fprintf(stderr, " %s,", key->name);
	fputs(" " HINT_NAME "\n", stderr);
	return EXIT_USAGE;
}

static int refuse_again(const char *shown)
{
	fprintf(stderr, "numab: one argument too many: %s\n", shown);
	return EXIT_USAGE;
}

/* The text is the plan's from now on. */
static int plan_add(struct plan *plan, const char *name, const char *file,
		    char *text)
{
	if (!text)
		return complain_errno("starting", -ENOMEM);
	plan->settings[plan->count++] = (struct setting){ name, file, text };
	return EXIT_OK;
}

static bool plan_has(const struct plan *plan, const char *file)
{
	for (size_t i = 0; i < plan->count; i++)
		if (!strcmp(plan->settings[i].file, file))
			return true;
	return false;
}

static int plan_add_mode(struct plan *plan, const char *word, const char *shown)
{
	if (plan->has_mode)
		return refuse_again(shown);
	if (numab_opinion_parse(word, strlen(word), &plan->opinion))
		return complain_mode(shown, "values are KEY=VALUE");
	plan->has_mode = true;
	return plan_add(plan, NULL, CGROUP_MODE,
			strdup(numab_opinion_name(plan->opinion)));
}

static int plan_add_value(struct plan *plan, const char *word,
			  const char *shown)
{
	struct numab_tuning values = {};
	const struct knob_key *key;
	const char *value;

	key = knob_find_key(word, &value);
	if (!key)
		return refuse_key(shown);
	if (plan_has(plan, key->file))
		return refuse_again(shown);
	if (knob_parse(key, value, &values))
		return complain_value(shown, key->name, key);
	return plan_add(plan, key->name, key->file, knob_print(key, &values));
}

static int plan_add_hint(struct plan *plan, const char *value,
			 const char *shown)
{
	int hint;

	if (plan_has(plan, HINT_FILE))
		return refuse_again(shown);
	if (hint_parse(value, &hint))
		return complain_hint(shown, HINT_NAME);
	return plan_add(plan, HINT_NAME, HINT_FILE, hint_text(hint));
}

static int plan_make(const struct arguments *args, struct plan *plan)
{
	int ret = EXIT_OK;

	for (size_t i = 0; !ret && i < args->count; i++) {
		const char *word = args->words[i];
		AUTO_FREE char *shown = text_printable(word);

		if (!shown)
			return complain_errno("starting", -ENOMEM);
		if (!strncmp(word, HINT_NAME "=", sizeof(HINT_NAME)))
			ret = plan_add_hint(plan, word + sizeof(HINT_NAME),
					    shown);
		else if (strchr(word, '='))
			ret = plan_add_value(plan, word, shown);
		else
			ret = plan_add_mode(plan, word, shown);
	}
	return ret;
}

static int complain_setting(const struct refusal *refusal,
			    const struct setting *setting, const char *cgroup)
{
	if (!setting->name)
		return complain(refusal, "cannot set %s to %s", cgroup,
				setting->text);
	return complain(refusal, "cannot set %s of %s to %s", setting->name,
			cgroup, setting->text);
}

static int refuse_root(const struct plan *plan)
{
	fputs(plan->has_mode ?
		      "numab: the root cgroup has no mode of its own\n"
		      "hint: its setting is the system default: "
		      "sysctl kernel.numa_balancing=VALUE\n" :
		      "numab: the root cgroup has no values of its own\n"
		      "hint: the kernel's hold for it: "
		      "/sys/kernel/debug/sched/numa_balancing\n",
	      stderr);
	return EXIT_USAGE;
}

/* A later file was refused; what was written before it stays. */
static void note_what_is_set(const struct plan *plan, size_t count)
{
	if (!count)
		return;
	fputs("numab: note: already set:", stderr);
	for (size_t i = 0; i < count; i++) {
		const struct setting *setting = &plan->settings[i];

		fprintf(stderr, "%s %s to %s", i ? "," : "",
			setting->name ? setting->name : "the mode",
			setting->text);
	}
	fputc('\n', stderr);
}

static int plan_apply(const struct plan *plan, const struct target *target,
		      const char *cgroup)
{
	AUTO_REFUSAL struct refusal refusal = {};
	int ret;

	for (size_t i = 0; i < plan->count; i++) {
		const struct setting *setting = &plan->settings[i];

		ret = fs_write_at(target->dir, setting->file, setting->text);
		if (!ret)
			continue;
		if (setting->name)
			refusal_of_tuning(target, setting->file, ret, &refusal);
		else
			refusal_of_write(target, plan->opinion, ret, &refusal);
		ret = complain_setting(&refusal, setting, cgroup);
		note_what_is_set(plan, i);
		return ret;
	}
	return EXIT_OK;
}

/* The write was accepted; does it also hold? */
static void warn_if_narrowed(const struct target *target, const char *cgroup,
			     int set, int effective, bool policies)
{
	AUTO_CHAIN struct chain chain = {};
	AUTO_FREE char *place = NULL;
	const struct chain_link *link = NULL;

	if (set == NUMAB_INHERIT || set == effective)
		return;
	fprintf(stderr,
		"numab: warning: %s is set to %s, but %s holds: ", cgroup,
		numab_opinion_name(set), numab_opinion_name(effective));
	if (!chain_read(target->mount, target->path, &chain))
		link = chain_find_narrowing(&chain, set & ~effective);
	if (link) {
		place = text_printable(link->path);
		fprintf(stderr, "%s allows only %s\n",
			place ? place : "an ancestor",
			numab_opinion_name(link->opinion));
	} else {
		fputs(policies ? "a BPF policy decides\n" :
				 "see numab status\n",
		      stderr);
	}
}

static int show_effective(const struct target *target, const char *cgroup,
			  const struct plan *plan, bool verbose)
{
	bool policies;
	int effective, ret;

	ret = cgroup_read_effective(target->dir, &effective, &policies);
	if (ret)
		return complain_errno("all is set; reading what holds", ret);
	if (plan->has_mode)
		warn_if_narrowed(target, cgroup, plan->opinion, effective,
				 policies);
	if (verbose)
		printf("%s\n", numab_opinion_name(effective));
	return EXIT_OK;
}

int cmd_set(int argc, char **argv)
{
	AUTO_TARGET struct target target = TARGET_NONE;
	AUTO_REFUSAL struct refusal refusal = {};
	AUTO(plan_release) struct plan plan = {};
	AUTO_FREE char *cgroup = NULL;
	struct arguments args = {};
	int ret;

	ret = parse_arguments(&cmd_set_argp, argc, argv, &args);
	if (ret)
		return ret;
	cgroup = text_printable(args.cgroup);
	if (!cgroup)
		return complain_errno("starting", -ENOMEM);
	ret = plan_make(&args, &plan);
	if (ret)
		return ret;
	if (target_open(args.cgroup, &target, &refusal))
		return complain_setting(&refusal, &plan.settings[0], cgroup);
	if (cgroup_is_root(target.path))
		return refuse_root(&plan);
	ret = plan_apply(&plan, &target, cgroup);
	if (ret || (!plan.has_mode && !args.verbose))
		return ret;
	return show_effective(&target, cgroup, &plan, args.verbose);
}
