// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "cgroup.h"
#include "mode.h"
#include "mountinfo.h"
#include "text.h"

int cgroup_find_mount(char **ret_mount)
{
	AUTO_TEXT struct fs_text text = {};
	int ret = fs_read("/proc/self/mountinfo", &text);

	return ret ? ret : mountinfo_find_cgroup2(text.data, ret_mount);
}

/* The next component; empty ones and "." are none. */
static bool next_component(const char **path, struct span *ret_component)
{
	struct span found;

	do {
		*path += strspn(*path, "/");
		found.start = *path;
		found.len = strcspn(*path, "/");
		*path += found.len;
	} while (text_equals(found, "."));
	*ret_component = found;
	return found.len;
}

/* What follows prefix in name, or NULL where it is not a prefix. */
static const char *after_prefix(const char *name, const char *prefix)
{
	struct span want, have;

	while (next_component(&prefix, &want)) {
		if (!next_component(&name, &have) || want.len != have.len ||
		    memcmp(want.start, have.start, want.len))
			return NULL;
	}
	return name;
}

int cgroup_parse_name(const char *mount, const char *name, char **ret_path)
{
	const char *below = NULL;
	AUTO_FREE char *path = NULL;
	struct span component;
	char *end;

	if (!*name)
		return -EINVAL;
	if (*name == '/')
		below = after_prefix(name, mount);
	if (!below)
		below = name;
	path = malloc(strlen(below) + 2);
	if (!path)
		return -ENOMEM;
	end = path;
	while (next_component(&below, &component)) {
		if (text_equals(component, "..")) {
			if (end == path)
				return -EXDEV;
			do {
				end--;
			} while (*end != '/');
			continue;
		}
		*end++ = '/';
		end = mempcpy(end, component.start, component.len);
	}
	if (end == path)
		*end++ = '/';
	*end = '\0';
	*ret_path = take_ptr(path);
	return 0;
}

bool cgroup_is_root(const char *path)
{
	return !strcmp(path, "/");
}

void cgroup_cut_to_parent(char *path)
{
	char *slash = strrchr(path, '/');

	/* The slash of the root stays. */
	slash[slash == path] = '\0';
}

static int report_nearest(const char *path, size_t len, int error,
			  char **ret_nearest)
{
	char *nearest;

	if (!ret_nearest)
		return error;
	nearest = len ? strndup(path, len) : strdup("/");
	if (!nearest)
		return -ENOMEM;
	*ret_nearest = nearest;
	return error;
}

int cgroup_open(const char *mount, const char *path, char **ret_nearest)
{
	AUTO_CLOSE int dir = fs_open_dir(mount);
	const char *rest = path, *parent = path;
	struct span component;

	if (dir < 0)
		return dir;
	while (next_component(&rest, &component)) {
		AUTO_FREE char *name = text_copy(component);
		int child;

		if (!name)
			return -ENOMEM;
		child = fs_open_dir_at(dir, name);
		if (child < 0)
			return report_nearest(path, parent - path, child,
					      ret_nearest);
		close(dir);
		dir = child;
		parent = rest;
	}
	return take_fd(&dir);
}

bool cgroup_lists_controller(int dir, const char *file, const char *name)
{
	AUTO_TEXT struct fs_text text = {};

	return !fs_read_at(dir, file, &text) && text_has_word(text.data, name);
}

int cgroup_read_opinion(int dir, int *ret_opinion)
{
	AUTO_TEXT struct fs_text text = {};
	int ret = fs_read_at(dir, CGROUP_MODE, &text);

	if (ret)
		return ret;
	return numab_opinion_parse(text.data, text.len, ret_opinion);
}

int cgroup_parse_effective(const char *text, int *ret_mode, bool *ret_policies)
{
	struct span rest = { text, strlen(text) }, word;
	int mode, ret;

	if (!text_next_word(&rest, &word))
		return -EINVAL;
	ret = numab_opinion_parse(word.start, word.len, &mode);
	if (ret)
		return ret;
	if (mode == NUMAB_INHERIT)
		return -EINVAL;
	*ret_mode = mode;
	*ret_policies =
		text_next_word(&rest, &word) && text_equals(word, "policies");
	return 0;
}

int cgroup_read_effective(int dir, int *ret_mode, bool *ret_policies)
{
	AUTO_TEXT struct fs_text text = {};
	int ret = fs_read_at(dir, CGROUP_EFFECTIVE, &text);

	if (ret)
		return ret;
	return cgroup_parse_effective(text.data, ret_mode, ret_policies);
}
