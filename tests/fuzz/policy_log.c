// SPDX-License-Identifier: GPL-2.0
/* What libbpf and the verifier say: spans within it, whatever it is. */
#include "fuzz.h"
#include "policy_log.h"

static void must_lie_in(struct span span, const char *text)
{
	must(!span.len || (span.start >= text &&
			   span.start + span.len <= text + strlen(text)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct policy_reason reason = policy_log_reason(text);

	must_lie_in(reason.reason, text);
	must_lie_in(reason.source, text);
	policy_log_hint(&reason);
	free(text);
	return 0;
}
