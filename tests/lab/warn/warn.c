// SPDX-License-Identifier: GPL-2.0
/*
 * A module with a fault on request, for the lab's self-test: the lab must see
 * a kernel warning whatever the command in the guest returns.
 */
#include <linux/bug.h>
#include <linux/module.h>

static bool quiet;
module_param(quiet, bool, 0444);
MODULE_PARM_DESC(quiet, "load without a warning");

static bool refuse;
module_param(refuse, bool, 0444);
MODULE_PARM_DESC(refuse, "fail to load");

static int __init warn_init(void)
{
	if (refuse)
		return -ENXIO;
	WARN(!quiet, "lab self-test: this warning is wanted\n");
	return 0;
}

static void __exit warn_exit(void)
{
}

module_init(warn_init);
module_exit(warn_exit);
MODULE_DESCRIPTION("A kernel warning on request");
MODULE_LICENSE("GPL");
