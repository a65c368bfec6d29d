// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "table.h"
#include "text.h"

void table_release(struct table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free(table->cells[i]);
	free(table->cells);
	memset(table, 0, sizeof(*table));
}

void table_add(struct table *table, const char *format, ...)
{
	char **grown;
	va_list args;

	if (table->error)
		return;
	if (table->count == table->size) {
		size_t size = table->size ? 2 * table->size : 256;

		grown = reallocarray(table->cells, size, sizeof(*grown));
		if (!grown) {
			table->error = -ENOMEM;
			return;
		}
		table->cells = grown;
		table->size = size;
	}
	va_start(args, format);
	if (vasprintf(&table->cells[table->count], format, args) < 0)
		table->error = -ENOMEM;
	else
		table->count++;
	va_end(args);
}

static void cell_print(const struct table *table, size_t column,
		       const char *cell, size_t width, FILE *out)
{
	int pad = width - text_columns(cell);

	if (column)
		fputs("  ", out);
	if (column >= table->left)
		fprintf(out, "%*s%s", pad, "", cell);
	else if (column + 1 < table->columns)
		fprintf(out, "%s%*s", cell, pad, "");
	else
		fputs(cell, out);
	if (column + 1 == table->columns)
		fputc('\n', out);
}

int table_print(const struct table *table, FILE *out)
{
	AUTO_FREE size_t *widths = calloc(table->columns, sizeof(*widths));

	if (table->error)
		return table->error;
	if (!widths)
		return -ENOMEM;
	for (size_t i = 0; i < table->count; i++) {
		size_t width = text_columns(table->cells[i]);

		if (width > widths[i % table->columns])
			widths[i % table->columns] = width;
	}
	for (size_t i = 0; i < table->count; i++)
		cell_print(table, i % table->columns, table->cells[i],
			   widths[i % table->columns], out);
	return 0;
}
