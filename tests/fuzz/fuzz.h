/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every fuzzer includes. A fuzzer hands one input to a parser and then
 * checks what the parser promises; abort() is a finding.
 */
#ifndef NUMAB_TESTS_FUZZ_FUZZ_H
#define NUMAB_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise that did not hold. */
static inline void must(int holds)
{
	if (!holds)
		abort();
}

/* The input as the text that src/fs.h would have read, in its own block. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	must(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

#endif
