// SPDX-License-Identifier: GPL-2.0
/*
 * By process name: processes with these names are not balanced; nobody else
 * is touched. For what moves its memory itself, or is pinned by hand, and
 * shares a cgroup with what is not. Names are as in /proc/PID/comm, which the
 * kernel cuts to 15 bytes; the map may be changed at any time:
 *
 *	numab policy load by_name.bpf.o --cgroup CGROUP --set name=redis-server
 */
#include "numab_bpf.h"

/* One to begin with; more go into the map. */
const volatile char name[16];

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, char[16]);
	__type(value, __u8); /* a mode */
} names SEC(".maps");

static bool is_name(const char *comm)
{
	for (int i = 0; i < 16; i++) {
		if (comm[i] != name[i])
			return false;
		if (!comm[i])
			break;
	}
	return name[0];
}

SEC("struct_ops/mode")
int BPF_PROG(by_name_mode, struct task_struct *task, struct folio *folio)
{
	char comm[16] = {};
	__u8 *mode;

	if (!task)
		return NUMAB_NO_OPINION;
	for (int i = 0; i < 15 && task->comm[i]; i++)
		comm[i] = task->comm[i];
	if (is_name(comm))
		return NUMAB_OFF;
	mode = bpf_map_lookup_elem(&names, comm);
	return mode ? *mode : NUMAB_NO_OPINION;
}

NUMAB_POLICY(by_name, .mode = (void *)by_name_mode);
