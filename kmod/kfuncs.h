/* SPDX-License-Identifier: GPL-2.0 */
/* What policies ask the kernel; include/numab_bpf.h says what each answers. */
#ifndef NUMAB_KFUNCS_H
#define NUMAB_KFUNCS_H

/* Offer them to struct_ops programs. They go with the module's BTF. */
int numab_kfuncs_init(void);

#endif
