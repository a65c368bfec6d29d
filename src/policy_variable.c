// SPDX-License-Identifier: GPL-2.0
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "policy_variable.h"

int variable_split(const char *setting, struct span *ret_name,
		   struct refusal *ret_refusal)
{
	const char *end = strchrnul(setting, '=');

	if (!*end || end == setting) {
		refusal_set(ret_refusal, EXIT_USAGE,
			    text_format("%s is not VARIABLE=VALUE", setting),
			    NULL);
		return -1;
	}
	*ret_name = (struct span){ setting, end - setting };
	return 0;
}

static bool is_text(const struct btf *btf, int type)
{
	const struct btf_type *t =
		btf__type_by_id(btf, btf__resolve_type(btf, type));

	return t && btf_is_array(t) &&
	       btf__resolve_size(btf, btf_array(t)->type) == 1;
}

/* "my_poli.data" and "data" both mean ".data". */
static const char *section_of(const char *map)
{
	static const char *const sections[] = { ".rodata", ".data", ".bss" };
	const char *dot = strrchr(map, '.');

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (!strcmp(dot ? dot + 1 : map, sections[i] + 1))
			return sections[i];
	return NULL;
}

bool variable_find(const struct btf *btf, const char *map, struct span name,
		   char *memory, size_t len, struct variable *ret_variable)
{
	const char *section = section_of(map);
	int id = section ? btf__find_by_name_kind(btf, section,
						  BTF_KIND_DATASEC) :
			   -ENOENT;
	const struct btf_var_secinfo *info;
	const struct btf_type *type;

	if (id < 0)
		return false;
	type = btf__type_by_id(btf, id);
	info = btf_var_secinfos(type);
	for (int i = 0; i < btf_vlen(type); i++, info++) {
		const struct btf_type *var = btf__type_by_id(btf, info->type);

		if (!text_equals(name,
				 btf__name_by_offset(btf, var->name_off)) ||
		    (size_t)info->offset + info->size > len)
			continue;
		*ret_variable =
			(struct variable){ memory + info->offset, info->size,
					   is_text(btf, var->type) };
		return true;
	}
	return false;
}

/* Does a number fit into so many bytes, signed or not? */
static bool fits(long long number, size_t size)
{
	if (size >= sizeof(number))
		return size == sizeof(number);
	return number >> (8 * size) == 0 || number >> (8 * size - 1) == -1;
}

/* In one store where it can be, since a program may be reading it. */
static bool set_integer(const struct variable *variable, const char *value)
{
	long long number;
	char *end;

	errno = 0;
	number = strtoll(value, &end, 0);
	if (errno || end == value || *end || !fits(number, variable->size))
		return false;
	if (variable->size == 8)
		*(volatile int64_t *)variable->at = number;
	else if (variable->size == 4)
		*(volatile int32_t *)variable->at = number;
	else
		memcpy(variable->at, &number, variable->size);
	return true;
}

int variable_set(const struct variable *variable, const char *setting,
		 struct refusal *ret_refusal)
{
	const char *value = strchrnul(setting, '=') + 1;

	if (variable->text && strlen(value) < variable->size) {
		strncpy(variable->at, value, variable->size);
		return 0;
	}
	if (!variable->text && set_integer(variable, value))
		return 0;
	refusal_set(ret_refusal, EXIT_USAGE,
		    text_format("%s: want %s of %zu bytes", setting,
				variable->text ? "a text" : "an integer",
				variable->size),
		    NULL);
	return -1;
}

/* Bytes where it is neither a number nor text. */
char *variable_text(const struct variable *variable)
{
	int64_t number = 0;
	char *text, *end;

	if (variable->text)
		return strndup(variable->at, variable->size);
	if (variable->size <= sizeof(number)) {
		unsigned int shift = 64 - 8 * variable->size;

		memcpy(&number, variable->at, variable->size);
		number = (int64_t)((uint64_t)number << shift) >> shift;
		return text_format("%lld", (long long)number);
	}
	text = end = malloc(3 * variable->size + 1);
	for (size_t i = 0; text && i < variable->size; i++)
		end += sprintf(end, "%s%02x", i ? " " : "",
			       (unsigned char)variable->at[i]);
	return text;
}
