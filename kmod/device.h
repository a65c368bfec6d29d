/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/numab: the interface of include/numab.h. */
#ifndef NUMAB_DEVICE_H
#define NUMAB_DEVICE_H

int numab_device_init(void);

/* An open file keeps the module from going, so nobody is inside. */
void numab_device_exit(void);

#endif
