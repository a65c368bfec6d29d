// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "cgroup.h"
#include "fixture.h"
#include "mode.h"

static const struct {
	const char *name, *path;
	int ret;
} names[] = {
	{ "/", "/", 0 },
	{ ".", "/", 0 },
	{ "a", "/a", 0 },
	{ "a/b", "/a/b", 0 },
	{ "/a/b", "/a/b", 0 },
	{ "/a/b/", "/a/b", 0 },
	{ "//a///b/.", "/a/b", 0 },
	{ "./a", "/a", 0 },
	{ "/sys/fs/cgroup", "/", 0 },
	{ "/sys/fs/cgroup/", "/", 0 },
	{ "/sys/fs/cgroup/a/b", "/a/b", 0 },
	{ "/sys//fs/./cgroup/a", "/a", 0 },
	{ "/sys/fs/cgroups/a", "/sys/fs/cgroups/a", 0 },
	{ "/sys/fs", "/sys/fs", 0 },
	{ "a/../b", "/b", 0 },
	{ "a/b/../..", "/", 0 },
	{ "a/..b/...", "/a/..b/...", 0 },
	{ "/system.slice/a\\x2db.service", "/system.slice/a\\x2db.service", 0 },
	{ "a b\n", "/a b\n", 0 },
	{ "", NULL, -EINVAL },
	{ "..", NULL, -EXDEV },
	{ "/..", NULL, -EXDEV },
	{ "a/../..", NULL, -EXDEV },
	{ "a/../../sys/fs/cgroup/a", NULL, -EXDEV },
	{ "/sys/fs/cgroup/..", NULL, -EXDEV },
	{ "/sys/fs/cgroup/../cgroup/a", NULL, -EXDEV },
	{ "/sys/fs/cgroup/a/../../../../etc", NULL, -EXDEV },
	{ "/../a", NULL, -EXDEV },
};

static void test_names(void **state)
{
	for (size_t i = 0; i < COUNT(names); i++) {
		char *path = NULL;

		check(cgroup_parse_name(CGROUP_ROOT, names[i].name, &path) ==
			      names[i].ret,
		      "\"%s\"", names[i].name);
		if (names[i].ret)
			assert_null(path);
		else
			assert_string_equal(path, names[i].path);
		free(path);
	}
}

static void test_cut_to_parent(void **state)
{
	char path[] = "/a/b.slice/c";

	cgroup_cut_to_parent(path);
	assert_string_equal(path, "/a/b.slice");
	cgroup_cut_to_parent(path);
	assert_string_equal(path, "/a");
	assert_false(cgroup_is_root(path));
	cgroup_cut_to_parent(path);
	assert_true(cgroup_is_root(path));
	cgroup_cut_to_parent(path);
	assert_true(cgroup_is_root(path));
}

static void assert_nearest(const char *path, int error, const char *nearest)
{
	AUTO_FREE char *found = NULL;

	assert_int_equal(cgroup_open(CGROUP_ROOT, path, &found), error);
	assert_string_equal(found, nearest);
}

static void test_open(void **state)
{
	AUTO_CLOSE int root = -1, dir = -1;

	fixture_cgroup("/a/b", "cgroup.controllers", "cpu\n");
	root = cgroup_open(CGROUP_ROOT, "/", NULL);
	assert_true(root >= 0);
	dir = cgroup_open(CGROUP_ROOT, "/a/b", NULL);
	assert_true(dir >= 0);
	assert_true(cgroup_lists_controller(dir, "cgroup.controllers", "cpu"));
	assert_false(cgroup_lists_controller(dir, "cgroup.controllers", "cp"));
	assert_false(cgroup_lists_controller(dir, "no.such.file", "cpu"));
	assert_false(cgroup_lists_controller(-1, "cgroup.controllers", "cpu"));
	assert_nearest("/a/b/c/d", -ENOENT, "/a/b");
	assert_nearest("/x/y", -ENOENT, "/");
	assert_nearest("/a/b/cgroup.controllers", -ENOTDIR, "/a/b");
	assert_int_equal(cgroup_open(CGROUP_ROOT, "/x", NULL), -ENOENT);
}

/* A link to outside of the tree, and one within, are no cgroups. */
static void test_links_lead_nowhere(void **state)
{
	AUTO_FREE char *link = fixture_path(CGROUP_ROOT "/a/link");
	AUTO_FREE char *mode = fixture_path(CGROUP_ROOT "/a/cpu.numab.mode");
	AUTO_CLOSE int dir = -1;
	int opinion;

	fixture_cgroup("/a/b", "cgroup.controllers", "cpu\n");
	fixture_file("/etc/secret", "off\n");
	assert_int_equal(symlink("../../../../etc", link), 0);
	assert_nearest("/a/link", -ENOTDIR, "/a");
	assert_nearest("/a/link/secret", -ENOTDIR, "/a");
	assert_int_equal(unlink(link), 0);
	assert_int_equal(symlink("b", link), 0);
	assert_nearest("/a/link", -ENOTDIR, "/a");
	/* Nor is a linked file one of the cgroup's files. */
	assert_int_equal(symlink("../../../../etc/secret", mode), 0);
	dir = cgroup_open(CGROUP_ROOT, "/a", NULL);
	assert_int_equal(cgroup_read_opinion(dir, &opinion), -ELOOP);
	assert_int_equal(fs_write_at(dir, CGROUP_MODE, "both"), -ELOOP);
}

static void test_effective(void **state)
{
	static const struct {
		const char *text;
		int ret, mode;
		bool policies;
	} cases[] = {
		{ "off\n", 0, 0, false },
		{ "both", 0, 3, false },
		{ "normal policies\n", 0, 1, true },
		{ "tiering something\n", 0, 2, false },
		{ "inherit\n", -EINVAL, 0, false },
		{ "\n", -EINVAL, 0, false },
		{ "", -EINVAL, 0, false },
		{ "policies\n", -EINVAL, 0, false },
		{ "OFF\n", -EINVAL, 0, false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		bool policies = false;
		int mode = 0;

		check(cgroup_parse_effective(cases[i].text, &mode, &policies) ==
			      cases[i].ret,
		      "\"%s\"", cases[i].text);
		assert_int_equal(mode, cases[i].mode);
		assert_int_equal(policies, cases[i].policies);
	}
}

static void test_find_mount(void **state)
{
	AUTO_FREE char *mount = NULL;

	assert_int_equal(cgroup_find_mount(&mount), -ENOENT);
	fixture_cgroup2();
	assert_int_equal(cgroup_find_mount(&mount), 0);
	assert_string_equal(mount, CGROUP_ROOT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_cut_to_parent),
		fixture_test(test_open),
		fixture_test(test_links_lead_nowhere),
		cmocka_unit_test(test_effective),
		fixture_test(test_find_mount),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
