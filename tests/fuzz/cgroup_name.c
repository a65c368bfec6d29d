// SPDX-License-Identifier: GPL-2.0
/* Names of cgroups: whatever was typed, the path stays within the tree. */
#include <errno.h>

#include "cgroup.h"
#include "fuzz.h"
#include "text.h"

static void check_path(const char *path)
{
	char *again = NULL;

	must(*path == '/');
	must(!strstr(path, "//"));
	must(cgroup_is_root(path) || path[strlen(path) - 1] != '/');
	for (const char *at = strstr(path, "/."); at; at = strstr(at + 1, "/."))
		must(strcspn(at + 1, "/") > 2 ||
		     (at[2] != '.' && at[2] != '/' && at[2] != '\0'));
	/* A path is its own name, unless it looks like one below the mount. */
	must(!cgroup_parse_name("/mount", path, &again));
	must(!strcmp(path, again) || !strncmp(path, "/mount", 6));
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = fuzz_text(data, size), *path = NULL, *shown;
	int ret = cgroup_parse_name("/mount", name, &path);

	must(ret == 0 || ret == -EXDEV || ret == -EINVAL);
	must(!ret == !!path);
	if (path) {
		check_path(path);
		cgroup_cut_to_parent(path);
		check_path(path);
	}
	free(path);
	/* What is shown of it never moves a terminal's cursor. */
	shown = text_printable(name);
	for (const char *at = shown; *at; at++)
		must((unsigned char)*at > ' ' && *at != 0x7f);
	free(shown);
	free(name);
	return 0;
}
