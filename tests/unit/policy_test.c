// SPDX-License-Identifier: GPL-2.0
/* Policies: what an answer is worth, and what a log says. */
#include <stdio.h>

#include "mode.h"
#include "policy.h"
#include "policy_file.h"
#include "policy_log.h"
#include "test.h"

static void test_answers(void **state)
{
	static const int bad[] = { -2, 4, 5, 0x7fffffff, -0x7fffffff - 1 };

	for (unsigned int may = 0; may <= NUMAB_BOTH; may++) {
		for (int answer = 0; answer <= NUMAB_BOTH; answer++) {
			assert_false(numab_answer_is_bad(answer));
			assert_int_equal(numab_answer_opinion(answer, may),
					 answer & may);
		}
		assert_false(numab_answer_is_bad(NUMAB_INHERIT));
		assert_int_equal(numab_answer_opinion(NUMAB_INHERIT, may),
				 NUMAB_INHERIT);
		for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
			assert_true(numab_answer_is_bad(bad[i]));
			assert_int_equal(numab_answer_opinion(bad[i], may),
					 NUMAB_INHERIT);
		}
	}
}

/* Nothing has to run that the files of the chain take away anyway. */
static void test_needs(void **state)
{
	for (int may = 0; may <= NUMAB_BOTH; may++) {
		assert_int_equal(numab_policy_needs(may, NUMAB_INHERIT), may);
		for (int chain = 0; chain <= NUMAB_BOTH; chain++)
			assert_int_equal(numab_policy_needs(may, chain),
					 may & chain);
	}
}

static void check_log(const char *log, const char *want, const char *source,
		      bool has_hint)
{
	struct policy_reason reason = policy_log_reason(log);
	char text[256];

	snprintf(text, sizeof(text), "%.*s", (int)reason.reason.len,
		 reason.reason.len ? reason.reason.start : "");
	assert_string_equal(text, want);
	snprintf(text, sizeof(text), "%.*s", (int)reason.source.len,
		 reason.source.len ? reason.source.start : "");
	assert_string_equal(text, source);
	assert_int_equal(!!policy_log_hint(&reason), has_hint);
}

static void test_logs(void **state)
{
	check_log("", "", "", false);
	check_log("libbpf: struct_ops init_kern p: Cannot find member x in "
		  "kernel BTF\nlibbpf: failed to load object 'p.o'\n",
		  "struct_ops init_kern p: Cannot find member x in kernel BTF",
		  "", true);
	check_log("libbpf: prog 'm': -- BEGIN PROG LOAD LOG --\n"
		  "0: R1=ctx() R10=fp0\n"
		  "; return task->pid; @ p.c:8\n"
		  "1: (61) r1 = *(u32 *)(r1 +2872)\n"
		  "R1 invalid mem access 'trusted_ptr_or_null_'\n"
		  "processed 2 insns (limit 1000000)\n"
		  "-- END PROG LOAD LOG --\n"
		  "libbpf: failed to load object 'p.o'\n",
		  "R1 invalid mem access 'trusted_ptr_or_null_'",
		  "return task->pid; @ p.c:8", true);
	/* As 7.3 says it: the same, then at length. */
	check_log("libbpf: prog 'm': -- BEGIN PROG LOAD LOG --\n"
		  "; bpf_loop(1 << 23, round, 0, 0); @ p.c:13\n"
		  "5: (85) call bpf_loop#181\n"
		  "program of this type cannot use helper bpf_loop#181\n\n"
		  "Verification failed: Policy: Operation is not allowed\n\n"
		  "Suggestion:\n  Use a helper allowed here.\n"
		  "processed 5 insns (limit 1000000)\n",
		  "program of this type cannot use helper bpf_loop#181",
		  "bpf_loop(1 << 23, round, 0, 0); @ p.c:13", true);
	check_log(
		"-- BEGIN PROG LOAD LOG --\ninfinite loop detected at insn 4\n"
		"cur state: R10=fp0\nold state: R10=fp0\nprocessed 24 insns",
		"infinite loop detected at insn 4", "", true);
}

static void test_names(void **state)
{
	assert_true(policy_is_name("a"));
	assert_true(policy_is_name("My_policy-2"));
	assert_true(policy_is_name("0123456789012345678901234567890"));
	assert_false(policy_is_name("01234567890123456789012345678901"));
	assert_false(policy_is_name(""));
	assert_false(policy_is_name(".."));
	assert_false(policy_is_name("a/b"));
	assert_false(policy_is_name("a b"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_needs),
		cmocka_unit_test(test_logs),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
