// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <string.h>

#include "policy_log.h"

#define BEGIN "-- BEGIN PROG LOAD LOG --"
#define END   "-- END PROG LOAD LOG --"

static bool starts_with(struct span line, const char *word)
{
	return line.len >= strlen(word) &&
	       !memcmp(line.start, word, strlen(word));
}

static bool contains(struct span line, const char *word)
{
	return line.len && memmem(line.start, line.len, word, strlen(word));
}

static struct span skip(struct span line, size_t n)
{
	return (struct span){ line.start + n, line.len - n };
}

/* "12: (79) r1 = ..." and what the verifier knew at that moment. */
static bool is_trace(struct span line)
{
	size_t digits = 0;

	while (digits < line.len && isdigit((unsigned char)line.start[digits]))
		digits++;
	return (digits && digits < line.len && line.start[digits] == ':') ||
	       starts_with(line, "cur state") ||
	       starts_with(line, "old state") || starts_with(line, "from ");
}

static bool is_end(struct span line)
{
	return contains(line, END) || starts_with(line, "processed ") ||
	       starts_with(line, "Verification failed:"); /* 7.3: in full */
}

/* The error comes last; before it stands the source the verifier was at. */
static struct policy_reason reason_of_verifier(const char *log)
{
	struct policy_reason reason = { .verifier = true };
	struct span line;

	while (text_next_line(&log, &line) && !is_end(line)) {
		if (starts_with(line, "; "))
			reason.source = skip(line, 2);
		else if (line.len && !is_trace(line) && !contains(line, BEGIN))
			reason.reason = line;
	}
	return reason;
}

/* libbpf says first what is wrong, then who failed because of it. */
static struct policy_reason reason_of_libbpf(const char *log)
{
	struct policy_reason reason = {};
	struct span line;

	while (!reason.reason.len && text_next_line(&log, &line))
		reason.reason = line;
	if (starts_with(reason.reason, "libbpf: "))
		reason.reason = skip(reason.reason, strlen("libbpf: "));
	return reason;
}

struct policy_reason policy_log_reason(const char *log)
{
	const char *begin = strstr(log, BEGIN);

	return begin ? reason_of_verifier(begin) : reason_of_libbpf(log);
}

static const struct {
	const char *words, *hint;
} hints[] = {
	{ "or_null_",
	  "one of task and folio is not set: test for NULL before reading it" },
	{ "attach to unsupported member",
	  "a policy may not sleep, nor loop by bpf_for(), bpf_repeat() or "
	  "can_loop (write a loop whose end the verifier sees), and all its "
	  "functions but the program itself are static" },
	{ "cannot use helper",
	  "a policy runs with preemption off: no bpf_loop(), "
	  "bpf_for_each_map_elem() or tail call" },
	{ "unknown func", "this kernel has no such helper for policies" },
	{ "infinite loop",
	  "write a loop whose end the verifier sees, such as for (int i = 0; "
	  "i < 64; i++)" },
	{ "BPF program is too large",
	  "a policy may take a million instructions: loop less" },
	{ "Cannot find member",
	  "the policy was built for another version of numab: build it anew "
	  "with this version's numab_bpf.h" },
	{ "member",
	  "the policy was built for another version of numab: build it anew "
	  "with this version's numab_bpf.h" },
	{ "is not found in kernel BTF",
	  "numab status says whether the module is loaded and offers policies" },
};

const char *policy_log_hint(const struct policy_reason *reason)
{
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
		if (contains(reason->reason, hints[i].words))
			return hints[i].hint;
	return NULL;
}
