/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A made-up system in a temporary directory, which fs.h then reads, and a way
 * to run a command on it and keep what it prints.
 */
#ifndef NUMAB_TESTS_UNIT_FIXTURE_H
#define NUMAB_TESTS_UNIT_FIXTURE_H

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "fs.h"
#include "test.h"

#define CGROUP_ROOT  "/sys/fs/cgroup"
#define CGROUP_MOUNT "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"

static char fixture_root[64];

static inline int fixture_setup(void **state)
{
	strcpy(fixture_root, "/tmp/numab-test-XXXXXX");
	assert_non_null(mkdtemp(fixture_root));
	fs_set_root(fixture_root);
	return 0;
}

static inline int fixture_remove_one(const char *path, const struct stat *st,
				     int type, struct FTW *ftw)
{
	return remove(path);
}

static inline int fixture_teardown(void **state)
{
	fs_set_root(NULL);
	return nftw(fixture_root, fixture_remove_one, 32, FTW_DEPTH | FTW_PHYS);
}

static inline char *fixture_path(const char *path)
{
	char *full;

	assert_true(asprintf(&full, "%s%s", fixture_root, path) > 0);
	return full;
}

/* Make a directory with all above it. */
static inline void fixture_dir(const char *path)
{
	char *full = fixture_path(path);

	for (char *at = full + strlen(fixture_root) + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		assert_true(!mkdir(full, 0755) || errno == EEXIST);
		*at = '/';
	}
	assert_true(!mkdir(full, 0755) || errno == EEXIST);
	free(full);
}

static inline void fixture_bytes(const char *path, const void *data, size_t len)
{
	char *full = fixture_path(path), *dir = strdup(path);
	FILE *file;

	*strrchr(dir, '/') = '\0';
	if (*dir)
		fixture_dir(dir);
	file = fopen(full, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
	free(full);
	free(dir);
}

static inline void fixture_file(const char *path, const char *text)
{
	fixture_bytes(path, text, strlen(text));
}

/* A file of a cgroup; the cgroup is made when it is not there. */
static inline void fixture_cgroup(const char *cgroup, const char *file,
				  const char *text)
{
	char path[8192];

	snprintf(path, sizeof(path), CGROUP_ROOT "%s/%s", cgroup, file);
	fixture_file(path, text);
}

/* A cgroup with the cpu controller and the module's files. */
static inline void fixture_workload(const char *cgroup, const char *mode,
				    const char *effective)
{
	fixture_cgroup(cgroup, "cgroup.controllers", "cpu memory\n");
	fixture_cgroup(cgroup, "cgroup.subtree_control", "cpu memory\n");
	fixture_cgroup(cgroup, "cpu.weight", "100\n");
	fixture_cgroup(cgroup, "cpu.numab.mode", mode);
	fixture_cgroup(cgroup, "cpu.numab.effective", effective);
}

/* The module's files of tuning. */
static inline void fixture_tuning(const char *cgroup, const char *hot,
				  const char *size, const char *period,
				  const char *rate, const char *effective)
{
	fixture_cgroup(cgroup, "cpu.numab.hot_threshold_ms", hot);
	fixture_cgroup(cgroup, "cpu.numab.scan_size_mb", size);
	fixture_cgroup(cgroup, "cpu.numab.scan_period_ms", period);
	fixture_cgroup(cgroup, "cpu.numab.promote_mbps", rate);
	fixture_cgroup(cgroup, "cpu.numab.tuning", effective);
}

/* cgroup v2 in its normal place, with the cpu controller for everybody. */
static inline void fixture_cgroup2(void)
{
	fixture_file("/proc/self/mountinfo", CGROUP_MOUNT);
	fixture_cgroup("", "cgroup.controllers", "cpuset cpu io memory\n");
	fixture_cgroup("", "cgroup.subtree_control", "cpu memory\n");
}

static inline void fixture_module(const char *written)
{
	fixture_file("/sys/kernel/numab/version", "0.1.0\n");
	fixture_file("/sys/kernel/numab/written", written);
	fixture_file("/sys/kernel/numab/running", "3\n");
	fixture_file("/sys/kernel/numab/settings", "2\n");
	fixture_file("/sys/kernel/numab/hooks", "idle\n");
	fixture_file("/sys/kernel/numab/points", "task_numa_work idle\n");
	fixture_file("/sys/kernel/numab/stat", "scans_run 5\n");
}

/* Process 77, of two threads, in a group of resctrl's. */
static inline void fixture_process(void)
{
	fixture_file("/proc/77/comm", "stream\n");
	fixture_file("/proc/77/cpu_resctrl_groups", "res:batch\nmon:one\n");
	fixture_file("/sys/fs/resctrl/batch/mon_groups/one/mon_data/"
		     "mon_L3_01/llc_occupancy",
		     "20480\n");
	fixture_file("/sys/kernel/debug/numab/cache",
		     "pid 77\nfootprint 4096\nin_sweep 40960000\n"
		     "rss 134217728\nllc 33554432\ntolerance 1\n"
		     "estimated 1\nasked -1\nverdict footprint_exceeds\n"
		     "kernel_refuses 0\nlifted 0\ncpu -1\n\n");
}

struct output {
	int code;
	char *out, *err;
};

static inline void output_release(struct output *output)
{
	free(output->out);
	free(output->err);
}

/* Run a command with arguments up to a NULL; the caller releases. */
static inline struct output run(int (*command)(int, char **), ...)
{
	FILE *real_out = stdout, *real_err = stderr;
	char *argv[8] = { "numab" };
	struct output output;
	size_t size;
	int argc = 1;
	va_list args;

	va_start(args, command);
	while ((argv[argc] = va_arg(args, char *)))
		argc++;
	va_end(args);
	stdout = open_memstream(&output.out, &size);
	stderr = open_memstream(&output.err, &size);
	output.code = command(argc, argv);
	fclose(stdout);
	fclose(stderr);
	stdout = real_out;
	stderr = real_err;
	return output;
}

#define AUTO_OUTPUT __attribute__((cleanup(output_release)))

static inline void assert_contains(const char *text, const char *part)
{
	check(strstr(text, part), "\"%s\" in:\n%s", part, text);
}

static inline void assert_lacks(const char *text, const char *part)
{
	check(!strstr(text, part), "\"%s\" not in:\n%s", part, text);
}

/* The document, whose version has been looked at; the caller releases. */
static inline json_t *parse_json(const struct output *output)
{
	json_error_t error;
	json_t *json = json_loads(output->out, JSON_REJECT_DUPLICATES, &error);

	check(json, "%s in:\n%s", error.text, output->out);
	assert_int_equal(json_integer_value(json_object_get(json, "version")),
			 NUMAB_JSON_VERSION);
	return json;
}

#define fixture_test(function)                                   \
	cmocka_unit_test_setup_teardown(function, fixture_setup, \
					fixture_teardown)

#endif
