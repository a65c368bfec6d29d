// SPDX-License-Identifier: GPL-2.0
/* A livepatch that takes one function of the kernel and does nothing. */
#include <linux/livepatch.h>
#include <linux/module.h>

static char *target = "task_numa_fault";
module_param(target, charp, 0444);
MODULE_PARM_DESC(target, "the function to replace");

static long nothing(void)
{
	return 0;
}

static struct klp_func funcs[] = {
	{ .new_func = nothing },
	{},
};

static struct klp_object objects[] = {
	{ .funcs = funcs },
	{},
};

static struct klp_patch patch = {
	.mod = THIS_MODULE,
	.objs = objects,
};

static int __init livepatch_init(void)
{
	funcs[0].old_name = target;
	return klp_enable_patch(&patch);
}

/* The core lets go of the module once the patch is disabled. */
static void __exit livepatch_exit(void)
{
}

module_init(livepatch_init);
module_exit(livepatch_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("holds one decision point, for the tests");
MODULE_INFO(livepatch, "Y");
