// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "cgroup.h"
#include "chain.h"
#include "mode.h"
#include "text.h"

void chain_release(struct chain *chain)
{
	for (size_t i = 0; i < chain->count; i++)
		free(chain->links[i].path);
	free(chain->links);
	memset(chain, 0, sizeof(*chain));
}

int chain_system_written(void)
{
	uint64_t value;
	int ret = fs_read_u64("/sys/kernel/numab/written", &value);

	if (ret)
		ret = fs_read_u64("/proc/sys/kernel/numa_balancing", &value);
	if (ret)
		return ret;
	return value <= NUMAB_SYSCTL_MAX ? (int)value : -ERANGE;
}

static int link_read(const char *mount, struct chain_link *link)
{
	AUTO_CLOSE int dir = cgroup_open(mount, link->path, NULL);
	int ret;

	if (dir < 0)
		return dir;
	ret = cgroup_read_opinion(dir, &link->opinion);
	link->has_file = ret != -ENOENT;
	return ret == -ENOENT ? 0 : ret;
}

int chain_read(const char *mount, const char *path, struct chain *ret_chain)
{
	AUTO_CHAIN struct chain chain = {};
	AUTO_FREE char *place = strdup(path);
	struct chain_link *link, *grown;
	int ret;

	if (!place)
		return -ENOMEM;
	for (; !cgroup_is_root(place); cgroup_cut_to_parent(place)) {
		grown = reallocarray(chain.links, chain.count + 1,
				     sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		chain.links = grown;
		link = &chain.links[chain.count];
		link->opinion = NUMAB_INHERIT;
		link->path = strdup(place);
		if (!link->path)
			return -ENOMEM;
		chain.count++;
		ret = link_read(mount, link);
		if (ret)
			return ret;
	}
	ret = chain_system_written();
	chain.written = ret < 0 ? -1 : ret;
	*ret_chain = chain;
	memset(&chain, 0, sizeof(chain));
	return 0;
}

int chain_opinion(const struct chain *chain)
{
	int met = NUMAB_INHERIT;

	for (size_t i = 0; i < chain->count; i++)
		met = numab_opinion_meet(met, chain->links[i].opinion);
	return met;
}

bool chain_has_opinion(const struct chain *chain)
{
	return chain_opinion(chain) != NUMAB_INHERIT;
}

int chain_effective(const struct chain *chain)
{
	int written = chain->written < 0 ? NUMAB_OFF : chain->written;

	return numab_mode_effective(chain_opinion(chain),
				    numab_mode_of_sysctl(written));
}

const struct chain_link *chain_find_narrowing(const struct chain *chain,
					      int mode)
{
	for (size_t i = 1; i < chain->count; i++) {
		const struct chain_link *link = &chain->links[i];

		if (link->opinion != NUMAB_INHERIT && (mode & ~link->opinion))
			return link;
	}
	return NULL;
}
