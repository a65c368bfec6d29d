/* SPDX-License-Identifier: GPL-2.0 */
/* The accounts at the end: a table for people, JSON for programs. */
#ifndef LAB_LATENCY_REPORT_H
#define LAB_LATENCY_REPORT_H

#include "model.h"

/* Write the files that the model names. Returns NULL or what went wrong. */
const char *report_write(const struct model *model);

#endif
