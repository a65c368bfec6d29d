/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a policy's answer is worth: an opinion, cut to what the policy may
 * enable. Pure: no locking, no errors.
 */
#ifndef NUMAB_DECIDE_POLICY_H
#define NUMAB_DECIDE_POLICY_H

#include "mode.h"

/* Neither a mode nor "no opinion": the policy has a fault. */
static inline bool numab_answer_is_bad(int answer)
{
	return answer < NUMAB_INHERIT || answer > NUMAB_BOTH;
}

/* The opinion that an answer stands for; a bad one stands for none. */
static inline int numab_answer_opinion(int answer, unsigned int may_enable)
{
	if (answer == NUMAB_INHERIT || numab_answer_is_bad(answer))
		return NUMAB_INHERIT;
	return answer & (int)may_enable;
}

/*
 * What the kernel must run with for the sake of a policy: what it may enable,
 * as far as the files of its cgroup and of those above let it. What they say
 * is their common opinion, NUMAB_INHERIT for none.
 */
static inline int numab_policy_needs(unsigned int may_enable, int chain_opinion)
{
	return numab_opinion_meet(may_enable & NUMAB_BOTH, chain_opinion);
}

#endif
