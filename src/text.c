// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

bool text_next_line(const char **cursor, struct span *ret_line)
{
	const char *end;

	if (!**cursor)
		return false;
	end = strchrnul(*cursor, '\n');
	ret_line->start = *cursor;
	ret_line->len = end - *cursor;
	*cursor = *end ? end + 1 : end;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool text_next_word(struct span *rest, struct span *ret_word)
{
	size_t len = 0;

	while (rest->len && is_blank(*rest->start)) {
		rest->start++;
		rest->len--;
	}
	while (len < rest->len && !is_blank(rest->start[len]))
		len++;
	if (!len)
		return false;
	ret_word->start = rest->start;
	ret_word->len = len;
	rest->start += len;
	rest->len -= len;
	return true;
}

bool text_equals(struct span span, const char *word)
{
	return strlen(word) == span.len && !memcmp(word, span.start, span.len);
}

char *text_copy(struct span span)
{
	return strndup(span.start, span.len);
}

void text_chomp(char *text)
{
	size_t len = strlen(text);

	while (len && is_blank(text[len - 1]))
		text[--len] = '\0';
}

int text_parse_u64(struct span span, uint64_t *ret_value)
{
	uint64_t value = 0;

	if (!span.len)
		return -EINVAL;
	for (size_t i = 0; i < span.len; i++) {
		if (span.start[i] < '0' || span.start[i] > '9')
			return -EINVAL;
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, span.start[i] - '0', &value))
			return -ERANGE;
	}
	*ret_value = value;
	return 0;
}

bool text_has_word(const char *text, const char *word)
{
	struct span rest = { text, strlen(text) }, found;

	while (text_next_word(&rest, &found))
		if (text_equals(found, word))
			return true;
	return false;
}

/* Length of the UTF-8 sequence at s, 0 if it is not one (RFC 3629). */
static size_t utf8_length(const unsigned char *s)
{
	size_t len;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	len = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, and beyond U+10FFFF. */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

/* Blanks, C0, DEL and, in UTF-8, C1: a terminal obeys them. */
static bool is_control(const unsigned char *s, size_t len)
{
	if (len == 2)
		return s[0] == 0xc2 && s[1] < 0xa0;
	return len == 1 && (s[0] <= ' ' || s[0] == 0x7f);
}

static char *escape(const char *name, bool controls)
{
	const unsigned char *s = (const unsigned char *)name;
	char *escaped = malloc(4 * strlen(name) + 1), *out = escaped;
	size_t len, take;

	if (!escaped)
		return NULL;
	while (*s) {
		len = utf8_length(s);
		take = len ? len : 1;
		if (!len || (controls && is_control(s, len))) {
			for (size_t i = 0; i < take; i++) {
				*out++ = '\\';
				*out++ = '0' + (s[i] >> 6);
				*out++ = '0' + (s[i] >> 3 & 7);
				*out++ = '0' + (s[i] & 7);
			}
		} else {
			out = mempcpy(out, s, take);
		}
		s += take;
	}
	*out = '\0';
	return escaped;
}

char *text_printable(const char *name)
{
	return escape(name, true);
}

char *text_utf8(const char *name)
{
	return escape(name, false);
}

size_t text_columns(const char *text)
{
	size_t columns = 0;

	for (; *text; text++)
		columns += (*text & 0xc0) != 0x80;
	return columns;
}

/* "N" or "N-M" */
static int range_parse(struct span range, struct nodes *nodes)
{
	const char *dash = memchr(range.start, '-', range.len);
	struct span first = range, last = range;
	uint64_t from, to;
	int ret;

	if (dash) {
		first.len = dash - range.start;
		last.start = dash + 1;
		last.len = range.len - first.len - 1;
	}
	ret = text_parse_u64(first, &from);
	if (ret)
		return ret;
	ret = text_parse_u64(last, &to);
	if (ret)
		return ret;
	if (from > to)
		return -EINVAL;
	if (to >= NODES_MAX)
		return -ERANGE;
	for (; from <= to; from++)
		nodes_add(nodes, from);
	return 0;
}

int nodes_parse(const char *text, struct nodes *ret_nodes)
{
	struct span rest = { text, strlen(text) }, list, range;
	struct nodes nodes = {};
	const char *comma;
	int ret;

	if (text_next_word(&rest, &list)) {
		for (;;) {
			comma = memchr(list.start, ',', list.len);
			range.start = list.start;
			range.len =
				comma ? (size_t)(comma - list.start) : list.len;
			ret = range_parse(range, &nodes);
			if (ret)
				return ret;
			if (!comma)
				break;
			list.start = comma + 1;
			list.len -= range.len + 1;
		}
		if (text_next_word(&rest, &list))
			return -EINVAL;
	}
	*ret_nodes = nodes;
	return 0;
}

char *text_format(const char *format, ...)
{
	char *text;
	va_list args;
	int len;

	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	return len < 0 ? NULL : text;
}
