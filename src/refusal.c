// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cgroup.h"
#include "chain.h"
#include "mode.h"
#include "module.h"
#include "process.h"
#include "refusal.h"
#include "task.h"
#include "text.h"

void refusal_release(struct refusal *refusal)
{
	free(refusal->why);
	free(refusal->hint);
	memset(refusal, 0, sizeof(*refusal));
}

void target_release(struct target *target)
{
	free(target->mount);
	free(target->path);
	cleanup_close(&target->dir);
	*target = TARGET_NONE;
}

void refusal_set(struct refusal *refusal, enum exit_code code, char *why,
		 char *hint)
{
	refusal_release(refusal);
	*refusal = (struct refusal){ code, why, hint };
}

static void refuse_mount(struct refusal *refusal, int error)
{
	if (error == -ENOENT)
		refusal_set(
			refusal, EXIT_NO_CGROUP,
			text_format("this system mounts no cgroup v2"),
			text_format(
				"boot with systemd.unified_cgroup_hierarchy=1; "
				"numab has nothing for cgroup v1"));
	else
		refusal_set(
			refusal, EXIT_FAILED,
			text_format(
				"looking for cgroup v2 in /proc/self/mountinfo: %s",
				strerror(-error)),
			NULL);
}

static void refuse_name(struct refusal *refusal, const char *mount, int error)
{
	if (error == -EXDEV)
		refusal_set(refusal, EXIT_USAGE,
			    text_format("\"..\" leads out of the cgroup tree"),
			    text_format("name a cgroup below %s", mount));
	else if (error == -EINVAL)
		refusal_set(refusal, EXIT_USAGE,
			    text_format("the name is empty"),
			    text_format("name a cgroup below %s, / is the root",
					mount));
	else
		refusal_set(refusal, EXIT_FAILED,
			    text_format("%s", strerror(-error)), NULL);
}

static void refuse_open(struct refusal *refusal, int error, const char *nearest)
{
	AUTO_FREE char *shown = nearest ? text_printable(nearest) : NULL;

	switch (error) {
	case -ENOENT:
	case -ENOTDIR:
	case -ELOOP:
	case -ENAMETOOLONG:
		refusal_set(
			refusal, EXIT_NO_CGROUP, text_format("no such cgroup"),
			shown ? text_format("the nearest one that exists is %s",
					    shown) :
				NULL);
		break;
	case -EACCES:
		refusal_set(refusal, EXIT_DENIED,
			    text_format("its directory: permission denied"),
			    text_format("run this as root"));
		break;
	default:
		refusal_set(refusal, EXIT_FAILED,
			    text_format("%s", strerror(-error)), NULL);
	}
}

int target_open(const char *name, struct target *ret_target,
		struct refusal *ret_refusal)
{
	AUTO_TARGET struct target target = TARGET_NONE;
	AUTO_FREE char *nearest = NULL;
	int ret = cgroup_find_mount(&target.mount);

	if (ret) {
		refuse_mount(ret_refusal, ret);
		return -1;
	}
	ret = cgroup_parse_name(target.mount, name, &target.path);
	if (ret) {
		refuse_name(ret_refusal, target.mount, ret);
		return -1;
	}
	target.dir = cgroup_open(target.mount, target.path, &nearest);
	if (target.dir < 0) {
		refuse_open(ret_refusal, target.dir, nearest);
		return -1;
	}
	*ret_target = target;
	target = TARGET_NONE;
	return 0;
}

/* Whether the parent at path hands the cpu controller to its children. */
static bool parent_enables_cpu(const char *mount, const char *path)
{
	AUTO_CLOSE int dir = cgroup_open(mount, path, NULL);

	return cgroup_lists_controller(dir, "cgroup.subtree_control", "cpu");
}

/* "echo +cpu > ..." for each parent that must enable it, the top one first. */
static char *enabling_commands(const struct target *target)
{
	AUTO_FREE char *parent = strdup(target->path);
	AUTO_FREE char *commands = strdup("");

	if (!parent || !commands)
		return NULL;
	do {
		AUTO_FREE char *shown = NULL;
		char *longer;

		cgroup_cut_to_parent(parent);
		if (parent_enables_cpu(target->mount, parent))
			continue;
		shown = text_printable(cgroup_is_root(parent) ? "" : parent);
		longer = text_format(
			"\n  echo +cpu > %s%s/cgroup.subtree_control%s",
			target->mount, shown ? shown : "", commands);
		if (!longer)
			return NULL;
		free(commands);
		commands = longer;
	} while (!cgroup_is_root(parent));
	return take_ptr(commands);
}

static void refuse_controller(struct refusal *refusal,
			      const struct target *target)
{
	AUTO_FREE char *commands = NULL;
	AUTO_CLOSE int root = fs_open_dir(target->mount);

	if (!cgroup_lists_controller(root, "cgroup.controllers", "cpu")) {
		refusal_set(
			refusal, EXIT_NO_CONTROLLER,
			text_format(
				"the cgroup v2 tree at %s has no cpu controller",
				target->mount),
			text_format("a cgroup v1 mount may hold it: boot with "
				    "systemd.unified_cgroup_hierarchy=1"));
		return;
	}
	commands = enabling_commands(target);
	refusal_set(refusal, EXIT_NO_CONTROLLER,
		    text_format("the cgroup has no cpu controller"),
		    commands && *commands ?
			    text_format("enable it from above:%s", commands) :
			    NULL);
}

void refusal_of_missing_file(const struct target *target, const char *file,
			     struct refusal *ret_refusal)
{
	if (!module_is_loaded())
		refusal_set(
			ret_refusal, EXIT_NO_MODULE,
			text_format("the kernel module numab is not loaded"),
			text_format("load it: modprobe numab"));
	else if (cgroup_lists_controller(target->dir, "cgroup.controllers",
					 "cpu"))
		refusal_set(
			ret_refusal, EXIT_FAILED,
			text_format("the module gives it no %s", file),
			text_format(
				"see what the module says: numab status; dmesg"));
	else
		refuse_controller(ret_refusal, target);
}

/* Enabling needs CAP_SYS_NICE beyond what the ancestors allow. */
static void refuse_enabling(struct refusal *refusal,
			    const struct target *target, int opinion)
{
	AUTO_CHAIN struct chain chain = {};
	AUTO_FREE char *place = NULL;
	const char *word = numab_opinion_name(opinion);
	const struct chain_link *link = NULL;
	char *hint;

	if (!chain_read(target->mount, target->path, &chain))
		link = chain_find_narrowing(&chain, opinion);
	if (link) {
		place = text_printable(link->path);
		hint = text_format(
			"%s allows only %s; run this as root, or have "
			"that changed",
			place ? place : "an ancestor",
			numab_opinion_name(link->opinion));
	} else {
		hint = text_format(
			"neither an ancestor nor kernel.numa_balancing "
			"allows it; run this as root");
	}
	refusal_set(refusal, EXIT_DENIED,
		    text_format("enabling %s here needs CAP_SYS_NICE", word),
		    hint);
}

/* EOPNOTSUPP and EBUSY: the module's list of points knows more. */
static void refuse_points(struct refusal *refusal, bool held)
{
	AUTO_MODULE struct module module = {};
	AUTO_FREE char *list = strdup("");
	char *longer;

	module_read(&module);
	for (size_t i = 0; list && i < module.points.count; i++) {
		const struct point *point = &module.points.items[i];

		if (!point_is_missing(point) ||
		    (held && point->state != POINT_HELD))
			continue;
		longer = text_format("%s\n  %s is %s%s%s", list, point->name,
				     point->word, *point->reason ? ": " : "",
				     point->reason);
		free(list);
		list = longer;
	}
	refusal_set(
		refusal, EXIT_UNSUPPORTED,
		held ? text_format(
			       "a decision point is held by somebody else, such "
			       "as a livepatch") :
		       text_format(
			       "this kernel lacks a decision point that the "
			       "setting needs"),
		list && *list ?
			text_format("the points that are missing:%s", list) :
			text_format("see numab status and the kernel's log"));
}

/* What any file of the module may say to a write. */
static void refuse_write(const struct target *target, const char *file,
			 int error, struct refusal *ret_refusal)
{
	switch (error) {
	case -ENOENT:
		refusal_of_missing_file(target, file, ret_refusal);
		break;
	case -ENODEV:
		refusal_set(ret_refusal, EXIT_NO_CGROUP,
			    text_format("the cgroup was removed meanwhile"),
			    NULL);
		break;
	case -EACCES:
		refusal_set(
			ret_refusal, EXIT_DENIED,
			text_format("its file %s may not be written by you",
				    file),
			text_format(
				"run this as root, or have the cgroup delegated "
				"to you"));
		break;
	case -EROFS:
		refusal_set(ret_refusal, EXIT_DENIED,
			    text_format("%s is mounted read-only",
					target->mount),
			    text_format("run this outside of the container"));
		break;
	case -EOPNOTSUPP:
	case -EBUSY:
		refuse_points(ret_refusal, error == -EBUSY);
		break;
	default:
		refusal_set(ret_refusal, EXIT_FAILED,
			    text_format("%s", strerror(-error)), NULL);
	}
}

static void refuse_unknown(struct refusal *refusal, const char *what)
{
	refusal_set(
		refusal, EXIT_FAILED,
		text_format("the module does not know this %s", what),
		text_format(
			"compare the versions: numab status; numab --version"));
}

void refusal_of_tuning(const struct target *target, const char *file, int error,
		       struct refusal *ret_refusal)
{
	if (error == -EPERM)
		refusal_set(
			ret_refusal, EXIT_DENIED,
			text_format(
				"this value of %s would make balancing heavier "
				"than the cgroups above it or the kernel have it",
				file),
			text_format(
				"without CAP_SYS_NICE only make it lighter "
				"(numab get shows what holds), or run this as root"));
	else if (error == -EINVAL)
		refuse_unknown(ret_refusal, "value");
	else
		refuse_write(target, file, error, ret_refusal);
}

void refusal_of_write(const struct target *target, int opinion, int error,
		      struct refusal *ret_refusal)
{
	if (error == -EPERM)
		refuse_enabling(ret_refusal, target, opinion);
	else if (error == -EINVAL)
		refuse_unknown(ret_refusal, "mode");
	else
		refuse_write(target, CGROUP_MODE, error, ret_refusal);
}

void refusal_of_policy(const char *name, int error, struct refusal *ret_refusal)
{
	switch (error) {
	case -ENOENT:
		refusal_set(
			ret_refusal, EXIT_FAILED,
			text_format("there is no policy %s", name),
			text_format("numab policy list shows those there are"));
		break;
	case -EPERM:
	case -EACCES:
		refusal_set(ret_refusal, EXIT_DENIED,
			    text_format("policies are root's"),
			    text_format("run this as root"));
		break;
	default:
		refusal_set(ret_refusal, EXIT_FAILED,
			    text_format("%s", strerror(-error)), NULL);
	}
}

static void refuse_device(struct refusal *refusal)
{
	if (!module_is_loaded())
		refusal_set(
			refusal, EXIT_NO_MODULE,
			text_format("the kernel module numab is not loaded"),
			text_format("load it: modprobe numab"));
	else
		refusal_set(
			refusal, EXIT_NO_MODULE,
			text_format("there is no " NUMAB_DEVICE " here"),
			text_format(
				"in a container, hand it in (--device " NUMAB_DEVICE
				"); elsewhere see numab status and dmesg"));
}

static void refuse_thread(struct refusal *refusal, pid_t pid)
{
	pid_t leader = process_of_thread(pid);

	refusal_set(refusal, EXIT_NO_PROCESS,
		    text_format("it is a thread; settings are a process's"),
		    leader ? text_format("its process is %d", leader) : NULL);
}

/* Without CAP_SYS_NICE, is it the mode that is refused? */
static bool is_enabling(const struct task_wish *wish)
{
	int written = chain_system_written();

	return wish->fields & NUMAB_FIELD_MODE &&
	       !numab_opinion_is_free(
		       wish->mode, wish->present, wish->cgroups,
		       numab_mode_of_sysctl(written < 0 ? NUMAB_OFF : written));
}

static void refuse_heavier(struct refusal *refusal,
			   const struct task_wish *wish)
{
	if (is_enabling(wish))
		refusal_set(
			refusal, EXIT_DENIED,
			text_format("enabling %s needs CAP_SYS_NICE",
				    numab_opinion_name(wish->mode)),
			text_format(
				"neither its cgroups nor kernel.numa_balancing "
				"allow it; run this as root"));
	else
		refusal_set(
			refusal, EXIT_DENIED,
			text_format(
				"a value would make balancing heavier than its "
				"cgroup or the kernel has it"),
			text_format(
				"without CAP_SYS_NICE only make it lighter, or "
				"run this as root"));
}

static void refuse_task_access(struct refusal *refusal,
			       const struct task_wish *wish)
{
	if (wish->fields && (!wish->pid || is_enabling(wish)))
		refuse_heavier(refusal, wish);
	else if (wish->fields & ~NUMAB_FIELD_MODE)
		refusal_set(
			refusal, EXIT_DENIED,
			text_format(
				"you may not trace it, or a value would make "
				"balancing heavier than its cgroup or the kernel "
				"has it"),
			text_format("run this as root"));
	else
		refusal_set(
			refusal, EXIT_DENIED,
			text_format(
				"you may not trace it, nor have CAP_SYS_NICE "
				"over it"),
			text_format("run this as root, or as who owns it"));
}

static void refuse_task_value(struct refusal *refusal,
			      const struct task_wish *wish)
{
	if (!wish->fields)
		refusal_set(
			refusal, EXIT_NO_PROCESS,
			text_format(
				"it is a kernel thread: it has no memory that "
				"could be balanced"),
			NULL);
	else if (wish->fields & NUMAB_FIELD_SCAN_PERIOD)
		refusal_set(
			refusal, EXIT_USAGE,
			text_format(
				"its shortest scan period would be above its "
				"longest"),
			NULL);
	else
		refuse_unknown(refusal, "setting");
}

void refusal_of_task(const struct task_wish *wish, int error,
		     struct refusal *ret_refusal)
{
	if (task_error_is_no_device(error)) {
		refuse_device(ret_refusal);
		return;
	}
	switch (error) {
	case -ESRCH:
		refusal_set(ret_refusal, EXIT_NO_PROCESS,
			    text_format("no such process"), NULL);
		break;
	case -EBADF:
		refuse_thread(ret_refusal, wish->pid);
		break;
	case -EACCES:
		refusal_set(
			ret_refusal, EXIT_DENIED,
			text_format(NUMAB_DEVICE " may not be opened by you"),
			text_format(
				"it is meant for everybody: chmod 666 " NUMAB_DEVICE));
		break;
	case -EPERM:
		refuse_task_access(ret_refusal, wish);
		break;
	case -EINVAL:
		refuse_task_value(ret_refusal, wish);
		break;
	case -EOPNOTSUPP:
	case -EBUSY:
		refuse_points(ret_refusal, error == -EBUSY);
		break;
	case -E2BIG:
	case -ENOTTY:
		refuse_unknown(ret_refusal, "setting");
		break;
	default:
		refusal_set(ret_refusal, EXIT_FAILED,
			    text_format("%s", strerror(-error)), NULL);
	}
}
