// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>

#include "mountinfo.h"
#include "test.h"

#define ROOT	"22 1 254:0 / / rw,noatime shared:1 - ext4 /dev/vda rw\n"
#define UNIFIED "30 23 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n"
#define HYBRID	"31 23 0:27 / /sys/fs/cgroup/unified rw - cgroup2 none rw\n"
#define TMPFS	"29 23 0:25 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755\n"
#define V1	"32 29 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
#define PART	"40 22 0:26 /a/b /mnt/part rw - cgroup2 cgroup2 rw\n"
#define WHOLE	"41 22 0:26 / /mnt/whole rw shared:9 master:2 - cgroup2 x rw\n"
#define BLANK	"42 22 0:26 / /mnt/a\\040b\\134c rw - cgroup2 cgroup2 rw\n"

static const struct {
	const char *text, *path;
} cases[] = {
	{ ROOT UNIFIED, "/sys/fs/cgroup" },
	{ ROOT TMPFS HYBRID V1, "/sys/fs/cgroup/unified" },
	{ HYBRID UNIFIED, "/sys/fs/cgroup" },
	{ PART WHOLE, "/mnt/whole" },
	{ PART WHOLE UNIFIED, "/sys/fs/cgroup" },
	{ PART, "/mnt/part" },
	{ BLANK, "/mnt/a b\\c" },
	{ ROOT TMPFS V1, NULL },
	{ "", NULL },
	{ "\n\n", NULL },
	{ "30 23 0:26 / /sys/fs/cgroup rw shared:4\n", NULL },
	{ "30 23 0:26 / /sys/fs/cgroup rw -\n", NULL },
	{ "30 23 0:26 / relative rw - cgroup2 cgroup2 rw\n", NULL },
	{ "- cgroup2 cgroup2\n", NULL },
	/* The word is a mount point here, not the type. */
	{ "30 23 0:26 / cgroup2 rw - tmpfs cgroup2 rw\n", NULL },
};

static void test_find(void **state)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *path = NULL;
		int ret = mountinfo_find_cgroup2(cases[i].text, &path);

		check(ret == (cases[i].path ? 0 : -ENOENT), "%s",
		      cases[i].text);
		if (cases[i].path)
			assert_string_equal(path, cases[i].path);
		else
			assert_null(path);
		free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
