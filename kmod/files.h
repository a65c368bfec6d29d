/* SPDX-License-Identifier: GPL-2.0 */
/* The files that each cgroup with the cpu controller gets (cgroup v2). */
#ifndef NUMAB_FILES_H
#define NUMAB_FILES_H

/* Add them to every cgroup there is and will be. 0 or negative errno. */
int numab_files_init(void);

/* Remove them and wait for whoever is inside one. */
void numab_files_exit(void);

#endif
