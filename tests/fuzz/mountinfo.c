// SPDX-License-Identifier: GPL-2.0
/* /proc/self/mountinfo: an absolute path or ENOENT. */
#include <errno.h>

#include "fuzz.h"
#include "mountinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *path = NULL;
	int ret = mountinfo_find_cgroup2(text, &path);

	must(ret == 0 || ret == -ENOENT);
	must(!ret == !!path);
	must(!path || *path == '/');
	free(path);
	free(text);
	return 0;
}
