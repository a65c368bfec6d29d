/* SPDX-License-Identifier: GPL-2.0 */
/* /sys/kernel/numab: the state of the module, for the tool and for people. */
#ifndef NUMAB_STATUS_H
#define NUMAB_STATUS_H

int numab_status_init(void);
void numab_status_exit(void);

#endif
