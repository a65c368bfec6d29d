// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cgroup.h"
#include "tree.h"

const char *const tree_memory_keys[MEMORY_KEYS] = {
	[MEMORY_MARKED] = "numa_pte_updates",
	[MEMORY_FAULTS] = "numa_hint_faults",
	[MEMORY_MIGRATED] = "numa_pages_migrated",
	[MEMORY_PROMOTED] = "pgpromote_success",
};

struct walk {
	unsigned int want;
	struct tree tree;
	struct fs_text text; /* of the file being read */
};

struct names {
	size_t count, size;
	char **items;
};

/* What one look at a directory shows. */
struct listing {
	struct names children;
	bool has_cpu, has_numab, has_tuning, has_memory;
};

static void row_release(struct row *row)
{
	free(row->path);
	free(row->stat);
	free(row->nodes.bytes);
}

void tree_release(struct tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		row_release(&tree->rows[i]);
	free(tree->rows);
	memset(tree, 0, sizeof(*tree));
}

static void walk_release(struct walk *walk)
{
	tree_release(&walk->tree);
	fs_text_release(&walk->text);
}

static void listing_release(struct listing *listing)
{
	for (size_t i = 0; i < listing->children.count; i++)
		free(listing->children.items[i]);
	free(listing->children.items);
}

static int names_add(struct names *names, const char *name)
{
	char **grown;

	if (names->count == names->size) {
		size_t size = names->size ? 2 * names->size : 16;

		grown = reallocarray(names->items, size, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		names->items = grown;
		names->size = size;
	}
	names->items[names->count] = strdup(name);
	if (!names->items[names->count])
		return -ENOMEM;
	names->count++;
	return 0;
}

static int names_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_directory(int dir, const struct dirent *entry)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return !fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
	       S_ISDIR(st.st_mode);
}

/* The names also tell which controllers there are, without another read. */
static int listing_read(int dir, struct listing *listing)
{
	AUTO_CLOSEDIR DIR *list = NULL;
	struct dirent *entry;
	int ret = fs_list_at(dir, &list);

	if (ret)
		return ret;
	while ((entry = readdir(list))) {
		const char *name = entry->d_name;

		if (!strcmp(name, CGROUP_MODE))
			listing->has_numab = true;
		else if (!strcmp(name, KNOB_EFFECTIVE))
			listing->has_tuning = true;
		else if (!strcmp(name, "cpu.weight"))
			listing->has_cpu = true;
		else if (!strcmp(name, "memory.stat"))
			listing->has_memory = true;
		if (!is_directory(dir, entry) || !strcmp(name, ".") ||
		    !strcmp(name, ".."))
			continue;
		ret = names_add(&listing->children, name);
		if (ret)
			return ret;
	}
	if (listing->children.count)
		qsort(listing->children.items, listing->children.count,
		      sizeof(*listing->children.items), names_compare);
	return 0;
}

static struct row *tree_add(struct tree *tree, const char *path)
{
	struct row *row;

	if (tree->count == tree->size) {
		size_t size = tree->size ? 2 * tree->size : 64;

		row = reallocarray(tree->rows, size, sizeof(*row));
		if (!row)
			return NULL;
		tree->rows = row;
		tree->size = size;
	}
	row = &tree->rows[tree->count];
	memset(row, 0, sizeof(*row));
	row->path = strdup(path);
	if (!row->path)
		return NULL;
	tree->count++;
	return row;
}

static void memory_stat_parse(const char *text, struct row *row)
{
	struct flat_entry entry;

	row->has |= ROW_MEMORY_STAT;
	while (flat_next(&text, &entry)) {
		for (int i = 0; i < MEMORY_KEYS; i++) {
			if (!text_equals(entry.key, tree_memory_keys[i]))
				continue;
			row->memory[i] = entry.value;
			row->has_memory |= 1u << i;
		}
	}
}

static int row_read_numab(struct walk *walk, int dir, struct row *row)
{
	if (!cgroup_read_opinion(dir, &row->opinion))
		row->has |= ROW_MODE;
	if (!cgroup_read_effective(dir, &row->effective, &row->policies))
		row->has |= ROW_EFFECTIVE;
	if (fs_read_at(dir, CGROUP_STAT, &walk->text))
		return 0;
	row->stat = strdup(walk->text.data);
	return row->stat ? 0 : -ENOMEM;
}

static int row_read_memory(struct walk *walk, int dir, struct row *row)
{
	int ret;

	if (!fs_read_at(dir, "memory.stat", &walk->text))
		memory_stat_parse(walk->text.data, row);
	if (fs_read_at(dir, "memory.numa_stat", &walk->text))
		return 0;
	ret = numa_stat_parse(walk->text.data, &row->nodes);
	if (!ret)
		row->has |= ROW_NODE_BYTES;
	return ret;
}

static int row_read(struct walk *walk, int dir, const char *path,
		    const struct listing *listing)
{
	struct row *row = tree_add(&walk->tree, path);
	int ret = row ? 0 : -ENOMEM;

	if (!ret && (listing->has_cpu || listing->has_numab))
		row->has |= ROW_CPU;
	if (!ret && listing->has_numab)
		ret = row_read_numab(walk, dir, row);
	if (!ret && listing->has_tuning && (walk->want & TREE_TUNING))
		knob_read(dir, &row->knobs);
	if (!ret && listing->has_memory)
		ret = row_read_memory(walk, dir, row);
	return ret;
}

static int visit(struct walk *walk, int dir, const char *path);

/* Gone meanwhile, or not readable: the walk goes on without it. */
static int visit_child(struct walk *walk, int dir, const char *path,
		       const char *name)
{
	AUTO_CLOSE int child = fs_open_dir_at(dir, name);
	AUTO_FREE char *child_path = NULL;
	int ret = child;

	if (child >= 0) {
		if (asprintf(&child_path, "%s/%s",
			     cgroup_is_root(path) ? "" : path, name) < 0) {
			child_path = NULL;
			return -ENOMEM;
		}
		ret = visit(walk, child, child_path);
	}
	if (ret >= 0 || ret == -ENOMEM)
		return ret;
	if (ret != -ENOENT && ret != -ENODEV)
		walk->tree.unreadable++;
	return 0;
}

static int visit(struct walk *walk, int dir, const char *path)
{
	AUTO(listing_release) struct listing listing = {};
	int ret = listing_read(dir, &listing);

	if (ret)
		return ret;
	if ((walk->want & TREE_ALL) ||
	    (!cgroup_is_root(path) && (listing.has_cpu || listing.has_numab)))
		ret = row_read(walk, dir, path, &listing);
	for (size_t i = 0; !ret && i < listing.children.count; i++)
		ret = visit_child(walk, dir, path, listing.children.items[i]);
	return ret;
}

int tree_read(int dir, const char *path, unsigned int want,
	      struct tree *ret_tree)
{
	AUTO(walk_release) struct walk walk = { .want = want };
	int ret = visit(&walk, dir, path);

	if (ret)
		return ret;
	*ret_tree = walk.tree;
	memset(&walk.tree, 0, sizeof(walk.tree));
	return 0;
}

uint64_t tree_sum_skipped(const char *stat)
{
	static const char prefix[] = "scans_skipped_";
	struct flat_entry entry;
	uint64_t sum = 0;

	while (flat_next(&stat, &entry))
		if (entry.key.len >= strlen(prefix) &&
		    !memcmp(entry.key.start, prefix, strlen(prefix)))
			sum += entry.value;
	return sum;
}
