// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "chain.h"
#include "cmd_wish.h"
#include "command.h"
#include "hint.h"
#include "mode.h"
#include "task.h"

/* NUMAB_FIELD_... of knob_keys[]. */
static const unsigned int fields[] = {
	NUMAB_FIELD_HOT_THRESHOLD,
	NUMAB_FIELD_SCAN_SIZE,
	NUMAB_FIELD_SCAN_PERIOD,
	NUMAB_FIELD_PROMOTE,
};

/* An option's key: no letter, and its place in knob_keys[]. */
#define OPTION_KEY(i) (0x100 + (i))
#define OPTION_HINT   OPTION_KEY(KNOB_KEYS_MAX)

static const struct argp_option options[] = {
	{ "hot-threshold-ms", OPTION_KEY(0), "N", 0,
	  "Do not promote pages that were not touched within N ms", 0 },
	{ "scan-size-mb", OPTION_KEY(1), "N", 0, "Look at N MB in one scan",
	  0 },
	{ "scan-period-ms", OPTION_KEY(2), "MIN[,MAX]", 0,
	  "Scan no more often than each MIN ms, no more seldom than each MAX",
	  0 },
	{ "promote-mbps", OPTION_KEY(3), "N", 0,
	  "Promote at most N MB (2^20) a second", 0 },
	{ "cache", OPTION_HINT, "HINT", 0,
	  "May its threads be gathered on one last-level cache: auto, never, "
	  "always, or a tolerance from 0 to 100",
	  0 },
	{},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct wish *wish = state->input;

	if (key == OPTION_HINT) {
		wish->hint = arg;
		return 0;
	}
	if (key < OPTION_KEY(0) || key >= OPTION_KEY(KNOB_KEYS_MAX))
		return ARGP_ERR_UNKNOWN;
	wish->values[key - OPTION_KEY(0)] = arg;
	return 0;
}

const struct argp wish_argp = { .options = options, .parser = parse };

bool wish_is_empty(const struct wish *wish)
{
	for (int i = 0; i < KNOB_KEYS_MAX; i++)
		if (wish->values[i])
			return false;
	return !wish->mode && !wish->hint;
}

/* "default" takes a mode away as it does a value. */
static int parse_mode(const char *word, int *ret_mode)
{
	if (strcmp(word, "default"))
		return numab_opinion_parse(word, strlen(word), ret_mode);
	*ret_mode = NUMAB_INHERIT;
	return 0;
}

static int complain_word(const char *word, const struct knob_key *key)
{
	AUTO_FREE char *shown = text_printable(word);
	char option[32] = "--", *c;

	if (!shown)
		return complain_errno("starting", -ENOMEM);
	if (!key)
		return complain_mode(shown, "values are options, such as "
					    "--hot-threshold-ms");
	strcat(option, key->name);
	for (c = option; *c; c++)
		if (*c == '_')
			*c = '-';
	return complain_value(shown, option, key);
}

static int complain_hint_word(const char *word)
{
	AUTO_FREE char *shown = text_printable(word);

	return shown ? complain_hint(shown, "--" HINT_NAME) :
		       complain_errno("starting", -ENOMEM);
}

int wish_make(const struct wish *wish, struct numab_attr *ret_attr)
{
	struct numab_attr attr = { .pidfd = NUMAB_SELF };
	struct numab_tuning values = {};

	if (wish->mode) {
		if (parse_mode(wish->mode, &attr.mode))
			return complain_word(wish->mode, NULL);
		attr.fields |= NUMAB_FIELD_MODE;
	}
	for (int i = 0; knob_keys[i].name; i++) {
		if (!wish->values[i])
			continue;
		if (knob_parse(&knob_keys[i], wish->values[i], &values))
			return complain_word(wish->values[i], &knob_keys[i]);
		attr.fields |= fields[i];
	}
	if (wish->hint) {
		if (hint_parse(wish->hint, &attr.cache))
			return complain_hint_word(wish->hint);
		attr.fields |= NUMAB_FIELD_CACHE;
	}
	task_set_values(&attr, &values);
	*ret_attr = attr;
	return EXIT_OK;
}

static void warn_if_narrowed(const char *whom, int mode,
			     const struct numab_attr *attr)
{
	if (mode == attr->effective_mode)
		return;
	fprintf(stderr, "numab: warning: %s is set to %s, but %s holds: ", whom,
		numab_opinion_name(mode),
		numab_opinion_name(attr->effective_mode));
	if (numab_opinion_meet(mode, attr->cgroup_mode) == attr->effective_mode)
		fprintf(stderr, "its cgroups allow only %s\n",
			numab_opinion_name(attr->cgroup_mode));
	else
		fputs("a BPF policy decides\n", stderr);
}

/* A page goes by its cgroup: a process's own mode alone moves none. */
static void note_if_pages_stay(const char *whom, int mode,
			       const struct numab_attr *attr)
{
	int written = chain_system_written();
	int pages = numab_mode_effective(
		attr->cgroup_mode,
		numab_mode_of_sysctl(written < 0 ? NUMAB_OFF : written));

	if (attr->effective_mode & ~pages)
		fprintf(stderr,
			"numab: note: %s is set to %s, but pages go by their "
			"cgroup, which has %s: set that as well (numab set)\n",
			whom, numab_opinion_name(mode),
			numab_opinion_name(pages));
}

void wish_warn(const char *whom, int mode, const struct numab_attr *attr)
{
	if (mode == NUMAB_INHERIT)
		return;
	warn_if_narrowed(whom, mode, attr);
	note_if_pages_stay(whom, mode, attr);
}
