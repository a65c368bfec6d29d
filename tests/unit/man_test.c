// SPDX-License-Identifier: GPL-2.0
/*
 * The manual page and the completion say what the tables say, no more and no
 * less. Run from the root of the tree.
 */
#include "cmd_wish.h"
#include "knob.h"
#include "machines.h"
#include "mode.h"
#include "tasks.h"

#define MAX_NAMES 32

struct set {
	size_t count;
	char *names[MAX_NAMES];
};

static void set_add(struct set *set, const char *start, size_t len)
{
	assert_true(set->count < MAX_NAMES);
	set->names[set->count++] = strndup(start, len);
}

static bool set_has(const struct set *set, const char *name)
{
	for (size_t i = 0; i < set->count; i++)
		if (!strcmp(set->names[i], name))
			return true;
	return false;
}

static void set_release(struct set *set)
{
	for (size_t i = 0; i < set->count; i++)
		free(set->names[i]);
}

static void assert_same(const struct set *a, const char *where_a,
			const struct set *b, const char *where_b)
{
	for (size_t i = 0; i < a->count; i++)
		check(set_has(b, a->names[i]), "%s is in %s, not in %s",
		      a->names[i], where_a, where_b);
	for (size_t i = 0; i < b->count; i++)
		check(set_has(a, b->names[i]), "%s is in %s, not in %s",
		      b->names[i], where_b, where_a);
}

#define AUTO_SET __attribute__((cleanup(set_release)))

static void read_file(const char *path, struct fs_text *text)
{
	char *here = realpath(path, NULL);

	check(here, "%s: run this from the root of the tree", path);
	assert_int_equal(fs_read(here, text), 0);
	free(here);
}

/* The rest of the line that begins with start; NULL if it does not. */
static bool line_after(struct span line, const char *start, struct span *ret)
{
	size_t len = strlen(start);

	if (line.len < len || memcmp(line.start, start, len))
		return false;
	ret->start = line.start + len;
	ret->len = line.len - len;
	return true;
}

/* ".It Fl j , Fl -json": -j and --json, of one subsection. */
static void man_options(const char *text, const char *section, struct set *set)
{
	bool inside = false;
	struct span line, rest, word;

	while (text_next_line(&text, &line)) {
		if (line_after(line, ".Ss ", &rest) ||
		    line_after(line, ".Sh ", &rest)) {
			inside = line_after(rest, section, &word) &&
				 (!word.len || *word.start == ' ');
			continue;
		}
		if (!inside || !line_after(line, ".It ", &rest))
			continue;
		while (text_next_word(&rest, &word)) {
			bool is_flag = text_equals(word, "Fl");

			if (is_flag && text_next_word(&rest, &word))
				set_add(set, word.start, word.len);
		}
	}
}

/* With those of its child parsers. A key that is no letter has no name. */
static void table_options(const struct argp *argp, bool letters,
			  struct set *set)
{
	const struct argp_option *option = argp->options;
	const struct argp_child *child = argp->children;
	char name[64];

	for (; option && option->name; option++) {
		snprintf(name, sizeof(name), "-%s", option->name);
		set_add(set, name, strlen(name));
		if (letters && option->key < 0x80)
			set_add(set, (char[]){ option->key }, 1);
	}
	for (; child && child->argp; child++)
		table_options(child->argp, letters, set);
}

static void test_options(void **state)
{
	AUTO_TEXT struct fs_text page = {};

	read_file("man/numab.8", &page);
	for (const struct command *c = commands; c->name; c++) {
		AUTO_SET struct set man = {}, table = {};
		char section[32];

		snprintf(section, sizeof(section), "numab %s", c->name);
		man_options(page.data, section, &man);
		table_options(c->argp, true, &table);
		assert_same(&man, "the manual", &table, section);
	}
}

/* argp's own, which every command has. */
static void test_common_options(void **state)
{
	AUTO_TEXT struct fs_text page = {};
	AUTO_SET struct set man = {};

	read_file("man/numab.8", &page);
	man_options(page.data, "OPTIONS", &man);
	assert_true(set_has(&man, "-help"));
	assert_true(set_has(&man, "-usage"));
	assert_true(set_has(&man, "-version"));
	assert_true(set_has(&man, "V"));
	assert_int_equal(man.count, 5);
}

/* ".Ss numab set Ar cgroup mode" against "CGROUP MODE". */
static void man_commands(const char *text, struct set *names,
			 struct set *usages)
{
	struct span line, rest, word;
	char usage[128], *end;

	while (text_next_line(&text, &line)) {
		if (!line_after(line, ".Ss numab ", &rest))
			continue;
		assert_true(text_next_word(&rest, &word));
		set_add(names, word.start, word.len);
		end = mempcpy(usage, word.start, word.len);
		while (text_next_word(&rest, &word)) {
			if (text_equals(word, "Ar") ||
			    text_equals(word, "Op") ||
			    text_equals(word, "Oo") || text_equals(word, "Oc"))
				continue;
			*end++ = ' ';
			end = mempcpy(end, word.start, word.len);
		}
		set_add(usages, usage, end - usage);
	}
}

static void test_commands(void **state)
{
	AUTO_TEXT struct fs_text page = {};
	AUTO_SET struct set names = {}, usages = {}, table = {}, used = {};

	read_file("man/numab.8", &page);
	man_commands(page.data, &names, &usages);
	for (const struct command *c = commands; c->name; c++) {
		const char *args = c->argp->args_doc;
		char usage[128], *end;

		end = usage + sprintf(usage, "%s ", c->name);
		for (; args && *args; args++)
			if (!strchr("[]", *args))
				*end++ = *args == ' ' ? ' ' : *args | 0x20;
		while (end[-1] == ' ')
			end--;
		set_add(&used, usage, end - usage);
		set_add(&table, c->name, strlen(c->name));
	}
	assert_same(&names, "the manual", &table, "the table");
	assert_same(&usages, "the manual", &used, "the table");
}

static void test_exit_codes(void **state)
{
	AUTO_TEXT struct fs_text page = {};
	struct span line, rest;
	const char *text;
	bool inside = false;
	uint64_t code, want = 0;

	read_file("man/numab.8", &page);
	text = page.data;
	while (text_next_line(&text, &line)) {
		if (line_after(line, ".Sh ", &rest))
			inside = text_equals(rest, "EXIT STATUS");
		if (!inside || !line_after(line, ".It ", &rest))
			continue;
		assert_int_equal(text_parse_u64(rest, &code), 0);
		assert_int_equal(code, want++);
	}
	assert_int_equal(want, EXIT_CODES);
}

/* Each mode's word is in both pages and in the completion. */
static void test_modes(void **state)
{
	static const char *const files[] = { "man/numab.8",
					     "man/numab-cgroup.7",
					     "completion/numab.bash" };

	for (size_t i = 0; i < COUNT(files); i++) {
		AUTO_TEXT struct fs_text text = {};

		read_file(files[i], &text);
		for (int mode = NUMAB_INHERIT; mode <= NUMAB_BOTH; mode++)
			assert_contains(text.data, numab_opinion_name(mode));
	}
}

/* The option of run and task is the key with hyphens. */
static void assert_value_option(const char *page, const struct knob_key *key)
{
	const struct argp_option *option;
	char name[64], text[128], *c;

	strcpy(name, key->name);
	for (c = name; *c; c++)
		if (*c == '_')
			*c = '-';
	option = &wish_argp.options[key - knob_keys];
	assert_string_equal(option->name, name);
	snprintf(text, sizeof(text), ".It Fl -%s Ns = Ns Ar %s\n", name,
		 key->is_pair ? "min Ns Op , Ns Ar max" : "number");
	assert_contains(page, text);
}

/* Each key is in both pages and the completion, with the files and ranges. */
static void test_knobs(void **state)
{
	AUTO_TEXT struct fs_text tool = {}, files = {}, completion = {};
	char text[128];

	read_file("man/numab.8", &tool);
	read_file("man/numab-cgroup.7", &files);
	read_file("completion/numab.bash", &completion);
	for (const struct knob_key *key = knob_keys; key->name; key++) {
		const struct numab_knob_range *range = &numab_knobs[key->knob];

		snprintf(text, sizeof(text),
			 ".It Cm %s Ns = Ns Ar %s\n%s%u to %u\n", key->name,
			 key->is_pair ? "min Ns Op : Ns Ar max" : "number",
			 key->is_pair ? "each " : "", range->min, range->max);
		assert_contains(tool.data, text);
		snprintf(text, sizeof(text), ".It Pa %s\n", key->file);
		assert_contains(files.data, text);
		snprintf(text, sizeof(text), "%s=", key->name);
		assert_contains(completion.data, text);
		assert_value_option(tool.data, key);
		assert_contains(cmd_set_argp.doc, key->name);
	}
	for (int i = 0; i < NR_KNOBS; i++) {
		const struct numab_knob_range *range = &numab_knobs[i];

		if (i == KNOB_SCAN_PERIOD_MIN)
			continue; /* the row has both names, its maximum's last */
		snprintf(text, sizeof(text), "%s , %u to %u\n", range->name,
			 range->min, range->max);
		assert_contains(files.data, text);
	}
}

/* Each key is a word of the page's section; counters have another page. */
static void assert_keys(const char *section, json_t *json)
{
	const char *key;
	json_t *value;
	size_t i;

	json_array_foreach(json, i, value)
		assert_keys(section, value);
	json_object_foreach(json, key, value) {
		check(text_has_word(section, key), "key %s in the manual", key);
		if (strcmp(key, "stat") && strcmp(key, "memory_stat") &&
		    strcmp(key, "node_bytes"))
			assert_keys(section, value);
	}
}

static void test_json_keys(void **state)
{
	AUTO_TEXT struct fs_text page = {};
	AUTO_OUTPUT struct output status = {}, list = {}, get = {};
	AUTO_OUTPUT struct output tasks = {}, task = {}, explain = {};
	json_t *documents[6];
	char *section, *end;

	read_file("man/numab.8", &page);
	section = strstr(page.data, ".Sh JSON\n");
	assert_non_null(section);
	end = strstr(section + 1, ".Sh ");
	assert_non_null(end);
	*end = '\0';
	fixture_setup(state);
	machine_2s_cxl();
	fixture_module("0\n");
	fixture_file("/sys/kernel/numab/cache",
		     "usable 1\ngate 1\nsized 1\nllc_min 1\nllc_max 1\n"
		     "tolerance 1\n");
	fixture_process();
	fixture_workload("/a", "both\n", "both\n");
	fixture_tuning("/a", "default\n", "64\n", "default\n", "default\n",
		       "scan_size_mb 64\n");
	status = run(cmd_status, "--json", NULL);
	list = run(cmd_list, "--json", NULL);
	get = run(cmd_get, "--json", "/a", NULL);
	documents[0] = parse_json(&status);
	documents[1] = parse_json(&list);
	documents[2] = parse_json(&get);
	fake_device();
	fake_add(7, "worker", "/a", NUMAB_BOTH)->attr.mode = NUMAB_OFF;
	tasks = run(cmd_list, "--tasks", "--json", NULL);
	task = run(cmd_task, "--json", "7", NULL);
	documents[3] = parse_json(&tasks);
	documents[4] = parse_json(&task);
	explain = run(cmd_explain, "--json", "77", NULL);
	documents[5] = parse_json(&explain);
	for (size_t i = 0; i < COUNT(documents); i++) {
		assert_keys(section, documents[i]);
		json_decref(documents[i]);
	}
	fixture_teardown(state);
}

/* The rows of numab-cgroup(7) against the names that the module has. */
static void test_stat_keys(void **state)
{
	AUTO_TEXT struct fs_text page = {}, source = {};
	AUTO_SET struct set man = {}, module = {};
	struct span line, rest, word, quoted;
	const char *text;
	bool inside = false;

	read_file("man/numab-cgroup.7", &page);
	read_file("kmod/stats.c", &source);
	text = page.data;
	while (text_next_line(&text, &line)) {
		if (line_after(line, ".Ss ", &rest))
			inside = text_equals(rest, "Keys of cpu.numab.stat");
		else if (line_after(line, ".Sh ", &rest))
			inside = false;
		if (inside && line_after(line, ".It ", &rest) &&
		    text_next_word(&rest, &word) && !text_equals(word, "Sy"))
			set_add(&man, word.start, word.len);
	}
	text = source.data;
	while (text_next_line(&text, &line)) {
		if (!line_after(line, "\t[COUNT_", &rest))
			continue;
		quoted.start = (char *)memchr(rest.start, '"', rest.len) + 1;
		quoted.len = strcspn(quoted.start, "\"");
		set_add(&module, quoted.start, quoted.len);
	}
	assert_true(module.count > 0);
	assert_same(&man, "the manual", &module, "the module");
}

/* "[list]='--all --json --set'" in the completion's table, "-all" and so on. */
static void completion_options(const char *text, const char *command,
			       struct set *set)
{
	char start[32], *found, *end, *option;

	snprintf(start, sizeof(start), "[%s]='", command);
	found = strstr(text, start);
	check(found, "%s in the completion", command);
	found = strdup(found + strlen(start));
	end = strchr(found, '\'');
	assert_non_null(end);
	*end = '\0';
	for (option = strtok(found, " "); option; option = strtok(NULL, " "))
		set_add(set, option + 1, strlen(option + 1));
	free(found);
}

static void test_completion(void **state)
{
	AUTO_TEXT struct fs_text text = {};

	read_file("completion/numab.bash", &text);
	for (const struct command *c = commands; c->name; c++) {
		AUTO_SET struct set completed = {}, table = {};

		table_options(c->argp, false, &table);
		completion_options(text.data, c->name, &completed);
		assert_same(&completed, "the completion", &table, c->name);
	}
}

static void test_help(void **state)
{
	AUTO_OUTPUT struct output all = {}, one = {}, none = {};

	all = run(cmd_help, NULL);
	for (const struct command *c = commands; c->name; c++)
		assert_contains(all.out, c->help);
	one = run(cmd_help, "set", NULL);
	assert_int_equal(one.code, EXIT_OK);
	assert_contains(one.out, "Usage: numab set [OPTION...] CGROUP [MODE] "
				 "[KEY=VALUE ...]");
	assert_contains(one.out, "--verbose");
	none = run(cmd_help, "nothing", NULL);
	assert_int_equal(none.code, EXIT_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_common_options),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_exit_codes),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_knobs),
		cmocka_unit_test(test_stat_keys),
		cmocka_unit_test(test_json_keys),
		cmocka_unit_test(test_completion),
		cmocka_unit_test(test_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
