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

static const char *cell_at(const struct table *table, size_t row, size_t column)
{
	return table->cells[row * table->columns + column];
}

/* Blanks are printed with what follows them, so that no line ends in any. */
static void row_print(const struct table *table, size_t row,
		      const size_t *widths, FILE *out)
{
	int blanks = 0;

	for (size_t i = 0; i < table->columns; i++) {
		const char *cell = cell_at(table, row, i);
		int pad = widths[i] - text_columns(cell);

		if (i >= table->left)
			blanks += pad;
		if (*cell) {
			fprintf(out, "%*s%s", blanks, "", cell);
			blanks = 0;
		}
		if (i < table->left)
			blanks += pad;
		blanks += 2;
	}
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
	for (size_t row = 0; row < table->count / table->columns; row++)
		row_print(table, row, widths, out);
	return 0;
}
