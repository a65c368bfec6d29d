// SPDX-License-Identifier: GPL-2.0
/*
 * The main job, on real processes: cgroups with different modes, in each a
 * process on node 0 whose memory lies half on the other socket and half on
 * the slow node. Shows what each mode did, and fails if that is not what the
 * mode promises.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../guest/cgroup.h"
#include "../guest/load.h"

#define SYSCTL	  "/proc/sys/kernel/numa_balancing"
#define SCANS	  "/sys/kernel/debug/sched/numa_balancing/"
#define REGION_MB 24
#define NODES	  3
#define SECONDS	  40 /* at most, for the memory to move */

enum {
	HOME,
	REMOTE,
	SLOW
};

struct workload {
	const char *cgroup;
	const char *mode; /* NULL: no setting */
	bool moves;	  /* promised: remote memory comes home */
	bool promotes;	  /* promised: slow memory comes home */
	struct load load;
	double was[NODES]; /* MB by node */
};

static struct workload workloads[] = {
	{ .cgroup = "unset" },
	{ .cgroup = "off", .mode = "off" },
	{ .cgroup = "normal", .mode = "normal", .moves = true },
	{ .cgroup = "tiering", .mode = "tiering", .promotes = true },
	{ .cgroup = "both", .mode = "both", .moves = true, .promotes = true },
};

#define NR_WORKLOADS (sizeof(workloads) / sizeof(workloads[0]))
#define for_each_workload(w) \
	for (struct workload *w = workloads; w < workloads + NR_WORKLOADS; w++)

/* The tool does the setting, as on any machine. */
static void numab(const char *command, const char *cgroup, const char *mode)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		execlp("numab", "numab", command, cgroup, mode, NULL);
		die("cannot run numab");
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status) {
		errno = ECHILD;
		die("numab %s %s %s failed", command, cgroup, mode);
	}
}

static void write_number(const char *path, int number)
{
	char text[16];
	int err;

	snprintf(text, sizeof(text), "%d", number);
	err = file_write(path, text, strlen(text));
	if (err) {
		errno = -err;
		die("cannot write %d to %s", number, path);
	}
}

/*
 * Scan often, so that half a minute shows what takes minutes elsewhere; and
 * take a page for hot that was touched seconds after its scan, since that is
 * how long an emulated machine on a busy host may need for its faults.
 */
static void hurry(void)
{
	write_number(SCANS "scan_delay_ms", 100);
	write_number(SCANS "scan_period_min_ms", 100);
	write_number(SCANS "scan_period_max_ms", 1000);
	write_number(SCANS "hot_threshold_ms", 20000);
}

static double came_home(const struct workload *w, int node)
{
	return load_share(&w->load, node - REMOTE, HOME);
}

static bool is_home(const struct workload *w)
{
	return (!w->moves || came_home(w, REMOTE) > 99) &&
	       (!w->promotes || came_home(w, SLOW) > 99);
}

static bool all_home(void *arg)
{
	static double next;
	bool all = true;

	for_each_workload(w)
		all = is_home(w) && all;
	if (all || now() < next)
		return all;

	next = now() + 1;
	printf("  came home:");
	for_each_workload(w)
		if (w->mode)
			printf("  %s %.0f + %.0f %%", w->cgroup,
			       came_home(w, REMOTE), came_home(w, SLOW));
	printf("  (remote + slow)\n");
	fflush(stdout);
	return false;
}

static long long kernel_count(const struct workload *w, const char *key)
{
	return cgroup_value(w->cgroup, "memory.stat", key);
}

static void print_mb(const double *mb)
{
	for (int node = 0; node < NODES; node++)
		printf(" %4.0f", mb[node]);
}

static void print_row(const struct workload *w)
{
	char set[16] = "-", effective[16] = "-";
	double is[NODES];

	cgroup_read(w->cgroup, "cpu.numab.mode", set, sizeof(set));
	cgroup_read(w->cgroup, "cpu.numab.effective", effective,
		    sizeof(effective));
	for (int node = 0; node < NODES; node++)
		is[node] = cgroup_node_mb(w->cgroup, node);
	printf("%-8s %-8s %-9s %6lld %7lld %7lld %9lld %9lld  ", w->cgroup, set,
	       effective,
	       cgroup_value(w->cgroup, "cpu.numab.stat", "scans_run"),
	       kernel_count(w, "numa_pte_updates"),
	       kernel_count(w, "numa_hint_faults"),
	       kernel_count(w, "numa_pages_migrated"),
	       kernel_count(w, "pgpromote_success"));
	print_mb(w->was);
	printf("  ");
	print_mb(is);
	printf("\n");
}

static void print_table(void)
{
	printf("\n%-8s %-8s %-9s %6s %7s %7s %9s %9s   %14s   %14s\n", "", "",
	       "", "", "pages", "hint", "pages", "of them", "MB on node was",
	       "MB on node is");
	printf("%-8s %-8s %-9s %6s %7s %7s %9s %9s  ", "cgroup", "set",
	       "effective", "scans", "marked", "faults", "migrated",
	       "promoted");
	for (int twice = 0; twice < 2; twice++)
		printf(" %4d %4d %4s  ", HOME, REMOTE, "slow");
	printf("\n");
	for_each_workload(w)
		print_row(w);
	printf("\n");
}

/* What was not promised must not have happened. */
static bool verify_one(const struct workload *w)
{
	double remote = came_home(w, REMOTE), slow = came_home(w, SLOW);
	bool scans = w->moves || w->promotes;
	bool ok = is_home(w);

	ok = ok && (w->moves || remote == 0) && (w->promotes || slow == 0);
	ok = ok && (scans || !kernel_count(w, "numa_pte_updates"));
	ok = ok && (w->promotes || !kernel_count(w, "pgpromote_success"));
	if (!ok)
		printf("FAILED: %s: %.0f %% of remote and %.0f %% of slow "
		       "memory came home\n",
		       w->cgroup, remote, slow);
	return ok;
}

static void start(struct workload *w)
{
	cgroup_make(w->cgroup);
	if (w->mode)
		numab("set", w->cgroup, w->mode);
	w->load = (struct load){
		.cgroup = w->cgroup,
		.region = { { .node = REMOTE, .mb = REGION_MB },
			    { .node = SLOW, .mb = REGION_MB } },
	};
	load_start(&w->load);
	for (int node = 0; node < NODES; node++)
		w->was[node] = cgroup_node_mb(w->cgroup, node);
}

int main(void)
{
	bool ok = true;

	/* The machine's switch is off: whoever has no setting is left alone. */
	write_number(SYSCTL, 0);
	hurry();
	for_each_workload(w)
		start(w);
	printf("kernel.numa_balancing is %lld, the kernel runs with %lld\n",
	       file_number(SYSCTL), file_number("/sys/kernel/numab/running"));

	if (!wait_until(all_home, NULL, SECONDS))
		printf("FAILED: not all memory came home within %d s\n",
		       SECONDS);
	print_table();
	for_each_workload(w)
		ok = verify_one(w) && ok;
	for_each_workload(w)
		load_stop(&w->load);
	if (ok)
		printf("each cgroup got what its mode promises\n");
	return ok ? 0 : 1;
}
