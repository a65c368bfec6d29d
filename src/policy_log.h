/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What libbpf and the kernel's verifier said about a policy, down to what a
 * person needs: the reason, and the line of source.
 */
#ifndef NUMAB_POLICY_LOG_H
#define NUMAB_POLICY_LOG_H

#include "text.h"

struct policy_reason {
	struct span reason; /* empty: the log says nothing */
	struct span source; /* "if (task) @ file.c:12"; may be empty */
	bool verifier;	    /* the kernel's verifier said it */
};

/* Spans point into log. */
struct policy_reason policy_log_reason(const char *log);

/* What to do about it, or NULL. */
const char *policy_log_hint(const struct policy_reason *reason);

#endif
