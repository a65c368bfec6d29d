// SPDX-License-Identifier: GPL-2.0
#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#else
#include <errno.h>
#include <string.h>
#endif

#include "cache.h"

/* Below there are caches of one core, above is memory on the package. */
#define LLC_MIN (128UL << 10)
#define LLC_MAX (4UL << 30)

static const char *const words[] = { "auto", "never", "always" };

static const struct {
	const char *name;
	const char *reason;
	bool gathers;
} verdicts[NR_CACHE_VERDICTS] = {
	[CACHE_NEVER] = { "never", "it is set to never", false },
	[CACHE_ALWAYS] = { "always", "it is set to always", true },
	[CACHE_NO_TOLERANCE] = { "no_tolerance", "the tolerance is 0", false },
	[CACHE_ANY_TOLERANCE] = { "any_tolerance",
				  "the tolerance is 100: sizes do not count",
				  true },
	[CACHE_SIZE_UNKNOWN] = { "size_unknown",
				 "the size of the cache is not known", true },
	[CACHE_RSS_FITS] = { "rss_fits", "all of its memory fits", true },
	[CACHE_RSS_EXCEEDS] = { "rss_exceeds",
				"its memory does not fit, and how much of it "
				"is in use is not known",
				false },
	[CACHE_FOOTPRINT_FITS] = { "footprint_fits", "the memory in use fits",
				   true },
	[CACHE_FOOTPRINT_EXCEEDS] = { "footprint_exceeds",
				      "the memory in use does not fit", false },
};

int numab_cache_meet(int near, int far)
{
	if (near == NUMAB_CACHE_NEVER || far == NUMAB_CACHE_NEVER)
		return NUMAB_CACHE_NEVER;
	return near == NUMAB_CACHE_AUTO ? far : near;
}

/* How far a value goes, on the scale of tolerances. */
static int reach(int value, unsigned int tolerance)
{
	switch (value) {
	case NUMAB_CACHE_ALWAYS:
		return NUMAB_TOLERANCE_MAX + 1;
	case NUMAB_CACHE_NEVER:
		return -1;
	case NUMAB_CACHE_AUTO:
		return tolerance < NUMAB_TOLERANCE_MAX ? (int)tolerance :
							 NUMAB_TOLERANCE_MAX;
	default:
		return value;
	}
}

bool numab_cache_is_free(int value, int base, unsigned int tolerance)
{
	return value == NUMAB_CACHE_AUTO ||
	       reach(value, tolerance) <= reach(base, tolerance);
}

bool numab_cache_lifts(int value, unsigned int tolerance)
{
	return reach(value, tolerance) > reach(NUMAB_CACHE_AUTO, tolerance);
}

bool numab_cache_is_valid(int value)
{
	return value >= NUMAB_CACHE_ALWAYS && value <= NUMAB_TOLERANCE_MAX;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int parse_tolerance(const char *buf, size_t len, int *ret_value)
{
	int value = 0;
	size_t i;

	if (!len || len > 3 || (len > 1 && *buf == '0'))
		return -EINVAL;
	for (i = 0; i < len; i++) {
		if (buf[i] < '0' || buf[i] > '9')
			return -EINVAL;
		value = value * 10 + (buf[i] - '0');
	}
	if (value > NUMAB_TOLERANCE_MAX)
		return -EINVAL;
	*ret_value = value;
	return 0;
}

int numab_cache_parse(const char *buf, size_t len, int *ret_value)
{
	int value;

	while (len && is_blank(*buf)) {
		buf++;
		len--;
	}
	while (len && is_blank(buf[len - 1]))
		len--;
	for (value = NUMAB_CACHE_AUTO; value >= NUMAB_CACHE_ALWAYS; value--) {
		const char *word = numab_cache_word(value);

		if (strlen(word) == len && !memcmp(word, buf, len)) {
			*ret_value = value;
			return 0;
		}
	}
	return parse_tolerance(buf, len, ret_value);
}

const char *numab_cache_word(int value)
{
	if (value >= 0 || value < NUMAB_CACHE_ALWAYS)
		return NULL;
	return words[NUMAB_CACHE_AUTO - value];
}

unsigned long long numab_cache_bound(unsigned long llc, unsigned int tolerance)
{
	return (unsigned long long)llc * (1 + (tolerance - 1) * 256ULL);
}

bool numab_cache_is_plausible(unsigned long llc)
{
	return llc >= LLC_MIN && llc <= LLC_MAX;
}

static bool fits(const struct numab_cache_facts *f, unsigned long pages,
		 unsigned int tolerance)
{
	return (unsigned long long)pages * f->page_size <=
	       numab_cache_bound(f->llc, tolerance);
}

enum numab_cache_verdict numab_cache_decide(const struct numab_cache_facts *f)
{
	unsigned int tolerance =
		f->asked >= 0 ? (unsigned int)f->asked : f->tolerance;

	if (f->asked == NUMAB_CACHE_NEVER)
		return CACHE_NEVER;
	if (f->asked == NUMAB_CACHE_ALWAYS)
		return CACHE_ALWAYS;
	if (!tolerance)
		return CACHE_NO_TOLERANCE;
	if (tolerance >= NUMAB_TOLERANCE_MAX)
		return CACHE_ANY_TOLERANCE;
	if (!numab_cache_is_plausible(f->llc))
		return CACHE_SIZE_UNKNOWN;
	if (fits(f, f->rss, tolerance))
		return CACHE_RSS_FITS;
	if (!f->estimated)
		return CACHE_RSS_EXCEEDS;
	return fits(f, f->footprint + f->in_sweep, tolerance) ?
		       CACHE_FOOTPRINT_FITS :
		       CACHE_FOOTPRINT_EXCEEDS;
}

bool numab_cache_gathers(enum numab_cache_verdict verdict)
{
	return verdicts[verdict].gathers;
}

const char *numab_cache_reason(enum numab_cache_verdict verdict)
{
	return verdicts[verdict].reason;
}

const char *numab_cache_verdict_name(int verdict)
{
	if (verdict < 0 || verdict >= NR_CACHE_VERDICTS)
		return "unknown";
	return verdicts[verdict].name;
}

int numab_cache_verdict_find(const char *name)
{
	int verdict;

	for (verdict = 0; verdict < NR_CACHE_VERDICTS; verdict++)
		if (!strcmp(verdicts[verdict].name, name))
			return verdict;
	return -EINVAL;
}

bool numab_cache_kernel_refuses(const struct numab_cache_facts *f,
				bool balancing)
{
	if (!f->tolerance)
		return true; /* no number of threads is small enough */
	if (!balancing || f->tolerance >= NUMAB_TOLERANCE_MAX)
		return false;
	return !fits(f, f->footprint, f->tolerance);
}
