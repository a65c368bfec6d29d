/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What happened when: the accounts of the machine and of the sections, sampled
 * by a thread of its own and where a section begins and ends; and the marks.
 * Times are the host's, from the start of the emulator; the guest's clocks run
 * with them (not with -icount).
 */
#ifndef LAB_LATENCY_SERIES_H
#define LAB_LATENCY_SERIES_H

#include <stdio.h>

#include "model.h"

void series_start(const struct model *model);
void series_event(unsigned int cpu, unsigned int kind, unsigned int section);

/* Take a last sample, and write two members of a JSON object. */
void series_write(FILE *file);

#endif
