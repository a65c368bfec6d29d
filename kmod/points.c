// SPDX-License-Identifier: GPL-2.0
#include <linux/delay.h>
#include <linux/memcontrol.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "btf.h"
#include "faults.h"
#include "hook.h"
#include "kernel.h"
#include "points.h"

struct numab_point numab_points[NR_POINTS] = {
	[POINT_SCAN] = {
		.symbol = "task_numa_work",
		.prototype = "void (struct callback_head *)",
		.loss = "scans cannot be stopped",
	},
	[POINT_MARK] = {
		.symbol = "folio_can_map_prot_numa",
		.prototype = "bool (struct folio *, struct vm_area_struct *, bool)",
		.loss = "marking is not filtered per folio, the mode is enforced at the fault",
	},
	[POINT_MOVE] = {
		.symbol = "mpol_misplaced",
		.prototype = "int (struct folio *, struct vm_fault *, long unsigned int)",
		.loss = "migration cannot be refused",
	},
	[POINT_FAULT] = {
		.symbol = "task_numa_fault",
		.prototype = "void (int, int, int, int)",
		.loss = "statistics cannot be refused",
	},
	[POINT_SYSCTL] = {
		.symbol = "sysctl_numa_balancing",
		.prototype = "int (const struct ctl_table *, int, void *, size_t *, loff_t *)",
		.loss = "a mode can only narrow what kernel.numa_balancing allows",
	},
	[POINT_CGROUP] = {
		.symbol = "cpu_cgroup_css_released",
		.prototype = "void (struct cgroup_subsys_state *)",
		.loss = "settings of removed cgroups would stay",
	},
};

/* clang-format off */
#define MEMBER(type, name, needed_by) \
	{ #type, #name, offsetof(struct type, name), needed_by }
/* clang-format on */

/* Every member that the hooks read or write, and who needs it. */
static const struct {
	const char *type;
	const char *name;
	long offset;
	unsigned int points;
} members[] = {
	MEMBER(callback_head, next, BIT(POINT_SCAN)),
	MEMBER(task_struct, flags, BIT(POINT_SCAN)),
	MEMBER(task_struct, mm, BIT(POINT_SCAN) | BIT(POINT_FAULT)),
	MEMBER(task_struct, mems_allowed, BIT(POINT_SCAN)),
	MEMBER(task_struct, numa_scan_period, BIT(POINT_SCAN)),
	MEMBER(task_struct, numa_preferred_nid, BIT(POINT_SCAN)),
	MEMBER(mm_struct, numa_next_scan, BIT(POINT_SCAN)),
	MEMBER(task_struct, cgroups, POINTS_GATES),
	MEMBER(css_set, subsys, POINTS_GATES),
	MEMBER(cgroup_subsys_state, id, POINTS_ALL),
	MEMBER(cgroup_subsys_state, serial_nr, POINTS_ALL),
	MEMBER(cgroup_subsys_state, parent, POINTS_ALL),
	MEMBER(cgroup_subsys_state, cgroup, POINTS_ALL),
	MEMBER(cgroup, self, POINTS_ALL),
	MEMBER(cgroup, subsys, POINTS_ALL),
	MEMBER(mem_cgroup, css, BIT(POINT_MARK) | BIT(POINT_MOVE)),
	MEMBER(folio, memcg_data, BIT(POINT_MARK) | BIT(POINT_MOVE)),
	MEMBER(folio, flags, BIT(POINT_MARK) | BIT(POINT_MOVE)),
	MEMBER(ctl_table, data, BIT(POINT_SYSCTL)),
	MEMBER(ctl_table, proc_handler, BIT(POINT_SYSCTL)),
};

static const char *const state_names[] = {
	[POINT_IDLE] = "idle",	   [POINT_LIVE] = "live",
	[POINT_ABSENT] = "absent", [POINT_MISMATCH] = "mismatch",
	[POINT_HELD] = "held",
};

const char *numab_point_state_name(enum numab_point_state state)
{
	return state_names[state];
}

/* The first reason stands: what comes after may only be its consequence. */
static __printf(3, 4) void set_unusable(unsigned int points,
					enum numab_point_state state,
					const char *fmt, ...)
{
	unsigned int i;
	va_list args;

	for (i = 0; i < NR_POINTS; i++) {
		struct numab_point *point = &numab_points[i];

		if (!(points & BIT(i)) || point->state > POINT_LIVE)
			continue;
		point->state = state;
		va_start(args, fmt);
		vscnprintf(point->reason, sizeof(point->reason), fmt, args);
		va_end(args);
	}
}

/* Compare one function's prototype with what this module was built for. */
static void check_prototype(const struct numab_btf *btf, const char *symbol,
			    const char *expected, unsigned int points)
{
	char found[128];
	int err;

	err = numab_btf_prototype(btf, symbol, found, sizeof(found));
	if (err)
		set_unusable(points, POINT_MISMATCH,
			     "%s has no readable prototype (%d)", symbol, err);
	else if (numab_fault("prototype", symbol) || strcmp(found, expected))
		set_unusable(points, POINT_MISMATCH, "%s is now %s", symbol,
			     found);
}

static void check_points(const struct numab_btf *btf)
{
	unsigned int i;

	for (i = 0; i < NR_POINTS; i++) {
		struct numab_point *point = &numab_points[i];

		point->address = numab_kernel_symbol(point->symbol);
		if (!point->address)
			set_unusable(BIT(i), POINT_ABSENT,
				     "not in this kernel");
		else
			check_prototype(btf, point->symbol, point->prototype,
					BIT(i));
	}
}

static void check_calls(const struct numab_btf *btf)
{
	unsigned int i;

	for (i = 0; i < numab_nr_calls; i++) {
		const struct numab_call *call = &numab_calls[i];
		unsigned long address = numab_kernel_symbol(call->symbol);

		if (!address) {
			set_unusable(call->points, POINT_MISMATCH,
				     "%s is not in this kernel", call->symbol);
			continue;
		}
		check_prototype(btf, call->symbol, call->prototype,
				call->points);
		call->bind(address);
	}
}

static void check_members(const struct numab_btf *btf)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(members); i++) {
		long offset =
			numab_btf_member(btf, members[i].type, members[i].name);
		char full[64];

		scnprintf(full, sizeof(full), "%s.%s", members[i].type,
			  members[i].name);
		if (numab_fault("member", full))
			offset = -ENOENT;
		if (offset != members[i].offset)
			set_unusable(members[i].points, POINT_MISMATCH,
				     "struct %s is at %ld, not at %ld", full,
				     offset, members[i].offset);
	}
}

static int check_types(void)
{
	const char *start = (void *)numab_kernel_symbol("__start_BTF");
	const char *stop = (void *)numab_kernel_symbol("__stop_BTF");
	struct numab_btf btf;
	u32 *offsets;
	int err;

	if (numab_fault("btf", "none"))
		start = NULL;
	err = start && stop ? numab_btf_open(&btf, start, stop - start) :
			      -ENODATA;
	if (err) {
		pr_err("cannot read the kernel's type information (%d): CONFIG_DEBUG_INFO_BTF is needed\n",
		       err);
		return -EOPNOTSUPP;
	}
	offsets = kvmalloc_array(btf.nr_types, sizeof(*offsets), GFP_KERNEL);
	if (!offsets)
		return -ENOMEM;
	numab_btf_index(&btf, offsets);
	check_points(&btf);
	check_calls(&btf);
	check_members(&btf);
	kvfree(offsets);
	return 0;
}

unsigned int numab_points_usable(unsigned int points)
{
	unsigned int i;

	for (i = 0; i < NR_POINTS; i++)
		if (numab_points[i].state > POINT_LIVE)
			points &= ~BIT(i);
	return points;
}

/*
 * One ftrace_ops carries all points; which of them are hooked is its filter.
 * So taking one out costs no grace period, and unloading costs one. An empty
 * filter would mean every function of the kernel: then it is not registered.
 */
static struct ftrace_ops hook_ops = {
	.func = numab_hook,
	.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_PERMANENT,
};
static unsigned int hooked;

/* Change the filter of the registered ops, or register it with a first one. */
static int set_filter(unsigned int points, bool remove)
{
	unsigned long ips[NR_POINTS];
	unsigned int i, n = 0;
	int err;

	for (i = 0; i < NR_POINTS; i++) {
		if (!(points & BIT(i)))
			continue;
		if (!remove && numab_fault("held", numab_points[i].symbol))
			return -EBUSY;
		ips[n++] = numab_points[i].address;
	}
	err = ftrace_set_filter_ips(&hook_ops, ips, n, remove, !hooked);
	if (!err && !hooked)
		err = register_ftrace_function(&hook_ops);
	return err;
}

static int hook(unsigned int points)
{
	int err;

	if (!points)
		return -EOPNOTSUPP;
	points &= ~hooked;
	if (!points)
		return 0;
	err = set_filter(points, false);
	if (!err)
		hooked |= points;
	return err;
}

/*
 * After ftrace has turned itself off (it found the kernel's text other than
 * it left it), a hook cannot be taken out, and code that may still be reached
 * must not go away: wait here for ever, and leave the machine running.
 */
static void unregister(void)
{
	int err = unregister_ftrace_function(&hook_ops);

	if (err)
		pr_emerg(
			"ftrace refuses to unhook (%d): waiting until the next boot\n",
			err);
	while (err)
		ssleep(3600);
	hooked = 0;
}

static void unhook(unsigned int points)
{
	points &= hooked;
	if (!points)
		return;
	if (points == hooked)
		unregister();
	else if (!set_filter(points, true))
		hooked &= ~points;
}

/* Find who of a set is held, one by one: the set as a whole was refused. */
static void find_held(unsigned int points)
{
	unsigned int i;

	for (i = 0; i < NR_POINTS; i++) {
		int err;

		if (!(points & BIT(i)))
			continue;
		err = hook(BIT(i));
		if (!err)
			unhook(BIT(i));
		else if (err == -EBUSY)
			set_unusable(
				BIT(i), POINT_HELD,
				"a livepatch or the like held it when last tried");
		else
			set_unusable(BIT(i), POINT_MISMATCH,
				     "cannot be hooked (%d)", err);
	}
}

/*
 * Livepatches and we use the same mechanism, of which a function carries one.
 * Only taking the place shows whether it is free; while nothing is set, our
 * callback changes nothing.
 */
static void check_held(void)
{
	unsigned int points = numab_points_usable(POINTS_ALL);

	if (hook(points))
		find_held(points);
	else
		unhook(points & ~POINTS_ALWAYS);
}

static void report(void)
{
	unsigned int i;

	for (i = 0; i < NR_POINTS; i++) {
		struct numab_point *point = &numab_points[i];

		if (point->state > POINT_LIVE)
			pr_notice("%s %s: %s; %s\n", point->symbol,
				  state_names[point->state], point->reason,
				  point->loss);
	}
}

static bool has_minimum(void)
{
	if (numab_points_usable(POINTS_MINIMUM) == POINTS_MINIMUM)
		return true;
	report();
	pr_err("this kernel cannot be served: see the decision points above\n");
	return false;
}

int numab_points_verify(void)
{
	int err = check_types();

	if (err)
		return err;
	if (!has_minimum())
		return -EOPNOTSUPP;
	check_held();
	if (!has_minimum())
		return -EOPNOTSUPP;
	report();
	return 0;
}

/* Who was held may be free by now. */
static void forget_held(unsigned int points)
{
	unsigned int i;

	for (i = 0; i < NR_POINTS; i++)
		if ((points & BIT(i)) && numab_points[i].state == POINT_HELD)
			numab_points[i].state = POINT_IDLE;
}

int numab_points_hook(unsigned int points)
{
	unsigned int i, usable;
	int err;

	forget_held(points);
	usable = numab_points_usable(points);
	err = hook(usable);
	if (err) {
		/* Somebody came since the last look: go on without, or not. */
		find_held(usable);
		report();
		usable = numab_points_usable(points);
		if ((points & POINTS_MINIMUM) & ~usable)
			return -EBUSY;
		err = hook(usable);
	}
	if (err)
		return err;
	for (i = 0; i < NR_POINTS; i++)
		if (usable & BIT(i))
			numab_points[i].state = POINT_LIVE;
	return 0;
}

void numab_points_unhook(unsigned int points)
{
	unsigned int i;

	unhook(points);
	for (i = 0; i < NR_POINTS; i++)
		if ((points & BIT(i)) && numab_points[i].state == POINT_LIVE)
			numab_points[i].state = POINT_IDLE;
}

void numab_points_exit(void)
{
	numab_points_unhook(POINTS_ALL);
	ftrace_free_filter(&hook_ops);
}
