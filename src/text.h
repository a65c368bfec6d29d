/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plain text as the kernel writes it: lines, words, numbers, lists of nodes.
 *
 * Spans point into the text they were cut from and live as long as it does.
 * Errors: negative errno; outputs are left alone on failure. Nothing prints.
 */
#ifndef NUMAB_TEXT_H
#define NUMAB_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PRINTF_LIKE(format_at, args_at) \
	__attribute__((format(printf, format_at, args_at)))

struct span {
	const char *start;
	size_t len;
};

/*
 * Cut the next piece off *cursor. Lines may be empty and carry no newline;
 * words are never empty. Return false, with *cursor at the end, when there is
 * none left.
 */
bool text_next_line(const char **cursor, struct span *ret_line);
bool text_next_word(struct span *rest, struct span *ret_word);

bool text_equals(struct span span, const char *word);

/* A copy that the caller frees, NULL when out of memory. */
char *text_copy(struct span span);

/* Print into a string that the caller frees, NULL when out of memory. */
PRINTF_LIKE(1, 2) char *text_format(const char *format, ...);

/* Cut white space off the end of text, in place. */
void text_chomp(char *text);

/* Decimal digits and nothing else: -EINVAL, or -ERANGE above 64 bits. */
int text_parse_u64(struct span span, uint64_t *ret_value);

/* Whether word is one of the words in text, e.g. of cgroup.controllers. */
bool text_has_word(const char *text, const char *word);

/*
 * A name as it may be shown in a table: blanks, control characters and bytes
 * that are not UTF-8 become \ooo, as in /proc/self/mountinfo; the backslash,
 * which systemd uses in names, stays. text_utf8() replaces only what JSON
 * cannot hold. The caller frees; NULL when out of memory.
 */
char *text_printable(const char *name);
char *text_utf8(const char *name);

/* Columns that a UTF-8 string takes, one for each character. */
size_t text_columns(const char *text);

/* A set of nodes. MAX is above the kernel's largest MAX_NUMNODES. */
#define NODES_MAX 1024

struct nodes {
	uint64_t bits[NODES_MAX / 64];
};

/* Parse "0-3,5"; empty text is the empty set. -EINVAL or -ERANGE. */
int nodes_parse(const char *text, struct nodes *ret_nodes);

static inline bool nodes_has(const struct nodes *nodes, unsigned int node)
{
	return nodes->bits[node / 64] >> (node % 64) & 1;
}

static inline void nodes_add(struct nodes *nodes, unsigned int node)
{
	nodes->bits[node / 64] |= UINT64_C(1) << (node % 64);
}

static inline void nodes_join(struct nodes *nodes, const struct nodes *more)
{
	for (int i = 0; i < NODES_MAX / 64; i++)
		nodes->bits[i] |= more->bits[i];
}

static inline unsigned int nodes_count(const struct nodes *nodes)
{
	unsigned int count = 0;

	for (int i = 0; i < NODES_MAX / 64; i++)
		count += __builtin_popcountll(nodes->bits[i]);
	return count;
}

#endif
