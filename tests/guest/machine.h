/* SPDX-License-Identifier: GPL-2.0 */
/* The lab machine between cases. */
#ifndef TESTS_GUEST_MACHINE_H
#define TESTS_GUEST_MACHINE_H

/*
 * No process, cgroup, setting or extra module of a case is left, and the
 * kernel scans often.
 */
void machine_reset(void);

#endif
