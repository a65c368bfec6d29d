// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "cleanup.h"
#include "mountinfo.h"
#include "text.h"

/* Fields of a line, up to the "-" that ends the optional ones. */
enum {
	FIELD_ROOT = 3,
	FIELD_POINT = 4,
	FIELDS_FIXED = 6
};

struct mount {
	struct span root, point;
};

static bool line_is_cgroup2(struct span line, struct mount *ret_mount)
{
	struct mount mount = {};
	struct span field;

	for (int i = 0; i < FIELDS_FIXED; i++) {
		if (!text_next_word(&line, &field))
			return false;
		if (i == FIELD_ROOT)
			mount.root = field;
		if (i == FIELD_POINT)
			mount.point = field;
	}
	do {
		if (!text_next_word(&line, &field))
			return false;
	} while (!text_equals(field, "-"));
	if (!text_next_word(&line, &field) || !text_equals(field, "cgroup2"))
		return false;
	*ret_mount = mount;
	return *mount.point.start == '/';
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* The kernel writes blanks, newlines and backslashes as \ooo. */
static char *unescape(struct span span)
{
	char *path = text_copy(span), *in = path, *out = path;

	if (!path)
		return NULL;
	while (*in) {
		if (in[0] == '\\' && is_octal(in[1]) && is_octal(in[2]) &&
		    is_octal(in[3])) {
			*out = (in[1] - '0') << 6 | (in[2] - '0') << 3 |
			       (in[3] - '0');
			/* "\000" is never written by a kernel. */
			out += *out != '\0';
			in += 4;
		} else {
			*out++ = *in++;
		}
	}
	*out = '\0';
	return path;
}

static int rank(const struct mount *mount)
{
	if (text_equals(mount->point, "/sys/fs/cgroup"))
		return 4;
	if (text_equals(mount->point, "/sys/fs/cgroup/unified"))
		return 3;
	if (text_equals(mount->root, "/"))
		return 2;
	return 1;
}

int mountinfo_find_cgroup2(const char *mountinfo, char **ret_path)
{
	struct mount mount, best = {};
	struct span line;
	int best_rank = 0;
	char *path;

	while (text_next_line(&mountinfo, &line)) {
		if (!line_is_cgroup2(line, &mount) || rank(&mount) <= best_rank)
			continue;
		best = mount;
		best_rank = rank(&mount);
	}
	if (!best_rank)
		return -ENOENT;
	path = unescape(best.point);
	if (!path)
		return -ENOMEM;
	*ret_path = path;
	return 0;
}
