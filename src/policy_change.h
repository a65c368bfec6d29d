/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changing a policy while it is attached: its program's global variables, in
 * the memory that a pinned map shares with it. Nothing prints.
 */
#ifndef NUMAB_POLICY_CHANGE_H
#define NUMAB_POLICY_CHANGE_H

#include "refusal.h"

/*
 * Give a global variable of a pinned policy a value: "VARIABLE=VALUE". 0, or
 * -1 and the refusal.
 */
int policy_set_variable(const char *name, const char *setting,
			struct refusal *ret_refusal);

/* The same, its value as text; the caller frees. */
int policy_get_variable(const char *name, const char *variable, char **ret_text,
			struct refusal *ret_refusal);

#endif
