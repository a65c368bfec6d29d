/* SPDX-License-Identifier: GPL-2.0 */
/* The lab machine between cases. */
#ifndef TESTS_GUEST_MACHINE_H
#define TESTS_GUEST_MACHINE_H

/* Once: make the kernel scan often, so that cases are short. */
void machine_prepare(void);

/* No process, cgroup, setting or extra module of a case is left. */
void machine_reset(void);

#endif
