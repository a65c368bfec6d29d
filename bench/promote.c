// SPDX-License-Identifier: GPL-2.0
/*
 * In the guest, for bench/promote: how much of a server's hot memory is still
 * on the slow node, second by second. A line each:
 *   SECONDS FILE TEXT TABLE COLD PASSES PROMOTED FAULTS MARKED
 * where the regions are per cent on the slow node, and the rest counts.
 * usage: promote SECONDS [MB_OF_EACH_HOT_REGION MB_COLD MB_GIANT MATES]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lab/guest/load.h"
#include "../lab/guest/server.h"

#define SLOW 2

static long long vmstat(const char *key)
{
	char name[64];
	long long value, found = -1;
	FILE *file = fopen("/proc/vmstat", "r");

	while (file && fscanf(file, "%63s %lld", name, &value) == 2)
		if (!strcmp(name, key))
			found = value;
	if (file)
		fclose(file);
	return found;
}

static int number(int argc, char **argv, int i, int otherwise)
{
	return i < argc ? atoi(argv[i]) : otherwise;
}

static void show(const struct server *server, double begin)
{
	printf("%.1f", now() - begin);
	for (int i = 0; i <= SERVER_COLD; i++)
		printf(" %.1f", server_share(server, i, SLOW));
	printf(" %lu %lld %lld %lld\n", server_passes(server),
	       vmstat("pgpromote_success"), vmstat("numa_hint_faults"),
	       vmstat("numa_pte_updates"));
}

static bool table_is_promoted(void *server)
{
	return server_share(server, SERVER_TABLE, SLOW) < 1;
}

int main(int argc, char **argv)
{
	int seconds = number(argc, argv, 1, 20);
	int hot = number(argc, argv, 2, 8);
	struct server server = {
		.disk = "/tmp/disk",
		.node = SLOW,
		.workers = 2,
		.sleepers = 60,
		.mates = number(argc, argv, 5, 1),
		.mb = { hot, hot, hot, number(argc, argv, 3, 64),
			number(argc, argv, 4, 2000) },
	};
	double begin;

	setvbuf(stdout, NULL, _IOLBF, 0);
	server_disk_mount(server.disk);
	server_start(&server);
	server_touch(&server, true);
	/* The kernel lets no filter stop the first two sweeps. */
	if (!wait_until(table_is_promoted, &server, 60))
		fprintf(stderr, "promote: no memory was promoted at first\n");
	for (int i = 0; i < SERVER_GIANT; i++)
		server_place(&server, i);
	begin = now();
	for (int i = 0; i <= seconds; i++) {
		show(&server, begin);
		sleep(1);
	}
	server_stop(&server);
	return 0;
}
