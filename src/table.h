/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text in columns that line up: the first ones to the left, the rest, which
 * are numbers, to the right. Cells are added row by row.
 */
#ifndef NUMAB_TABLE_H
#define NUMAB_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include "cleanup.h"
#include "text.h"

struct table {
	size_t columns, left;
	size_t count, size;
	char **cells;
	int error; /* the first one; adding and printing keep it */
};

#define AUTO_TABLE AUTO(table_release)
void table_release(struct table *table);

PRINTF_LIKE(2, 3) void table_add(struct table *table, const char *format, ...);

/* 0, or the negative errno of the first cell that could not be added. */
int table_print(const struct table *table, FILE *out);

#endif
