// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine.h"
#include "test.h"
#include "tool.h"

/* Where the lab puts what -f and --module brought. */
#define KO	      "/lab/ko/"
#define LLC_TOLERANCE "/sys/kernel/debug/sched/llc_balancing/aggr_tolerance"

static char log_mark[64];

void test_fail(const char *file, int line, const char *fmt, ...)
{
	va_list args;

	printf("# %s:%d: ", file, line);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	exit(1);
}

void test_skip(const char *reason)
{
	printf("# skipped: %s\n", reason);
	exit(4);
}

const char *cgroup_text(const char *cgroup, const char *file)
{
	static char text[4096];

	cgroup_read(cgroup, file, text, sizeof(text));
	return text;
}

void set_mode(const char *cgroup, const char *mode)
{
	int err = cgroup_write(cgroup, "cpu.numab.mode", mode);

	if (err)
		test_fail(__FILE__, __LINE__, "cannot set %s to %s: %s", cgroup,
			  mode, strerror(-err));
}

int set_sysctl(const char *text)
{
	return file_write(SYSCTL, text, strlen(text));
}

long long status_number(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), STATUS "%s", name);
	return file_number(path);
}

/* The line of text that begins with a word, without it; or NULL. */
static char *line_of(char *text, const char *word)
{
	size_t len = strlen(word);
	char *line;

	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (!strncmp(line, word, len) && line[len] == ' ')
			return line + len + 1;
	return NULL;
}

const char *point_state(const char *symbol)
{
	static char text[4096];
	char *line;

	if (file_read(STATUS "points", text, sizeof(text)))
		return "unloaded";
	line = line_of(text, symbol);
	if (!line)
		return "unknown";
	line[strcspn(line, " ")] = '\0';
	return line;
}

static bool hooks_are(void *state)
{
	char text[16];

	return !file_read(STATUS "hooks", text, sizeof(text)) &&
	       !strcmp(text, state);
}

void expect_hooks(const char *state)
{
	if (!wait_until(hooks_are, (void *)state, 10))
		test_fail(__FILE__, __LINE__, "hooks are not %s after 10 s",
			  state);
}

bool is_traced(const char *function)
{
	static char text[65536];

	if (file_read("/sys/kernel/tracing/enabled_functions", text,
		      sizeof(text)))
		die("cannot read what ftrace has hooked");
	return line_of(text, function);
}

long long vmstat(const char *key)
{
	static char text[16384];
	char *line;

	if (file_read("/proc/vmstat", text, sizeof(text)))
		die("cannot read /proc/vmstat");
	line = line_of(text, key);
	if (!line)
		test_fail(__FILE__, __LINE__, "/proc/vmstat has no %s", key);
	return atoll(line);
}

long long status_stat(const char *key)
{
	char text[4096], *line;

	if (file_read(STATUS "stat", text, sizeof(text)))
		die("cannot read numab's counters");
	line = line_of(text, key);
	if (!line)
		test_fail(__FILE__, __LINE__, "numab does not count %s", key);
	return atoll(line);
}

static int load_module(const char *file, const char *parameters)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		die("cannot open %s", file);
	err = syscall(SYS_finit_module, fd, parameters, 0) ? -errno : 0;
	close(fd);
	return err;
}

bool kernel_skips_pinned(void)
{
	char release[64];

	if (file_read("/proc/sys/kernel/osrelease", release, sizeof(release)))
		die("cannot read the kernel's release");
	return strncmp(release, "6.12.", 5);
}

/*
 * Where the kernel does not skip pinned tasks, numab hooks the scan gate for
 * that alone. But "nothing set, nothing hooked" is what most cases are about.
 */
static void leave_pinned_to_kernel(void)
{
	const char *word = kernel_skips_pinned() ? "never" : "always";

	if (file_write(SCAN_PINNED, word, strlen(word)))
		die("cannot write %s", SCAN_PINNED);
}

static int load_one_of_ours(const char *file, const char *parameters)
{
	int err = load_module(file, parameters);

	if (!err)
		leave_pinned_to_kernel();
	return err;
}

int load_numab(const char *parameters)
{
	return load_one_of_ours("/lab/numab.ko", parameters);
}

int load_faulty(const char *parameters)
{
	return load_one_of_ours("/lab/faulty.ko", parameters);
}

int load_brd(const char *parameters)
{
	return load_module("/lab/brd.ko", parameters);
}

int load_livepatch(const char *target)
{
	char parameters[128];

	snprintf(parameters, sizeof(parameters), "target=%s", target);
	return load_module("/lab/livepatch.ko", parameters);
}

int unload(const char *module)
{
	return syscall(SYS_delete_module, module, 0) ? -errno : 0;
}

bool log_has(const char *text)
{
	static char log[1 << 20];
	FILE *pipe = popen("dmesg", "r");
	char *at;
	size_t n;

	if (!pipe)
		die("cannot run dmesg");
	n = fread(log, 1, sizeof(log) - 1, pipe);
	log[n] = '\0';
	pclose(pipe);
	at = strstr(log, log_mark);
	return at && strstr(at, text);
}

static void write_number(const char *path, int number)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", number);
	if (file_write(path, text, strlen(text)))
		die("cannot write %s", path);
}

/* Make the kernel scan often, so that cases are short. */
static void reset_scans(void)
{
	write_number(SCANS "scan_delay_ms", 100);
	write_number(SCANS "scan_period_min_ms", 100);
	write_number(SCANS "scan_period_max_ms", 500);
	write_number(SCANS "scan_size_mb", 256);
	write_number(SCANS "hot_threshold_ms", 20000);
	if (!access(LLC_TOLERANCE, F_OK))
		write_number(LLC_TOLERANCE, 1);
}

static int remove_dir(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	return type == FTW_DP ? rmdir(path) : 0;
}

static bool is_gone(void *path)
{
	return access(path, F_OK) ||
	       !nftw(path, remove_dir, 16, FTW_DEPTH | FTW_PHYS);
}

static void remove_cgroups(void)
{
	cgroup_write("t", "cgroup.kill", "1");
	if (!wait_until(is_gone, CGROUP_MOUNT "/t", 30))
		die("cannot remove the cgroups of a case");
}

/* Also what is left of one whose load was killed. */
static void remove_policies(void)
{
	DIR *dir = opendir("/sys/fs/bpf/numab");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.' &&
		    tool("policy unload %s", entry->d_name))
			die("cannot remove policy %s: %s", entry->d_name,
			    tool_output());
	if (dir)
		closedir(dir);
}

static bool nothing_set(void *arg)
{
	(void)arg;
	return !status_number("settings") && !status_number("policies");
}

/* A point stays marked as held until it is tried again. */
static bool something_was_held(void)
{
	char text[4096];

	return !file_read(STATUS "points", text, sizeof(text)) &&
	       strstr(text, " held ");
}

static void mark_log(void)
{
	static int count;
	FILE *kmsg = fopen("/dev/kmsg", "w");

	snprintf(log_mark, sizeof(log_mark), "numab-test: case %d begins",
		 ++count);
	if (!kmsg)
		die("cannot write to the kernel's log");
	fprintf(kmsg, "<6>%s\n", log_mark);
	fclose(kmsg);
}

/* The core lets go of the module some time after the patch is disabled. */
static bool has_no_livepatch(void *arg)
{
	(void)arg;
	file_write("/sys/kernel/livepatch/livepatch/enabled", "0", 1);
	return unload("livepatch") == -ENOENT;
}

void machine_reset(void)
{
	remove_policies();
	remove_cgroups();
	if (!wait_until(has_no_livepatch, NULL, 60))
		die("cannot unload the livepatch of a case");
	if (something_was_held())
		unload("numab");
	if (access(STATUS, F_OK) && load_numab(""))
		die("cannot load numab again");
	if (!wait_until(nothing_set, NULL, 30))
		die("settings stay after their cgroups went");
	if (set_sysctl("1"))
		die("cannot reset the sysctl");
	leave_pinned_to_kernel();
	reset_scans();
	mark_log();
}
