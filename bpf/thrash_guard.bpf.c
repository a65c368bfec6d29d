// SPDX-License-Identifier: GPL-2.0
/*
 * Thrash guard: turn a process off whose pages migrate without getting more
 * local. Threads of two nodes that share memory pull it back and forth: each
 * migration costs, and the next one takes it back. A thread is judged over a
 * window of migrations: if its hint faults are no more local after them than
 * before, the whole process rests for a while, and is then given another
 * chance.
 *
 *	numab policy load thrash_guard.bpf.o --cgroup /
 */
#include "numab_bpf.h"

const volatile unsigned long window = 4096; /* pages migrated */
const volatile unsigned int gain = 5;	    /* percentage points, at least */
const volatile unsigned int rest_seconds = 300;

#define NS_PER_SECOND 1000000000ULL

struct thread {
	__u64 migrated; /* when the window began */
	__u64 local;	/* hint faults of the window */
	__u64 remote;
	__u64 seen_local; /* the kernel's counts when we last looked */
	__u64 seen_remote;
	__u64 last_local; /* of the one before: a share in percent */
	__u64 judged;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, int); /* pid */
	__type(value, struct thread);
} threads SEC(".maps");

/* Processes at rest, and until when: ns since boot. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, int); /* tgid */
	__type(value, __u64);
} resting SEC(".maps");

static void judge(struct task_struct *task, struct thread *thread)
{
	__u64 faults = thread->local + thread->remote;
	__u64 share = faults ? thread->local * 100 / faults : 100;
	int tgid = task->tgid;

	/* All local already, or better than before: it is worth it. */
	if (thread->judged && share < 100 - gain &&
	    share < thread->last_local + gain) {
		__u64 until =
			bpf_ktime_get_boot_ns() + rest_seconds * NS_PER_SECOND;

		bpf_map_update_elem(&resting, &tgid, &until, BPF_ANY);
	}
	thread->last_local = share;
	thread->judged = 1;
	thread->local = 0;
	thread->remote = 0;
	thread->migrated = task->numa_pages_migrated;
}

/* Of a count that the kernel starts anew with each sweep: what is new. */
static __u64 added(__u64 *seen, __u64 now)
{
	__u64 added = now < *seen ? now : now - *seen;

	*seen = now;
	return added;
}

static void watch(struct task_struct *task)
{
	struct thread *thread, new = { .migrated = task->numa_pages_migrated };
	int pid = task->pid;

	thread = bpf_map_lookup_elem(&threads, &pid);
	if (!thread) {
		bpf_map_update_elem(&threads, &pid, &new, BPF_ANY);
		return;
	}
	thread->remote +=
		added(&thread->seen_remote, task->numa_faults_locality[0]);
	thread->local +=
		added(&thread->seen_local, task->numa_faults_locality[1]);
	if (task->numa_pages_migrated - thread->migrated >= window)
		judge(task, thread);
}

SEC("struct_ops/mode")
int BPF_PROG(thrash_guard_mode, struct task_struct *task, struct folio *folio)
{
	__u64 *until;
	int tgid;

	if (!task)
		return NUMAB_NO_OPINION;
	tgid = task->tgid;
	until = bpf_map_lookup_elem(&resting, &tgid);
	if (until && bpf_ktime_get_boot_ns() < *until)
		return NUMAB_OFF;
	watch(task);
	return NUMAB_NO_OPINION;
}

NUMAB_POLICY(thrash_guard, .mode = (void *)thrash_guard_mode);
