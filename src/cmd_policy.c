// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cgroup.h"
#include "command.h"
#include "mode.h"
#include "policy_change.h"
#include "policy_file.h"
#include "policy_pin.h"
#include "table.h"

#define SETTINGS_MAX 32

struct arguments {
	const char *verb, *what; /* a file or a policy's name */
	const char *cgroup, *name;
	const char *settings[SETTINGS_MAX];
	unsigned int count;
	bool json, replace, verbose;
};

static const struct argp_option options[] = {
	{ "cgroup", 'c', "CGROUP", 0, "load: attach it there, / is the root",
	  0 },
	{ "json", 'j', 0, 0, "list, show: print JSON", 0 },
	{ "name", 'n', "NAME", 0, "load: call it so", 0 },
	{ "replace", 'r', 0, 0, "load: in the place of the one of that name",
	  0 },
	{ "set", 's', "VARIABLE=VALUE", 0,
	  "load, check: set a global variable of the program", 0 },
	{ "verbose", 'v', 0, 0, "load, check: all that the verifier says", 0 },
	{},
};

/* What each word does, and whether it takes something to do it with. */
static int policy_load(const struct arguments *args);
static int policy_check(const struct arguments *args);
static int complain_policy(const char *what, const char *name, int error)
{
	AUTO_REFUSAL struct refusal refusal = {};

	refusal_of_policy(name, error, &refusal);
	return complain(&refusal, "cannot %s %s", what, name);
}

static int policy_list(const struct arguments *args);
static int policy_show(const struct arguments *args);
static int policy_get(const struct arguments *args);
static int policy_set(const struct arguments *args);
static int policy_unload(const struct arguments *args);

static const struct {
	const char *word;
	int (*run)(const struct arguments *args);
	const char *what; /* it needs; NULL: nothing */
} verbs[] = {
	{ "load", policy_load, "FILE" },     { "check", policy_check, "FILE" },
	{ "list", policy_list, NULL },	     { "show", policy_show, "NAME" },
	{ "get", policy_get, "NAME" },	     { "set", policy_set, "NAME" },
	{ "unload", policy_unload, "NAME" },
};

#define NR_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static size_t find_verb(const struct arguments *args)
{
	size_t i = 0;

	while (i < NR_VERBS && strcmp(verbs[i].word, args->verb))
		i++;
	return i;
}

static void check_arguments(struct argp_state *state,
			    const struct arguments *args)
{
	size_t verb;

	if (!args->verb)
		argp_error(state,
			   "load, check, list, show, get, set or unload?");
	verb = find_verb(args);
	if (verb == NR_VERBS)
		argp_error(state, "no word for policies: %s", args->verb);
	else if (verbs[verb].what && !args->what)
		argp_error(state, "%s wants a %s", args->verb,
			   verbs[verb].what);
	else if (!verbs[verb].what && args->what)
		argp_error(state, "one argument too many: %s", args->what);
	else if (verbs[verb].run == policy_load && !args->cgroup)
		argp_error(state, "load wants --cgroup CGROUP");
}

static void add_setting(struct argp_state *state, struct arguments *args,
			const char *setting)
{
	if (args->count == SETTINGS_MAX)
		argp_error(state, "more than %d variables", SETTINGS_MAX);
	args->settings[args->count++] = setting;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case 'c':
		args->cgroup = arg;
		return 0;
	case 'j':
		args->json = true;
		return 0;
	case 'n':
		args->name = arg;
		return 0;
	case 'r':
		args->replace = true;
		return 0;
	case 's':
		add_setting(state, args, arg);
		return 0;
	case 'v':
		args->verbose = true;
		return 0;
	case ARGP_KEY_ARG:
		if (!args->verb)
			args->verb = arg;
		else if (!args->what)
			args->what = arg;
		else if (strcmp(args->verb, "set") && strcmp(args->verb, "get"))
			argp_error(state, "one argument too many: %s", arg);
		else
			add_setting(state, args, arg);
		return 0;
	case ARGP_KEY_END:
		check_arguments(state, args);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp cmd_policy_argp = {
	.options = options,
	.parser = parse,
	.args_doc = "VERB [ARGUMENT...]",
	.doc = "Policies: BPF programs that say the mode.\v"
	       "load FILE --cgroup CGROUP: attach it, until unload\n"
	       "check FILE: have the kernel verify it, attach nothing\n"
	       "list: all policies\n"
	       "show NAME: one of them\n"
	       "get NAME VARIABLE...: print the program's variables\n"
	       "set NAME VARIABLE=VALUE...: change it while it is attached\n"
	       "unload NAME: detach it",
};

/* Open, adapt, verify. An exit code. */
static int prepare(const struct arguments *args, uint64_t cgroup,
		   struct policy_file *file)
{
	AUTO_REFUSAL struct refusal refusal = {};
	int ret = policy_file_open(args->what, file, &refusal);

	if (!ret && args->name)
		ret = policy_file_set_name(file, args->name, &refusal);
	for (unsigned int i = 0; !ret && i < args->count; i++)
		ret = policy_file_set_variable(file, args->settings[i],
					       &refusal);
	if (!ret) {
		policy_file_set_cgroup(file, cgroup);
		ret = policy_file_load(file, &refusal);
	}
	if (args->verbose && file->log)
		fputs(file->log, stderr);
	return ret ? complain(&refusal, "cannot use %s", args->what) : EXIT_OK;
}

static int policy_load(const struct arguments *args)
{
	AUTO_POLICY_FILE struct policy_file file = {};
	AUTO_TARGET struct target target = TARGET_NONE;
	AUTO_REFUSAL struct refusal refusal = {};
	struct stat st;
	int ret;

	if (target_open(args->cgroup, &target, &refusal))
		return complain(&refusal, "cannot use %s", args->cgroup);
	if (fstat(target.dir, &st))
		return complain_errno(args->cgroup, -errno);
	/* The number of a cgroup's inode is its id. */
	ret = prepare(args, st.st_ino, &file);
	if (ret)
		return ret;
	if (policy_attach(&file, args->replace, &refusal))
		return complain(&refusal, "cannot attach %s to %s", args->what,
				target.path);
	return EXIT_OK;
}

static int policy_check(const struct arguments *args)
{
	AUTO_POLICY_FILE struct policy_file file = {};
	int ret = prepare(args, 0, &file);

	if (!ret)
		printf("%s: the kernel accepts it\n", args->what);
	return ret;
}

/* ---- showing ---- */

static const char *state_of(const struct policy *policy)
{
	if (policy->map_id)
		return "attached";
	return policy->link_id ? "detached" : "unfinished";
}

static char *cgroup_of(const struct policy *policy)
{
	AUTO_FREE char *mount = NULL;
	char *path;

	if (!policy->map_id || policy->is_foreign)
		return strdup("-");
	if (cgroup_find_mount(&mount) ||
	    policy_cgroup_path(mount, policy->cgroup_id, &path))
		return text_format("id %" PRIu64, policy->cgroup_id);
	return path;
}

static json_t *policy_json(const struct policy *policy)
{
	AUTO_FREE char *cgroup = cgroup_of(policy);

	return json_pack("{s:s, s:s, s:o, s:I, s:s, s:b, s:s?, s:i, s:i, s:i}",
			 "name", policy->name, "state", state_of(policy),
			 "cgroup", json_text(cgroup ? cgroup : ""), "cgroup_id",
			 (json_int_t)policy->cgroup_id, "may_enable",
			 numab_opinion_name(policy->may_enable), "each_folio",
			 policy->flags & 1, "pin", policy->pin, "link_id",
			 policy->link_id, "map_id", policy->map_id, "prog_id",
			 policy->prog_id);
}

static int print_list(const struct policies *policies)
{
	static const char *const heads[] = { "NAME",	   "CGROUP", "STATE",
					     "MAY_ENABLE", "PIN",    "PROG" };
	AUTO_TABLE struct table table = { .columns = 6, .left = 5 };
	int ret;

	for (size_t i = 0; i < 6; i++)
		table_add(&table, "%s", heads[i]);
	for (size_t i = 0; i < policies->count; i++) {
		const struct policy *policy = &policies->items[i];
		AUTO_FREE char *cgroup = cgroup_of(policy);
		AUTO_FREE char *shown = cgroup ? text_printable(cgroup) : NULL;

		table_add(&table, "%s", policy->name);
		table_add(&table, "%s", shown ? shown : "?");
		table_add(&table, "%s", state_of(policy));
		table_add(&table, "%s", numab_opinion_name(policy->may_enable));
		table_add(&table, "%s", policy->pin ? policy->pin : "-");
		table_add(&table, "%" PRIu32, policy->prog_id);
	}
	ret = table_print(&table, stdout);
	return ret ? complain_errno("cannot print the list", ret) : EXIT_OK;
}

static int policy_list(const struct arguments *args)
{
	AUTO_POLICIES struct policies policies = {};
	json_t *items;
	int ret = policies_read(&policies);

	if (ret)
		return complain_policy("list", "policies", ret);
	if (!args->json)
		return print_list(&policies);
	items = json_array();
	for (size_t i = 0; items && i < policies.count; i++)
		json_array_append_new(items, policy_json(&policies.items[i]));
	return print_json(json_pack("{s:i, s:o}", "version", NUMAB_JSON_VERSION,
				    "policies", items));
}

static const struct policy *find(const struct policies *policies,
				 const char *name)
{
	for (size_t i = 0; i < policies->count; i++) {
		const struct policy *policy = &policies->items[i];

		if (!strcmp(policy->pin ? policy->pin : policy->name, name))
			return policy;
	}
	return NULL;
}

static void print_maps(const struct policy *policy)
{
	AUTO_FREE char *path = policy_path(policy->pin, POLICY_MAPS);
	AUTO_CLOSEDIR DIR *dir = path ? opendir(path) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			printf("map         %s/%s\n", path, entry->d_name);
}

static int policy_show(const struct arguments *args)
{
	AUTO_POLICIES struct policies policies = {};
	const struct policy *policy;
	AUTO_FREE char *cgroup = NULL;
	int ret = policies_read(&policies);

	if (ret)
		return complain_policy("show", args->what, ret);
	policy = find(&policies, args->what);
	if (!policy)
		return complain_policy("show", args->what, -ENOENT);
	if (args->json)
		return print_json(policy_json(policy));
	cgroup = cgroup_of(policy);
	printf("name        %s\nstate       %s\ncgroup      %s\n"
	       "may_enable  %s\neach_folio  %s\n"
	       "link        %u\nprogram     %u\n",
	       policy->name, state_of(policy), cgroup ? cgroup : "?",
	       numab_opinion_name(policy->may_enable),
	       policy->flags & 1 ? "yes" : "no", policy->link_id,
	       policy->prog_id);
	if (policy->pin)
		print_maps(policy);
	return EXIT_OK;
}

static int policy_set(const struct arguments *args)
{
	AUTO_REFUSAL struct refusal refusal = {};

	if (!policy_is_name(args->what))
		return complain_policy("set", args->what, -ENOENT);
	for (unsigned int i = 0; i < args->count; i++)
		if (policy_set_variable(args->what, args->settings[i],
					&refusal))
			return complain(&refusal, "cannot set %s",
					args->settings[i]);
	return EXIT_OK;
}

static int policy_get(const struct arguments *args)
{
	AUTO_REFUSAL struct refusal refusal = {};

	if (!policy_is_name(args->what))
		return complain_policy("print", args->what, -ENOENT);
	for (unsigned int i = 0; i < args->count; i++) {
		AUTO_FREE char *text = NULL, *shown = NULL;

		if (policy_get_variable(args->what, args->settings[i], &text,
					&refusal))
			return complain(&refusal, "cannot print %s",
					args->settings[i]);
		shown = text_printable(text);
		puts(shown ? shown : "?");
	}
	return EXIT_OK;
}

static int policy_unload(const struct arguments *args)
{
	int ret =
		policy_is_name(args->what) ? policy_unpin(args->what) : -ENOENT;

	return ret ? complain_policy("unload", args->what, ret) : EXIT_OK;
}

int cmd_policy(int argc, char **argv)
{
	struct arguments args = {};
	int ret = parse_arguments(&cmd_policy_argp, argc, argv, &args);

	return ret ? ret : verbs[find_verb(&args)].run(&args);
}
