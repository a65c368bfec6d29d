// SPDX-License-Identifier: GPL-2.0
#include "cleanup.h"
#include "flat.h"
#include "json.h"

json_t *json_text(const char *text)
{
	AUTO_FREE char *utf8 = NULL;

	if (!text)
		return json_null();
	utf8 = text_utf8(text);
	return utf8 ? json_string(utf8) : NULL;
}

json_t *json_number(int64_t number)
{
	return number < 0 ? json_null() : json_integer(number);
}

json_t *json_flat(const char *text)
{
	json_t *object;
	struct flat_entry entry;

	if (!text)
		return json_null();
	object = json_object();
	while (object && flat_next(&text, &entry)) {
		AUTO_FREE char *key = text_copy(entry.key);
		/* JSON numbers are signed here; no counter gets that far. */
		json_int_t value = entry.value > INT64_MAX ?
					   INT64_MAX :
					   (json_int_t)entry.value;

		/* A key that is no UTF-8 is none of the kernel's: left out. */
		if (key)
			json_object_set_new(object, key, json_integer(value));
	}
	return object;
}

json_t *json_nodes(const struct nodes *nodes)
{
	json_t *array = json_array();

	for (int i = 0; array && i < NODES_MAX; i++)
		if (nodes_has(nodes, i))
			json_array_append_new(array, json_integer(i));
	return array;
}
