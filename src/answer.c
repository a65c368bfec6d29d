// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "answer.h"
#include "cgroup.h"
#include "mode.h"

void answer_release(struct answer *answer)
{
	chain_release(&answer->chain);
	memset(answer, 0, sizeof(*answer));
}

/*
 * A cgroup without the cpu controller has no file: what holds for its tasks
 * is the mode of the nearest ancestor that has one, or the system default.
 */
static int read_mode(const char *mount, const char *path, struct answer *answer)
{
	const struct chain *chain = &answer->chain;
	AUTO_CLOSE int dir = -1;
	size_t i = 0;
	int ret;

	ret = chain_read(mount, path, &answer->chain);
	if (ret)
		return ret;
	answer->effective = chain_effective(chain);
	answer->has_file = chain->count && chain->links[0].has_file;
	if (answer->has_file)
		answer->set = chain->links[0].opinion;
	while (i < chain->count && !chain->links[i].has_file)
		i++;
	if (i == chain->count)
		return 0;
	dir = cgroup_open(mount, chain->links[i].path, NULL);
	if (dir < 0)
		return dir;
	return cgroup_read_effective(dir, &answer->effective,
				     &answer->policies);
}

/* From the top down: the nearest that says something has the last word. */
static int read_tuning(const char *mount, struct answer *answer)
{
	for (size_t i = answer->chain.count; i--;) {
		const char *path = answer->chain.links[i].path;
		AUTO_CLOSE int dir = cgroup_open(mount, path, NULL);
		struct knobs knobs;

		if (dir < 0)
			return dir;
		knob_read(dir, &knobs);
		for (int knob = 0; knob < NR_KNOBS; knob++)
			if (knobs.own.value[knob])
				answer->from[knob] = path;
		if (knobs.has_effective) {
			answer->knobs.effective = knobs.effective;
			answer->knobs.has_effective = true;
		}
		if (i)
			continue;
		answer->knobs.own = knobs.own;
		answer->knobs.has_own = knobs.has_own;
	}
	return 0;
}

int answer_read(const char *mount, const char *path, struct answer *answer)
{
	int ret = read_mode(mount, path, answer);

	if (!ret)
		ret = read_tuning(mount, answer);
	if (!ret)
		ret = hints_read(mount, &answer->chain, &answer->hints);
	answer->is_known = !ret;
	return ret;
}

json_t *answer_tuning_json(const struct answer *answer)
{
	json_t *tuning = knob_json(&answer->knobs), *from;

	if (!json_is_object(tuning))
		return tuning;
	from = json_object();
	for (int knob = 0; from && knob < NR_KNOBS; knob++)
		json_object_set_new(from, numab_knobs[knob].name,
				    answer->from[knob] ?
					    json_text(answer->from[knob]) :
					    json_string("kernel"));
	json_object_set_new(tuning, "from", from);
	return tuning;
}

static bool has_hints(const struct answer *answer)
{
	const struct hints *hints = &answer->hints;

	return hints->is_known || hints->from;
}

json_t *answer_hint_json(const struct answer *answer)
{
	const struct hints *hints = &answer->hints;

	if (!has_hints(answer))
		return json_null();
	return json_pack("{s:o, s:o, s:o}", "own", hint_json(hints->own),
			 "effective", hint_json(hints->effective), "from",
			 hints->from ? json_text(hints->from) :
				       json_string("kernel"));
}

json_t *answer_opinions_json(const struct answer *answer)
{
	const struct chain *chain = &answer->chain;
	json_t *opinions = json_array();

	for (size_t i = 0; opinions && i < chain->count; i++) {
		const struct chain_link *link = &chain->links[i];

		if (link->opinion != NUMAB_INHERIT)
			json_array_append_new(
				opinions,
				json_pack("{s:o,s:s}", "cgroup",
					  json_text(link->path), "opinion",
					  numab_opinion_name(link->opinion)));
	}
	return opinions;
}

void answer_add_value(struct table *table, bool known, unsigned int value,
		      const char *none)
{
	if (known && value)
		table_add(table, "%u", value);
	else
		table_add(table, "%s", known ? none : "-");
}

void answer_add_opinions(struct table *table, const struct answer *answer)
{
	const struct chain *chain = &answer->chain;

	for (size_t i = 0; i < chain->count; i++) {
		AUTO_FREE char *place = text_printable(chain->links[i].path);

		if (chain->links[i].opinion == NUMAB_INHERIT)
			continue;
		table_add(table, "opinion");
		table_add(table, "%s: %s", place ? place : "",
			  numab_opinion_name(chain->links[i].opinion));
	}
}

static void add_hint(struct table *table, const struct hints *hints)
{
	AUTO_FREE char *own = hint_text(hints->own);
	AUTO_FREE char *effective = hint_text(hints->effective);
	AUTO_FREE char *from = NULL;

	if (hints->from)
		from = text_printable(hints->from);
	table_add(table, HINT_NAME);
	table_add(table, "%s", own ? own : "");
	table_add(table, "%s", effective ? effective : "");
	table_add(table, "%s", from ? from : "kernel");
}

void answer_add_tuning(struct table *table, const struct answer *answer)
{
	static const char *const heads[] = { "TUNING", "OWN", "EFFECTIVE",
					     "FROM" };
	const struct knobs *knobs = &answer->knobs;

	for (int i = 0; i < 4; i++)
		table_add(table, "%s", heads[i]);
	for (int knob = 0; knob < NR_KNOBS; knob++) {
		AUTO_FREE char *from = NULL;

		if (answer->from[knob])
			from = text_printable(answer->from[knob]);
		table_add(table, "%s", numab_knobs[knob].name);
		answer_add_value(table, knobs->has_own, knobs->own.value[knob],
				 "default");
		answer_add_value(table, knobs->has_effective,
				 knobs->effective.value[knob], "unknown");
		table_add(table, "%s", from ? from : "kernel");
	}
	if (has_hints(answer))
		add_hint(table, &answer->hints);
}
