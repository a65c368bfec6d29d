/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A global variable of a policy, in the memory of its section: that of a file
 * on its way into the kernel, or that of a map, by which a policy that is
 * attached is changed.
 */
#ifndef NUMAB_POLICY_VARIABLE_H
#define NUMAB_POLICY_VARIABLE_H

#include <stdbool.h>

#include "refusal.h"
#include "text.h"

struct btf;

struct variable {
	char *at;
	size_t size;
	bool text; /* an array of chars */
};

/* The variable's name in "NAME=VALUE". 0, or -1 and the refusal. */
int variable_split(const char *setting, struct span *ret_name,
		   struct refusal *ret_refusal);

/*
 * Find it in the section that a map of globals, by its name or that of its
 * pin, stands for: ".rodata", ".data" or ".bss". memory: the section's.
 */
bool variable_find(const struct btf *btf, const char *map, struct span name,
		   char *memory, size_t len, struct variable *ret_variable);

/* Give it the value in "NAME=VALUE". 0, or -1 and the refusal. */
int variable_set(const struct variable *variable, const char *setting,
		 struct refusal *ret_refusal);

/* Its value; the caller frees. NULL: out of memory. */
char *variable_text(const struct variable *variable);

#endif
