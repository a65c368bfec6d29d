// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>

#include "cache.h"
#include "device.h"
#include "files.h"
#include "groups.h"
#include "hook.h"
#include "kernel.h"
#include "policies.h"
#include "points.h"
#include "promote.h"
#include "settings.h"
#include "spaces.h"
#include "status.h"

/* Nothing is changed before the running kernel is verified. */
static int __init numab_init(void)
{
	int err;

	err = numab_kernel_find();
	if (err)
		return err;
	err = numab_groups_init();
	if (err)
		return err;
	err = numab_points_verify();
	if (err)
		goto exit_hooks;
	numab_cache_find();
	err = numab_settings_init();
	if (err)
		goto exit_hooks;
	err = numab_promote_init();
	if (err)
		goto exit_settings;
	err = numab_files_init();
	if (err)
		goto exit_promote;
	err = numab_status_init();
	if (err)
		goto exit_files;
	err = numab_policies_init();
	if (err)
		goto exit_status;
	numab_cache_init();
	/* Last: whoever has opened it keeps nobody from freeing us if we fail. */
	err = numab_device_init();
	if (err)
		goto exit_policies;
	pr_info("version %s ready\n", NUMAB_VERSION);
	return 0;

exit_policies:
	numab_policies_exit();
exit_status:
	numab_status_exit();
exit_files:
	numab_files_exit();
exit_promote:
	numab_promote_exit();
exit_settings:
	numab_settings_exit();
exit_hooks:
	numab_hooks_exit();
	numab_spaces_exit();
	numab_groups_exit();
	return err;
}

static void __exit numab_exit(void)
{
	numab_device_exit();
	numab_cache_exit();
	numab_policies_exit();
	numab_status_exit();
	numab_files_exit();
	numab_promote_exit();
	numab_settings_exit();
	numab_hooks_exit();
	numab_spaces_exit();
	numab_groups_exit();
	pr_info("gone\n");
}

module_init(numab_init);
module_exit(numab_exit);
MODULE_LICENSE("GPL");
MODULE_VERSION(NUMAB_VERSION);
MODULE_AUTHOR("the numab developers");
MODULE_DESCRIPTION("NUMA balancing with a mode for each workload");
