// SPDX-License-Identifier: GPL-2.0
/* /proc/PID/cgroup and status, and a process id as a person writes it. */
#include <stdio.h>

#include "fuzz.h"
#include "process.h"

/* A path of a cgroup: begins with a slash, and no part of it leads up. */
static void check_path(const char *path)
{
	must(*path == '/');
	must(!strchr(path, '\n'));
	must(!strstr(path, "/../"));
	must(!strstr(path, "//"));
	must(!path[1] || path[strlen(path) - 1] != '/');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *path = NULL, shown[16];
	pid_t pid = 0;

	if (!process_parse_cgroup(text, &path))
		check_path(path);
	else
		must(path == NULL);
	must(process_parse_tgid(text) >= 0);
	if (!process_parse_pid(text, &pid)) {
		must(pid > 0);
		snprintf(shown, sizeof(shown), "%d", pid);
		must(!strcmp(shown, text + strspn(text, "0")));
	} else {
		must(pid == 0);
	}
	free(path);
	free(text);
	return 0;
}
