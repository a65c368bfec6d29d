// SPDX-License-Identifier: GPL-2.0
/*
 * Thrash guard: turn a process off whose pages migrate without getting more
 * local. Threads of two nodes that share memory pull it back and forth: each
 * migration costs, and the next one takes it back. A process is judged in
 * rounds, in which it migrates as many pages as it has: memory that comes home
 * takes one. If hint faults are no more local in the second round than in the
 * first, it rests for a while, and is then given another chance. Rounds that
 * take long do no harm, and count for nothing.
 *
 *	numab policy load thrash_guard.bpf.o --cgroup /
 */
#include "numab_bpf.h"

const volatile unsigned int gain = 5; /* percentage points, at least */
const volatile unsigned int round_seconds = 60; /* longer is no thrashing */
const volatile unsigned int rest_seconds = 300;

#define NS_PER_SECOND 1000000000ULL
#define PAGE_SIZE     4096

/* The kernel's counts of a thread when we last looked. */
struct thread {
	__u64 migrated, local, remote;
};

struct process {
	__u64 migrated, local, remote; /* in this round */
	__u64 began;		       /* ns since boot */
	__u64 last_local;	       /* percent, in the round before */
	__u64 rounds;		       /* in a row */
	__u64 rests_until;	       /* ns since boot */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 32768);
	__type(key, int); /* pid */
	__type(value, struct thread);
} threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, int); /* tgid */
	__type(value, struct process);
} processes SEC(".maps");

static struct process *process_of(struct task_struct *task, __u64 now)
{
	struct process new = { .began = now }, *process;
	int tgid = task->tgid;

	process = bpf_map_lookup_elem(&processes, &tgid);
	if (process)
		return process;
	bpf_map_update_elem(&processes, &tgid, &new, BPF_NOEXIST);
	return bpf_map_lookup_elem(&processes, &tgid);
}

static void begin_round(struct process *process, __u64 now)
{
	process->began = now;
	process->migrated = 0;
	process->local = 0;
	process->remote = 0;
}

static void judge(struct process *process, __u64 now)
{
	__u64 faults = process->local + process->remote;
	__u64 local = faults ? process->local * 100 / faults : 100;

	if (process->rounds && local < 100 - gain &&
	    local < process->last_local + gain) {
		process->rests_until = now + rest_seconds * NS_PER_SECOND;
		process->rounds = 0;
	} else {
		process->rounds++;
	}
	process->last_local = local;
	begin_round(process, now);
}

/* What is new in a count that the kernel now and then starts anew. */
static __u64 added(__u64 *seen, __u64 now)
{
	__u64 added = now < *seen ? now : now - *seen;

	*seen = now;
	return added;
}

/* Threads of a process may be here at once: sums are added to in one go. */
static void watch(struct task_struct *task, struct process *process)
{
	struct thread new = {}, *thread;
	int pid = task->pid;

	thread = bpf_map_lookup_elem(&threads, &pid);
	if (!thread) {
		new.migrated = task->numa_pages_migrated;
		bpf_map_update_elem(&threads, &pid, &new, BPF_ANY);
		return;
	}
	__sync_fetch_and_add(&process->migrated,
			     added(&thread->migrated,
				   task->numa_pages_migrated));
	__sync_fetch_and_add(&process->remote,
			     added(&thread->remote,
				   task->numa_faults_locality[0]));
	__sync_fetch_and_add(&process->local,
			     added(&thread->local,
				   task->numa_faults_locality[1]));
}

SEC("struct_ops/mode")
int BPF_PROG(thrash_guard_mode, struct task_struct *task, struct folio *folio)
{
	__u64 now = bpf_ktime_get_boot_ns();
	struct process *process;

	if (!task)
		return NUMAB_NO_OPINION;
	process = process_of(task, now);
	if (!process)
		return NUMAB_NO_OPINION;
	if (now < process->rests_until)
		return NUMAB_OFF;
	watch(task, process);
	if (now - process->began > round_seconds * NS_PER_SECOND) {
		process->rounds = 0;
		begin_round(process, now);
	}
	if (process->migrated > numab_task_rss(task) / PAGE_SIZE)
		judge(process, now);
	return NUMAB_NO_OPINION;
}

NUMAB_POLICY(thrash_guard, .mode = (void *)thrash_guard_mode);
