// SPDX-License-Identifier: GPL-2.0
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mode.h"
#include "module.h"
#include "policy_file.h"
#include "policy_log.h"
#include "policy_variable.h"
#include "text.h"

#define TYPE "bpf_numab_ops"

/* libbpf has one function for all; only one file is open at a time. */
static FILE *log_stream;

static int collect(enum libbpf_print_level level, const char *format,
		   va_list args)
{
	if (level == LIBBPF_DEBUG || !log_stream)
		return 0;
	return vfprintf(log_stream, format, args);
}

void policy_file_release(struct policy_file *file)
{
	bpf_object__close(file->object);
	if (log_stream)
		fclose(log_stream);
	log_stream = NULL;
	free(file->log);
	memset(file, 0, sizeof(*file));
}

/* What was said of why something failed. */
static int refuse_by_log(struct policy_file *file, int error,
			 struct refusal *refusal)
{
	struct policy_reason reason = {};
	const char *hint = NULL;
	char *why;

	if (log_stream && !fflush(log_stream) && file->log) {
		reason = policy_log_reason(file->log);
		hint = policy_log_hint(&reason);
	}
	if (!reason.reason.len)
		why = text_format("%s", strerror(-error));
	else
		why = text_format(
			"%s%.*s%s%.*s",
			reason.verifier ? "the verifier refuses it: " : "",
			(int)reason.reason.len, reason.reason.start,
			reason.source.len ? "; at: " : "",
			(int)reason.source.len, reason.source.start);
	if (error == -EPERM && !reason.verifier)
		hint = "run this as root: BPF wants CAP_BPF and CAP_PERFMON";
	refusal_set(refusal, error == -EPERM ? EXIT_DENIED : EXIT_FAILED, why,
		    hint ? text_format("%s", hint) : NULL);
	return -1;
}

/* The place of a member in the file's own struct; NULL: it has none. */
static void *member_of(const struct policy_file *file, const char *name,
		       size_t size)
{
	const struct btf *btf = bpf_object__btf(file->object);
	int id = btf__find_by_name_kind(btf, TYPE, BTF_KIND_STRUCT);
	const struct btf_type *type = btf__type_by_id(btf, id < 0 ? 0 : id);
	const struct btf_member *m = btf_members(type);
	size_t len = 0;
	char *value = bpf_map__initial_value(file->map, &len);

	for (int i = 0; value && id > 0 && i < btf_vlen(type); i++) {
		size_t offset = btf_member_bit_offset(type, i) / 8;

		if (!strcmp(btf__name_by_offset(btf, m[i].name_off), name))
			return offset + size <= len ? value + offset : NULL;
	}
	return NULL;
}

bool policy_is_name(const char *text)
{
	size_t len = strlen(text);

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_' &&
		    text[i] != '-')
			return false;
	return len && len <= POLICY_NAME_MAX;
}

const char *policy_file_name(const struct policy_file *file)
{
	return member_of(file, "name", POLICY_NAME_MAX + 1);
}

static int refuse_file(struct refusal *refusal, const char *why)
{
	refusal_set(refusal, EXIT_USAGE, text_format("%s", why),
		    text_format("see numab_bpf.h for how a policy is written"));
	return -1;
}

/* Say what the module would only call invalid. */
static int check_values(struct policy_file *file, struct refusal *refusal)
{
	const uint32_t *may = member_of(file, "may_enable", sizeof(*may));
	void *const *mode = member_of(file, "mode", sizeof(*mode));
	const char *name = policy_file_name(file);

	if (!mode || !may || !name || !member_of(file, "cgroup_id", 8))
		return refuse_file(refusal, "its struct " TYPE
					    " is not the one of numab");
	if (!*mode)
		return refuse_file(refusal, "the policy is empty: it has no "
					    "program for .mode");
	if (*may & ~(uint32_t)NUMAB_BOTH)
		return refuse_file(refusal, ".may_enable is no set of "
					    "mechanisms (0 to 3)");
	if (!memchr(name, 0, POLICY_NAME_MAX + 1) || !policy_is_name(name))
		return refuse_file(refusal,
				   ".name is not of letters, digits, '_' "
				   "and '-', 1 to 31 of them");
	return 0;
}

static int find_policy(struct policy_file *file, struct refusal *refusal)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, file->object)
	{
		if (bpf_map__type(map) != BPF_MAP_TYPE_STRUCT_OPS)
			continue;
		if (file->map)
			return refuse_file(refusal,
					   "it has more than one policy");
		file->map = map;
	}
	if (!file->map)
		return refuse_file(refusal, "it has no policy (a struct " TYPE
					    " in .struct_ops.link)");
	return check_values(file, refusal);
}

int policy_file_open(const char *path, struct policy_file *ret_file,
		     struct refusal *ret_refusal)
{
	struct policy_file *file = ret_file;
	long error;

	log_stream = open_memstream(&file->log, &file->log_len);
	libbpf_set_print(collect);
	file->object = bpf_object__open_file(path, NULL);
	error = libbpf_get_error(file->object);
	if (error) {
		file->object = NULL;
		return refuse_by_log(file, error, ret_refusal);
	}
	return find_policy(file, ret_refusal);
}

void policy_file_set_cgroup(struct policy_file *file, uint64_t id)
{
	memcpy(member_of(file, "cgroup_id", sizeof(id)), &id, sizeof(id));
}

int policy_file_set_name(struct policy_file *file, const char *name,
			 struct refusal *ret_refusal)
{
	if (!policy_is_name(name)) {
		refusal_set(ret_refusal, EXIT_USAGE,
			    text_format("%s is no name for a policy", name),
			    text_format("use 1 to 31 letters, digits, '_' "
					"and '-'"));
		return -1;
	}
	strcpy(member_of(file, "name", POLICY_NAME_MAX + 1), name);
	return 0;
}

static bool find_variable(const struct policy_file *file, struct span name,
			  struct variable *ret_variable)
{
	const struct btf *btf = bpf_object__btf(file->object);
	struct bpf_map *map;

	bpf_object__for_each_map(map, file->object)
	{
		size_t len = 0;
		char *value = bpf_map__initial_value(map, &len);

		if (bpf_map__is_internal(map) && value &&
		    variable_find(btf, bpf_map__name(map), name, value, len,
				  ret_variable))
			return true;
	}
	return false;
}

int policy_file_set_variable(struct policy_file *file, const char *setting,
			     struct refusal *ret_refusal)
{
	struct variable variable;
	struct span name;

	if (variable_split(setting, &name, ret_refusal))
		return -1;
	if (!find_variable(file, name, &variable)) {
		refusal_set(ret_refusal, EXIT_USAGE,
			    text_format("it has no variable %.*s",
					(int)name.len, name.start),
			    NULL);
		return -1;
	}
	return variable_set(&variable, setting, ret_refusal);
}

int policy_file_load(struct policy_file *file, struct refusal *ret_refusal)
{
	int ret;

	if (!module_is_loaded()) {
		refusal_set(
			ret_refusal, EXIT_NO_MODULE,
			text_format("the kernel module numab is not loaded"),
			text_format("modprobe numab"));
		return -1;
	}
	ret = bpf_object__load(file->object);
	return ret ? refuse_by_log(file, ret, ret_refusal) : 0;
}

void policy_file_value(const struct policy_file *file, uint64_t *ret_program,
		       uint64_t *ret_cgroup, uint32_t *ret_may_enable,
		       uint32_t *ret_flags, char name[POLICY_NAME_MAX + 1])
{
	struct bpf_program **mode = member_of(file, "mode", sizeof(*mode));
	const uint32_t *flags = member_of(file, "flags", sizeof(*flags));

	*ret_program = bpf_program__fd(*mode);
	memcpy(ret_cgroup, member_of(file, "cgroup_id", 8), 8);
	memcpy(ret_may_enable, member_of(file, "may_enable", 4), 4);
	*ret_flags = flags ? *flags : 0;
	strcpy(name, policy_file_name(file));
}
