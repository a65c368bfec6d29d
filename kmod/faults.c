// SPDX-License-Identifier: GPL-2.0
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "faults.h"

static char fault[256];
module_param_string(fault, fault, sizeof(fault), 0600);
MODULE_PARM_DESC(fault, "faults on purpose, for tests: KIND:NAME,KIND:NAME");

bool numab_fault(const char *kind, const char *name)
{
	const char *at = fault;
	size_t kind_len = strlen(kind);
	size_t name_len = strlen(name);

	while (*at) {
		size_t len = strcspn(at, ",\n");

		if (len == kind_len + 1 + name_len &&
		    !strncmp(at, kind, kind_len) && at[kind_len] == ':' &&
		    !strncmp(at + kind_len + 1, name, name_len))
			return true;
		at += len;
		at += *at ? 1 : 0;
	}
	return false;
}
