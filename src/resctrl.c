// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fs.h"
#include "resctrl.h"
#include "text.h"

#define MON "mon_L3_"

void resctrl_release(struct resctrl *resctrl)
{
	free(resctrl->group);
	free(resctrl->caches);
	memset(resctrl, 0, sizeof(*resctrl));
}

/* The value of a line "KEY:VALUE"; false when there is no such line. */
static bool find_value(const char *text, const char *key, struct span *ret)
{
	size_t len = strlen(key);
	struct span line;

	while (text_next_line(&text, &line))
		if (line.len >= len && !memcmp(line.start, key, len)) {
			*ret = (struct span){ line.start + len,
					      line.len - len };
			return true;
		}
	return false;
}

/*
 * /proc/PID/cpu_resctrl_groups has "res:GROUP" and "mon:GROUP"; "res:/" is the
 * root, an empty res is no resctrl, an empty mon no group within.
 */
static char *group_of(const char *text)
{
	struct span res, mon = {};
	char *group = NULL;

	if (!find_value(text, "res:", &res) || !res.len) {
		errno = ENOENT;
		return NULL;
	}
	find_value(text, "mon:", &mon);
	if (text_equals(res, "/"))
		res.len = 0;
	if (asprintf(&group, "%s%.*s%s%.*s", res.len ? "/" : "", (int)res.len,
		     res.start, mon.len ? "/mon_groups/" : "", (int)mon.len,
		     mon.start) < 0) {
		errno = ENOMEM;
		return NULL;
	}
	return group;
}

static int compare(const void *a, const void *b)
{
	const struct resctrl_cache *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int add_cache(struct resctrl *resctrl, const char *dir, const char *name)
{
	struct span digits = { name + strlen(MON), strlen(name) - strlen(MON) };
	struct resctrl_cache *caches;
	AUTO_FREE char *path = NULL;
	uint64_t id;

	if (text_parse_u64(digits, &id))
		return 0;
	if (asprintf(&path, "%s/%s/llc_occupancy", dir, name) < 0)
		return -ENOMEM;
	if (!fs_exists(path))
		return 0;
	caches = realloc(resctrl->caches,
			 (resctrl->count + 1) * sizeof(*caches));
	if (!caches)
		return -ENOMEM;
	resctrl->caches = caches;
	/* The file may say "Unavailable". */
	caches[resctrl->count++] =
		(struct resctrl_cache){ id, fs_read_number(path) };
	return 0;
}

static int read_caches(struct resctrl *resctrl)
{
	AUTO_CLOSEDIR DIR *dir = NULL;
	AUTO_FREE char *path = NULL;
	AUTO_CLOSE int fd = -1;
	struct dirent *entry;
	int ret;

	if (asprintf(&path, RESCTRL_DIR "%s/mon_data", resctrl->group) < 0)
		return -ENOMEM;
	fd = fs_open_dir(path);
	if (fd < 0 || fs_list_at(fd, &dir))
		return -ENOENT;
	while ((entry = readdir(dir))) {
		if (strncmp(entry->d_name, MON, strlen(MON)))
			continue;
		ret = add_cache(resctrl, path, entry->d_name);
		if (ret)
			return ret;
	}
	if (!resctrl->count)
		return -ENOENT;
	qsort(resctrl->caches, resctrl->count, sizeof(*resctrl->caches),
	      compare);
	return 0;
}

int resctrl_read(int pid, struct resctrl *ret_resctrl)
{
	AUTO_RESCTRL struct resctrl resctrl = {};
	AUTO_TEXT struct fs_text text = {};
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	if (!fs_exists(path))
		return -ESRCH;
	snprintf(path, sizeof(path), "/proc/%d/cpu_resctrl_groups", pid);
	if (fs_read(path, &text))
		return -ENOENT;
	resctrl.group = group_of(text.data);
	if (!resctrl.group)
		return -errno;
	ret = read_caches(&resctrl);
	if (ret)
		return ret;
	*ret_resctrl = resctrl;
	memset(&resctrl, 0, sizeof(resctrl));
	return 0;
}
