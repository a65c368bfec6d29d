// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "module.h"
#include "policy_pin.h"

/* Policies let go of the module after grace periods. */
#define FORCE_SECONDS 30

struct arguments {
	bool force;
};

static const struct argp_option options[] = {
	{ "force", 'f', 0, 0, "Detach all policies first", 0 },
	{},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case 'f':
		args->force = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "one argument too many: %s", arg);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp cmd_unload_argp = {
	.options = options,
	.parser = parse,
	.args_doc = "",
	.doc = "Unload the kernel module. The stock kernel's behaviour is "
	       "back at once; settings are lost. While policies are attached "
	       "it stays, unless forced.",
};

static int complain_policy(const char *name, int error)
{
	AUTO_REFUSAL struct refusal refusal = {};

	refusal_of_policy(name, error, &refusal);
	return complain(&refusal, "cannot detach %s", name);
}

/* One that does not go keeps none of the others. */
static int detach_all(void)
{
	AUTO_POLICIES struct policies policies = {};
	int code = EXIT_OK, ret = policies_read(&policies);

	if (ret)
		return complain_policy("the policies", ret);
	for (size_t i = 0; i < policies.count; i++) {
		const struct policy *policy = &policies.items[i];

		ret = policy->pin ? policy_unpin(policy->pin) :
				    policy_detach(policy);
		/* -ENOENT: it went by itself */
		if (ret && ret != -ENOENT)
			code = complain_policy(policy->name, ret);
	}
	return code;
}

static int delete_module(void)
{
	return syscall(SYS_delete_module, "numab", O_NONBLOCK) ? -errno : 0;
}

static int delete_until(int seconds)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	int ret;

	for (int i = 0; i < seconds * 50; i++) {
		ret = delete_module();
		if (ret != -EWOULDBLOCK)
			return ret;
		nanosleep(&pause, NULL);
	}
	return ret;
}

static int complain_busy(bool forced)
{
	fprintf(stderr,
		"numab: cannot unload numab: %s\n"
		"hint: %s\n",
		forced ? "a program or map of a policy is still held" :
			 "policies are attached, or about to be",
		forced ? "bpftool prog shows struct_ops programs; end the "
			 "process that holds one" :
			 "numab policy list shows them; numab unload --force "
			 "detaches them first");
	return EXIT_FAILED;
}

int cmd_unload(int argc, char **argv)
{
	struct arguments args = {};
	int ret = parse_arguments(&cmd_unload_argp, argc, argv, &args);

	if (ret)
		return ret;
	if (!module_is_loaded()) {
		fputs("numab: the kernel module numab is not loaded\n", stderr);
		return EXIT_NO_MODULE;
	}
	ret = args.force ? detach_all() : EXIT_OK;
	if (ret)
		return ret;
	ret = args.force ? delete_until(FORCE_SECONDS) : delete_module();
	if (ret == -EWOULDBLOCK)
		return complain_busy(args.force);
	if (ret == -EPERM) {
		fputs("numab: cannot unload numab: permission denied\n"
		      "hint: run this as root\n",
		      stderr);
		return EXIT_DENIED;
	}
	return ret ? complain_errno("cannot unload numab", ret) : EXIT_OK;
}
