// SPDX-License-Identifier: GPL-2.0
/* The model of lab/latency: its caches against a slow one, and its file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../lab/latency/llc.h"
#include "../../lab/latency/model.h"
#include "test.h"

#define DOMAINS 3
#define SETS	8
#define WAYS	4
#define LINES	96

/* The slow one: by domain and line, when it was last used; 0: not there. */
static unsigned long used[DOMAINS][LINES];
static bool modified[DOMAINS][LINES];

static int oldest_of_set(int domain, int set)
{
	int count = 0, oldest = -1;

	for (int line = set; line < LINES; line += SETS) {
		if (!used[domain][line])
			continue;
		count++;
		if (oldest < 0 || used[domain][line] < used[domain][oldest])
			oldest = line;
	}
	return count == WAYS ? oldest : -1;
}

/* Another domain's copy; it goes, or becomes shared. */
static bool take_from(int domain, int line, bool write, unsigned int *written)
{
	if (!used[domain][line])
		return false;
	if (!write && modified[domain][line])
		++*written;
	modified[domain][line] = false;
	if (write)
		used[domain][line] = 0;
	return true;
}

static enum llc_result expect(int domain, int line, bool write,
			      unsigned long now, unsigned int *written)
{
	bool here = used[domain][line], others = false;
	bool quiet = here && (!write || modified[domain][line]);
	int victim;

	*written = 0;
	for (int d = 0; d < DOMAINS && !quiet; d++)
		if (d != domain && take_from(d, line, write, written))
			others = true;
	victim = here ? -1 : oldest_of_set(domain, line % SETS);
	if (victim >= 0) {
		*written += modified[domain][victim];
		used[domain][victim] = 0;
		modified[domain][victim] = false;
	}
	used[domain][line] = now;
	modified[domain][line] |= write;
	if (others)
		return LLC_TRANSFER;
	return here ? LLC_HIT : LLC_MISS;
}

static void test_caches_agree_with_the_slow_one(void **state)
{
	struct llc *llc = llc_new(DOMAINS, SETS * WAYS * 64, WAYS, 64);
	struct llc_access access;
	unsigned int written;

	srand(1);
	for (unsigned long i = 1; i < 300000; i++) {
		int domain = rand() % DOMAINS, line = rand() % LINES;
		bool write = rand() % 3 == 0;
		enum llc_result want = expect(domain, line, write, i, &written);

		assert_int_equal(llc_access(llc, domain, line, write, &access),
				 want);
		assert_int_equal(access.written, written);
	}
	llc_flush(llc);
	assert_int_equal(llc_access(llc, 0, 1, false, &access), LLC_MISS);
	assert_int_equal(access.written, 0);
	llc_free(llc);
}

static const char *read_text(struct model *model, const char *text)
{
	char path[] = "/tmp/numab-model.XXXXXX";
	int fd = mkstemp(path);
	const char *error;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	error = model_read(model, path);
	unlink(path);
	return error;
}

#define GOOD                                                 \
	"interval 250\ncache 65536 16 64\ncpu 0 0 0\n"       \
	"cpu 1 1 1\nmemory 0 4096 0\nmemory 8192 4096 1\n"   \
	"latency 0 0 80\nlatency 0 1 160\nlatency 1 0 160\n" \
	"latency 1 1 80\nlatency 0 1 200\nbandwidth 0 1 64\n"

static void test_model(void **state)
{
	struct model model;

	assert_null(read_text(&model, GOOD));
	assert_int_equal(model_node(&model, 4095), 0);
	assert_int_equal(model_node(&model, 4096), NO_NODE);
	assert_int_equal(model_node(&model, 8192), 1);
	assert_int_equal(model_cost_ps(&model, 0, 0), 80000);
	assert_int_equal(model_cost_ps(&model, 0, 1), 201000);
	assert_int_equal(model.scale, 0);
}

static void test_bad_models(void **state)
{
	static const char *const bad[] = {
		"",
		GOOD "colour red\n",
		GOOD "cpu 99 0 0\n",
		GOOD "cache 65536 16 63\n",
		GOOD "cache 65537 16 64\n",
		GOOD "memory 0 1 8\n",
		GOOD "memory 0 1 2\n",
		GOOD "delay 0\n",
		GOOD "table \n",
	};
	struct model model;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check(read_text(&model, bad[i]) != NULL, "model %zu", i);
	assert_string_equal(read_text(&model, GOOD "colour red\n"),
			    "cannot read 'colour red'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_caches_agree_with_the_slow_one),
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_bad_models),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
