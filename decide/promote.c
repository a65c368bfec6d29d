// SPDX-License-Identifier: GPL-2.0
#include "promote.h"

struct numab_stripe numab_promote_stripe(unsigned long start, unsigned long end,
					 unsigned long quantum,
					 unsigned long round)
{
	unsigned long base = start - start % NUMAB_PROMOTE_ALIGN;
	unsigned long n = (end - base + quantum - 1) / quantum;
	unsigned long at = base + round % n * quantum;
	struct numab_stripe stripe = { .of = n };

	stripe.start = at > start ? at : start;
	/* Not at + quantum: that may be beyond what an address can be. */
	stripe.end = end - at > quantum ? at + quantum : end;
	return stripe;
}

void numab_promote_begin(struct numab_promote_pass *pass, unsigned long budget,
			 struct numab_promote_place place)
{
	*pass = (struct numab_promote_pass){
		.quantum = numab_promote_quantum(budget),
		.budget = budget,
		.sparse = budget * NUMAB_PROMOTE_SPARSE,
		.began = place.at,
	};
}

bool numab_promote_charge_judgement(struct numab_promote_pass *pass)
{
	pass->sparse -= NUMAB_PROMOTE_JUDGEMENT;
	return pass->sparse > 0;
}

void numab_promote_charge(struct numab_promote_pass *pass, unsigned long length,
			  unsigned long memory)
{
	pass->visited = true;
	pass->sparse -= length;
	pass->budget -= memory;
}

bool numab_promote_wrap(struct numab_promote_pass *pass,
			struct numab_promote_place *place)
{
	/* What comes before the address at which it began was not seen yet. */
	bool more = pass->visited || (!pass->wraps && pass->began);

	pass->visited = false;
	pass->wraps++;
	place->at = 0;
	place->round++;
	return more;
}

void numab_quiet_note(struct numab_quiet *quiet, unsigned int stripe,
		      unsigned short pass, bool found)
{
	bool known = quiet->stripe == stripe;

	if (found) {
		if (known)
			quiet->stripe = 0;
		return;
	}
	quiet->empty = known ? quiet->empty + 1 : 1;
	if (quiet->empty > NUMAB_PROMOTE_QUIET)
		quiet->empty = NUMAB_PROMOTE_QUIET;
	quiet->stripe = stripe;
	quiet->pass = pass;
}
