/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A policy in an object file, on its way to a cgroup. Files hold one policy
 * each, a struct bpf_numab_ops in the section .struct_ops.link.
 *
 * Functions return 0, or -1 and the refusal. Nothing prints.
 */
#ifndef NUMAB_POLICY_FILE_H
#define NUMAB_POLICY_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "refusal.h"

#define POLICY_NAME_MAX 31

struct bpf_map;
struct bpf_object;

struct policy_file {
	struct bpf_object *object;
	struct bpf_map *map; /* the struct */
	char *log;	     /* all that libbpf and the verifier said */
	size_t log_len;
};

#define AUTO_POLICY_FILE AUTO(policy_file_release)
void policy_file_release(struct policy_file *file);

/* Open and look at it: is there one policy, and can it be one? */
int policy_file_open(const char *path, struct policy_file *ret_file,
		     struct refusal *ret_refusal);

/* Its name; as long as the file is open. */
const char *policy_file_name(const struct policy_file *file);

/* Before loading: where it hangs, how it is called, its variables. */
void policy_file_set_cgroup(struct policy_file *file, uint64_t id);
int policy_file_set_name(struct policy_file *file, const char *name,
			 struct refusal *ret_refusal);

/* "NAME=VALUE" for a global variable: an integer, or text for a char array. */
int policy_file_set_variable(struct policy_file *file, const char *setting,
			     struct refusal *ret_refusal);

/* Have the kernel verify it. */
int policy_file_load(struct policy_file *file, struct refusal *ret_refusal);

/* A loaded one's value as the kernel takes it; program: a descriptor. */
void policy_file_value(const struct policy_file *file, uint64_t *ret_program,
		       uint64_t *ret_cgroup, uint32_t *ret_may_enable,
		       uint32_t *ret_flags, char name[POLICY_NAME_MAX + 1]);

/* Whether text may name a policy: letters, digits, '_' and '-'. */
bool policy_is_name(const char *text);

#endif
