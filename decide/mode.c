// SPDX-License-Identifier: GPL-2.0
#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#else
#include <errno.h>
#include <string.h>
#endif

#include "mode.h"

static const struct {
	const char *name;
	int opinion;
} words[] = {
	{ "inherit", NUMAB_INHERIT }, { "off", NUMAB_OFF },
	{ "normal", NUMAB_NORMAL },   { "tiering", NUMAB_TIERING },
	{ "both", NUMAB_BOTH },	      { "0", NUMAB_OFF },
	{ "1", NUMAB_NORMAL },	      { "2", NUMAB_TIERING },
	{ "3", NUMAB_BOTH },
};

#define NR_WORDS (sizeof(words) / sizeof(words[0]))

int numab_opinion_meet(int a, int b)
{
	if (a == NUMAB_INHERIT)
		return b;
	if (b == NUMAB_INHERIT)
		return a;
	return a & b;
}

int numab_mode_of_task(int own, bool privileged, int chain_opinion,
		       int system_default)
{
	int base = numab_mode_effective(chain_opinion, system_default);

	if (!privileged)
		return numab_opinion_meet(own, base);
	return numab_mode_effective(numab_opinion_meet(own, chain_opinion),
				    system_default);
}

int numab_mode_running(int written, int needed)
{
	return numab_mode_of_sysctl(written) | needed;
}

bool numab_opinion_is_free(int opinion, int present, int ancestors,
			   int system_default)
{
	int allowed = numab_mode_effective(ancestors, system_default);

	if (opinion == NUMAB_INHERIT)
		return true;
	if (present != NUMAB_INHERIT)
		allowed |= present;
	return !(opinion & ~allowed);
}

int numab_opinion_after_privilege(int opinion, int base)
{
	/* One that takes nothing away must not begin to, when base grows. */
	if (opinion == NUMAB_INHERIT || !(base & ~opinion))
		return NUMAB_INHERIT;
	return opinion & base;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

int numab_opinion_parse(const char *buf, size_t len, int *ret_opinion)
{
	size_t i;

	while (len && is_blank(buf[len - 1]))
		len--;
	while (len && is_blank(*buf)) {
		buf++;
		len--;
	}
	for (i = 0; i < NR_WORDS; i++) {
		if (strlen(words[i].name) != len)
			continue;
		if (memcmp(words[i].name, buf, len))
			continue;
		*ret_opinion = words[i].opinion;
		return 0;
	}
	return -EINVAL;
}

const char *numab_opinion_name(int opinion)
{
	size_t i;

	for (i = 0; i < NR_WORDS; i++)
		if (words[i].opinion == opinion)
			return words[i].name;
	return "invalid";
}
