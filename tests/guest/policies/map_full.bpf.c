// SPDX-License-Identifier: GPL-2.0
/* Remembers every address it is asked about, in a map that soon is full. */
#include "numab_bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, __u64);
	__type(value, __u64);
} seen SEC(".maps");

volatile __u64 full;

SEC("struct_ops/mode")
int BPF_PROG(map_full_mode, struct task_struct *task, struct folio *folio)
{
	__u64 key = bpf_ktime_get_ns();

	if (bpf_map_update_elem(&seen, &key, &key, BPF_ANY))
		full = 1;
	return full ? NUMAB_OFF : NUMAB_NO_OPINION;
}

NUMAB_POLICY(map_full, .mode = (void *)map_full_mode);
