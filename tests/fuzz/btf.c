// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's BTF section: names taken from the section itself are looked up,
 * so that look-ups lead somewhere.
 */
#include <errno.h>

#include "../../kmod/btf.h"
#include "fuzz.h"

#define HEADER	    24
#define LOOKUPS_MAX 64
#define STRINGS	    "\0a\0b\0c" /* of sections made up here */
#define WORDS_MAX   1024

/* Take a byte of the input; 0 after its end. */
static uint32_t take(const uint8_t **data, size_t *size)
{
	if (!*size)
		return 0;
	--*size;
	return *(*data)++;
}

/* Words after a record, as in Documentation/bpf/btf.rst. */
static size_t trailer_words(uint32_t kind, uint32_t count)
{
	static const uint8_t fixed[20] = {
		[1] = 1, [3] = 3, [14] = 1, [17] = 1
	};
	static const uint8_t each[20] = {
		[4] = 3, [5] = 3, [6] = 2, [13] = 2, [15] = 3, [19] = 3
	};

	return fixed[kind] + each[kind] * count;
}

/*
 * A section of whole records, made from the input: a byte a field. Few raw
 * inputs get that far.
 */
static char *make_section(const uint8_t *data, size_t size, size_t *ret_len)
{
	uint32_t words[WORDS_MAX], n = 0;
	char *section;

	while (size && n < WORDS_MAX - 32) {
		uint32_t kind = take(&data, &size), count = kind >> 6;
		size_t trailer;

		kind = kind % 19 + 1;
		trailer = trailer_words(kind, count);
		words[n++] = take(&data, &size) % 8;
		words[n++] = kind << 24 | count | (size % 2) << 31;
		words[n++] = take(&data, &size) % 32;
		while (trailer--)
			words[n++] = take(&data, &size) % 32;
	}
	*ret_len = HEADER + n * 4 + sizeof(STRINGS);
	section = calloc(*ret_len, 1);
	must(section != NULL);
	memcpy(section,
	       (uint32_t[6]){ 0x1eb9f, HEADER, 0, n * 4, n * 4,
			      sizeof(STRINGS) },
	       HEADER);
	memcpy(section + HEADER, words, n * 4);
	memcpy(section + HEADER + n * 4, STRINGS, sizeof(STRINGS));
	return section;
}

static void look_up(const struct numab_btf *btf, const char *name,
		    const char *next)
{
	char text[64];
	long answer;

	answer = numab_btf_prototype(btf, name, text, sizeof(text));
	must(answer == 0 || answer == -ENOENT || answer == -ENOSPC ||
	     answer == -EINVAL);
	if (!answer)
		must(strlen(text) < sizeof(text) && strchr(text, '('));
	answer = numab_btf_member(btf, name, next);
	must(answer >= 0 || answer == -ENOENT || answer == -EINVAL);
}

static void look_up_all(const struct numab_btf *btf)
{
	const char *end = btf->strings + btf->strings_len, *next;
	const char *name = btf->strings;

	for (int i = 0; i < LOOKUPS_MAX && name < end; i++, name = next) {
		next = name + strlen(name) + 1;
		look_up(btf, name, next < end ? next : name);
		look_up(btf, name, name);
	}
}

static void try_section(const char *section, size_t len, int whole)
{
	struct numab_btf btf;
	numab_u32 *offsets;
	int err;

	err = numab_btf_open(&btf, section, len);
	must(!err || (!whole && (err == -EINVAL || err == -EOPNOTSUPP)));
	if (err)
		return;
	must(btf.nr_types <= len / 12);
	offsets = malloc((btf.nr_types + 1) * sizeof(*offsets));
	must(offsets != NULL);
	numab_btf_index(&btf, offsets);
	look_up_all(&btf);
	free(offsets);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *raw = fuzz_text(data, size), *made;
	size_t len;

	try_section(raw, size, 0);
	free(raw);
	made = make_section(data, size, &len);
	try_section(made, len, 1);
	free(made);
	return 0;
}
