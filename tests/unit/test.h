/* SPDX-License-Identifier: GPL-2.0 */
/* What every unit test includes: cmocka, which wants these before it. */
#ifndef NUMAB_TESTS_UNIT_TEST_H
#define NUMAB_TESTS_UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Assert with the case that was looked at when it does not hold. */
#define check(condition, ...)                            \
	do {                                             \
		if (!(condition)) {                      \
			print_error("%s: ", #condition); \
			print_error(__VA_ARGS__);        \
			print_error("\n");               \
			fail();                          \
		}                                        \
	} while (0)

#endif
