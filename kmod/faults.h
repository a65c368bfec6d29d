/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Faults on purpose, for the tests: compiled in only with NUMAB_TEST=y.
 *
 * The module parameter fault="KIND:NAME,KIND:NAME" makes the checks and
 * allocations of that name fail as they would on a kernel that lacks them:
 *   missing:SYMBOL   prototype:FUNCTION   member:STRUCT.MEMBER   btf:none
 *   held:FUNCTION    alloc:group          alloc:counters
 *   alloc:policy     btf:own
 */
#ifndef NUMAB_FAULTS_H
#define NUMAB_FAULTS_H

#include <linux/types.h>

#ifdef NUMAB_TEST
bool numab_fault(const char *kind, const char *name);
#else
static inline bool numab_fault(const char *kind, const char *name)
{
	return false;
}
#endif

#endif
