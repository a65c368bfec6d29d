// SPDX-License-Identifier: GPL-2.0
/*
 * A QEMU plugin: sees each access of user-mode instructions with the physical
 * page behind it, runs it through a model of the last-level caches, and counts
 * it for the node where the memory is. In delay mode the CPU also waits for
 * what misses, so that the guest feels where its memory is.
 *
 * QEMU runs each virtual CPU in a thread of its own; callbacks run in it.
 *
 * argument: model=FILE (see model.h)
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "account.h"
#include "llc.h"
#include "mark.h"
#include "model.h"
#include "qemu_api.h"
#include "report.h"
#include "series.h"

/* Debts are paid in sleeps of this size: shorter ones the host would stretch. */
#define SLEEP_PS 200000000ULL

/* Below is the processor's start-up code; no process may map the first 64 KB. */
#define USER_FIRST 0x100000UL
#define USER_LAST  0x7fffffffffffffffUL

/* The bits of CR3 that are an address. User mode runs with one root a process. */
#define ROOT_MASK 0x000ffffffffff000UL

PLUGIN_EXPORT int qemu_plugin_version = PLUGIN_API;
PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id,
				      const qemu_info_t *info, int argc,
				      char **argv);

struct cpu {
	struct space *space;
	int64_t debt_ps; /* of delay; below zero after a sleep too long */
} __attribute__((aligned(64)));

static struct model model;
static struct llc *llc;
static struct cpu cpus[MAX_CPUS];
static bool kernel_runs; /* the firmware's accesses are nobody's */

static void pay(struct cpu *cpu)
{
	struct timespec before, after,
		wait = {
			.tv_nsec = cpu->debt_ps / 1000,
		};
	static __thread bool exact;

	if (!exact)
		exact = !prctl(PR_SET_TIMERSLACK, 1UL);
	clock_gettime(CLOCK_MONOTONIC, &before);
	nanosleep(&wait, NULL);
	clock_gettime(CLOCK_MONOTONIC, &after);
	cpu->debt_ps -= (after.tv_sec - before.tv_sec) * 1000000000000LL +
			(after.tv_nsec - before.tv_nsec) * 1000LL;
	/* A busy host is not a payment. */
	if (cpu->debt_ps < -(int64_t)SLEEP_PS)
		cpu->debt_ps = -(int64_t)SLEEP_PS;
}

static void count_written(unsigned int vcpu, struct account *account,
			  const struct llc_access *access)
{
	for (unsigned int i = 0; i < access->written; i++) {
		unsigned int node = model_node(&model, access->written_line[i] *
							       model.line);

		account->tally[vcpu][node].written++;
		account_machine()->tally[vcpu][node].written++;
	}
}

static void count_access(struct tally *t, bool write, enum llc_result result,
			 uint64_t cost_ps)
{
	if (write)
		t->writes++;
	else
		t->reads++;
	if (result == LLC_MISS)
		t->misses++;
	else if (result == LLC_TRANSFER)
		t->transfers++;
	t->stall_ps += cost_ps;
}

static void on_access(unsigned int vcpu, qemu_plugin_meminfo_t info,
		      uint64_t vaddr, void *unused)
{
	struct qemu_plugin_hwaddr *hw = qemu_plugin_get_hwaddr(info, vaddr);
	struct cpu *cpu = &cpus[vcpu];
	struct account *account;
	struct llc_access access;
	enum llc_result result;
	unsigned int node, from;
	uint64_t address, cost_ps = 0;
	bool write;

	if (!hw || qemu_plugin_hwaddr_is_io(hw))
		return;
	account = account_of(cpu->space);
	if (!account)
		return;
	address = qemu_plugin_hwaddr_phys_addr(hw);
	node = model_node(&model, address);
	write = qemu_plugin_mem_is_store(info);
	result = llc_access(llc, model.domain_of[vcpu], address / model.line,
			    write, &access);
	if (result != LLC_HIT && node != NO_NODE) {
		from = result == LLC_MISS ? node :
					    model.domain_node[access.from];
		cost_ps = model_cost_ps(&model, model.node_of[vcpu], from);
	}
	count_access(&account->tally[vcpu][node], write, result, cost_ps);
	count_access(&account_machine()->tally[vcpu][node], write, result,
		     cost_ps);
	if (access.written)
		count_written(vcpu, account, &access);
	if (model.scale && cost_ps) {
		cpu->debt_ps += cost_ps * model.scale;
		if (cpu->debt_ps >= (int64_t)SLEEP_PS)
			pay(cpu);
	}
}

static void on_block(unsigned int vcpu, void *instructions)
{
	struct account *account = account_of(cpus[vcpu].space);

	if (account)
		account->instructions[vcpu] += (uintptr_t)instructions;
	account_machine()->instructions[vcpu] += (uintptr_t)instructions;
}

static void on_mark(unsigned int vcpu, void *data)
{
	unsigned int kind = (uintptr_t)data >> 8,
		     section = (uintptr_t)data & 15;

	if (kind == MARK_FLUSH)
		llc_flush(llc);
	else if (kind == MARK_BEGIN || kind == MARK_END)
		account_enter(cpus[vcpu].space, section);
	series_event(vcpu, kind, section);
}

static size_t insn_bytes(const struct qemu_plugin_insn *insn, uint8_t *bytes,
			 size_t max)
{
	size_t size = qemu_plugin_insn_size(insn);

	size = size < max ? size : max;
#if PLUGIN_API == 1
	memcpy(bytes, qemu_plugin_insn_data(insn), size);
	return size;
#else
	return qemu_plugin_insn_data(insn, bytes, size);
#endif
}

static void watch_mark(struct qemu_plugin_insn *insn)
{
	uint8_t bytes[8];
	uint32_t word;
	unsigned int kind;

	if (qemu_plugin_insn_size(insn) != 7 ||
	    insn_bytes(insn, bytes, sizeof(bytes)) != 7 ||
	    memcmp(bytes, "\x0f\x1f\x80", 3))
		return;
	memcpy(&word, bytes + 3, sizeof(word));
	kind = word >> 8 & 0xff;
	if ((word & 0xffff0000) != MARK_MAGIC || (word & 0xff) > 15 ||
	    kind < MARK_BEGIN || kind > MARK_EVENT)
		return;
	qemu_plugin_register_vcpu_insn_exec_cb(
		insn, on_mark, QEMU_PLUGIN_CB_NO_REGS,
		(void *)(uintptr_t)(word & 0xffff));
}

#if PLUGIN_API != 1
/* In the order of the instruction's encoding. */
static const char *const register_names[] = {
	"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
	"r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15",
};
static struct qemu_plugin_register *registers[MAX_CPUS][16];

static void find_registers(unsigned int vcpu)
{
	GArray *list = qemu_plugin_get_registers();
	const qemu_plugin_reg_descriptor *d = (void *)list->data;

	for (unsigned int i = 0; i < list->len; i++)
		for (int r = 0; r < 16; r++)
			if (!strcmp(d[i].name, register_names[r]))
				registers[vcpu][r] = d[i].handle;
	g_array_free(list, 1);
}

/* Before the kernel writes CR3: the value is in a register. */
static void on_root(unsigned int vcpu, void *number)
{
	static __thread GByteArray *buffer;
	struct qemu_plugin_register *r = registers[vcpu][(uintptr_t)number];
	uint64_t root;

	if (!buffer)
		buffer = g_byte_array_new();
	g_byte_array_set_size(buffer, 0);
	if (!r || qemu_plugin_read_register(r, buffer) != sizeof(root))
		return;
	memcpy(&root, buffer->data, sizeof(root));
	cpus[vcpu].space = account_space(root & ROOT_MASK);
}

/* mov REGISTER, %cr3 */
static void watch_root(struct qemu_plugin_insn *insn)
{
	uint8_t bytes[4];
	size_t size = insn_bytes(insn, bytes, sizeof(bytes)), at = 0;
	uintptr_t high = 0;

	if (size == 4 && (bytes[0] & 0xf0) == 0x40) {
		high = (bytes[0] & 1) << 3;
		at = 1;
	}
	if (size != at + 3 || bytes[at] != 0x0f || bytes[at + 1] != 0x22 ||
	    (bytes[at + 2] & 0x38) != 0x18)
		return;
	qemu_plugin_register_vcpu_insn_exec_cb(
		insn, on_root, QEMU_PLUGIN_CB_R_REGS,
		(void *)(high | (bytes[at + 2] & 7)));
}
#else
static void find_registers(unsigned int vcpu)
{
}

static void watch_root(struct qemu_plugin_insn *insn)
{
}
#endif

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);
	uint64_t vaddr = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
	bool user = vaddr >= USER_FIRST && vaddr <= USER_LAST;

	if (vaddr > USER_LAST)
		__atomic_store_n(&kernel_runs, true, __ATOMIC_RELAXED);
	if (user && !__atomic_load_n(&kernel_runs, __ATOMIC_RELAXED))
		return;
	if (user)
		qemu_plugin_register_vcpu_tb_exec_cb(
			tb, on_block, QEMU_PLUGIN_CB_NO_REGS, (void *)n);
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (!user) {
			watch_root(insn);
			continue;
		}
		watch_mark(insn);
		qemu_plugin_register_vcpu_mem_cb(insn, on_access,
						 QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, NULL);
	}
}

/* Before its first page table, and with API 1 always, a CPU is a space. */
static void on_cpu(qemu_plugin_id_t id, unsigned int vcpu)
{
	if (vcpu >= MAX_CPUS)
		return;
	cpus[vcpu].space = account_space((uint64_t)(vcpu + 1) << 52);
	find_registers(vcpu);
}

static void on_exit(qemu_plugin_id_t id, void *unused)
{
	const char *error = report_write(&model);

	if (error)
		fprintf(stderr, "latency plugin: %s: %s\n", error,
			strerror(errno));
}

static const char *refuse(const qemu_info_t *info, int argc, char **argv)
{
	static char text[160];

	if (!info->system_emulation || strcmp(info->target_name, "x86_64"))
		return "is for the emulation of x86_64 machines";
	if (PLUGIN_API < info->version.min || PLUGIN_API > info->version.cur) {
		snprintf(text, sizeof(text),
			 "is built for plugin version %d; this emulator has "
			 "%d to %d",
			 PLUGIN_API, info->version.min, info->version.cur);
		return text;
	}
	if (argc != 1 || strncmp(argv[0], "model=", 6))
		return "wants one argument, model=FILE";
	if (info->system.max_vcpus > MAX_CPUS)
		return "knows 16 CPUs at most";
	return model_read(&model, argv[0] + 6);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	const char *error = refuse(info, argc, argv);

	if (!error) {
		llc = llc_new(model.nr_domains, model.cache_bytes, model.ways,
			      model.line);
		error = llc ? NULL : "no memory for the caches";
	}
	if (error) {
		fprintf(stderr, "latency plugin: %s\n", error);
		return -1;
	}
	series_start(&model);
	qemu_plugin_register_vcpu_init_cb(id, on_cpu);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, on_exit, NULL);
	return 0;
}
