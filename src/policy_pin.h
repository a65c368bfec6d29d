/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Policies that are attached. A policy NAME is pinned as a folder,
 * /sys/fs/bpf/numab/NAME: its link, which keeps it attached, and maps/ with
 * its maps, by which it can be changed. Order: maps first, then the link, so
 * that what is killed in between leaves a folder without a link, which is no
 * policy. Nor is one whose link is detached, as by the end of its cgroup. The
 * next load of that name removes either. Loads and unloads wait for each other.
 *
 * Errors: negative errno unless said otherwise. Nothing prints.
 */
#ifndef NUMAB_POLICY_PIN_H
#define NUMAB_POLICY_PIN_H

#include <stdint.h>

#include "policy_file.h"

#define POLICY_DIR  "/sys/fs/bpf/numab"
#define POLICY_LINK "link"
#define POLICY_MAPS "maps"

/* Of a file in a policy's folder; NULL: the folder. The caller frees. */
char *policy_path(const char *name, const char *file);

struct policy {
	char name[POLICY_NAME_MAX + 1]; /* of the struct, or of the folder */
	char *pin; /* the folder's name; NULL: not pinned by this tool */
	uint32_t link_id, map_id, prog_id; /* map_id 0: hangs nowhere */
	uint64_t cgroup_id;
	uint32_t may_enable, flags;
	bool is_foreign; /* of another version of numab: no more is known */
};

struct policies {
	size_t count;
	struct policy *items;
};

#define AUTO_POLICIES AUTO(policies_release)
void policies_release(struct policies *policies);

/* All there are, pinned or not, attached or left over. */
int policies_read(struct policies *ret_policies);

/*
 * Attach a loaded file and pin it under its name; replace: put it in the
 * place of the one of that name. 0, or -1 and the refusal.
 */
int policy_attach(struct policy_file *file, bool replace,
		  struct refusal *ret_refusal);

/* Detach and remove all pins, also of what is left over. -ENOENT: no folder. */
int policy_unpin(const char *name);

/* Detach one, pinned or not. */
int policy_detach(const struct policy *policy);

/* The path of a cgroup by its id: "/a/b". -ESTALE: it is gone. */
int policy_cgroup_path(const char *mount, uint64_t id, char **ret_path);

#endif
