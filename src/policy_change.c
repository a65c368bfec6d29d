// SPDX-License-Identifier: GPL-2.0
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "policy_change.h"
#include "policy_pin.h"
#include "policy_variable.h"
#include "text.h"

static int refuse(struct refusal *refusal, char *why, char *hint)
{
	refusal_set(refusal, EXIT_FAILED, why, hint);
	return -1;
}

static struct btf *btf_of(const struct bpf_map_info *info)
{
	struct btf *btf = btf__load_from_kernel_by_id(info->btf_id);

	return libbpf_get_error(btf) ? NULL : btf;
}

/* A variable in the memory that a map shares with its program. */
struct shared {
	char *memory;
	size_t len;
	struct btf *btf;
	struct variable variable;
};

static void unmap(struct shared *shared)
{
	btf__free(shared->btf);
	if (shared->memory)
		munmap(shared->memory, shared->len);
	*shared = (struct shared){};
}

static bool map_variable(const char *path, const char *map, struct span name,
			 int protection, struct shared *ret_shared)
{
	AUTO_CLOSE int fd = bpf_obj_get(path);
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	char *memory;

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len) ||
	    !(info.map_flags & BPF_F_MMAPABLE))
		return false;
	/* Constants are sealed when they are loaded. */
	memory = mmap(NULL, info.value_size, protection, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return false;
	*ret_shared =
		(struct shared){ memory, info.value_size, btf_of(&info), {} };
	if (ret_shared->btf &&
	    variable_find(ret_shared->btf, map, name, memory, info.value_size,
			  &ret_shared->variable))
		return true;
	unmap(ret_shared);
	return false;
}

/* May it be looked at, and is it there? Or -1 and the refusal. */
static int check_pin(const char *name, struct refusal *refusal)
{
	AUTO_FREE char *path = policy_path(name, POLICY_LINK);
	AUTO_CLOSE int fd = path ? bpf_obj_get(path) : -1;

	if (fd >= 0)
		return 0;
	refusal_of_policy(name, path ? -errno : -ENOMEM, refusal);
	return -1;
}

/* Where it is; or -1 and the refusal. */
static int find_variable(const char *policy, struct span name, int protection,
			 struct shared *ret_shared, struct refusal *refusal)
{
	static const char *const maps[] = { "data", "bss", "rodata" };

	if (check_pin(policy, refusal))
		return -1;
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		AUTO_FREE char *path = text_format(
			POLICY_DIR "/%s/" POLICY_MAPS "/%s", policy, maps[i]);

		if (path &&
		    map_variable(path, maps[i], name, protection, ret_shared))
			return 0;
	}
	return refuse(refusal,
		      text_format("policy %s has no variable %.*s%s", policy,
				  (int)name.len, name.start,
				  protection & PROT_WRITE ? " that can be set" :
							    ""),
		      protection & PROT_WRITE ?
			      text_format("constants are set by numab policy "
					  "load --set") :
			      NULL);
}

int policy_set_variable(const char *name, const char *setting,
			struct refusal *ret_refusal)
{
	AUTO(unmap) struct shared shared = {};
	struct span variable;

	if (variable_split(setting, &variable, ret_refusal) ||
	    find_variable(name, variable, PROT_READ | PROT_WRITE, &shared,
			  ret_refusal))
		return -1;
	return variable_set(&shared.variable, setting, ret_refusal);
}

int policy_get_variable(const char *name, const char *variable, char **ret_text,
			struct refusal *ret_refusal)
{
	AUTO(unmap) struct shared shared = {};
	struct span span = { variable, strlen(variable) };

	if (find_variable(name, span, PROT_READ, &shared, ret_refusal))
		return -1;
	*ret_text = variable_text(&shared.variable);
	return *ret_text ? 0 : refuse(ret_refusal, NULL, NULL);
}
