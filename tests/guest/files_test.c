// SPDX-License-Identifier: GPL-2.0
/* The files themselves: where they are, what they take and refuse. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "test.h"

static const char *const files[] = { "cpu.numab.mode", "cpu.numab.effective",
				     "cpu.numab.stat",
				     "cpu.numa_load_balance" };

static void check_files(const char *cgroup, bool there)
{
	for (int i = 0; i < 4; i++)
		if (cgroup_has(cgroup, files[i]) != there)
			test_fail(__FILE__, __LINE__, "%s/%s is %sthere",
				  cgroup, files[i], there ? "not " : "");
}

TEST(files_come_and_go,
     "files are in existing and new cgroups, and gone on unload")
{
	cgroup_make("t/old");
	check_files("t/old", true);
	CHECK_EQ(unload("numab"), 0);
	check_files("t/old", false);
	cgroup_make("t/between");
	CHECK_EQ(load_numab(""), 0);
	check_files("t/old", true);
	check_files("t/between", true);
	cgroup_make("t/new");
	check_files("t/new", true);
	check_files(".", false); /* the root's setting is the sysctl */
}

TEST(files_words, "every word and digit is taken, and read back as the word")
{
	static const char *const pairs[][2] = {
		{ "inherit", "inherit" }, { "off", "off" },
		{ "0", "off" },		  { "normal\n", "normal" },
		{ "1", "normal" },	  { " tiering \n", "tiering" },
		{ "2", "tiering" },	  { "\tboth", "both" },
		{ "3\n", "both" },
	};

	cgroup_make("t/words");
	for (unsigned int i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		set_mode("t/words", pairs[i][0]);
		CHECK_STR(cgroup_text("t/words", "cpu.numab.mode"),
			  pairs[i][1]);
	}
}

TEST(files_rubbish, "anything else is EINVAL and changes nothing")
{
	static const char *const bad[] = {
		"on",
		"OFF",
		"Normal",
		"norm",
		"normals",
		"off normal",
		"4",
		"-1",
		"00",
		"01",
		"0x1",
		"+1",
		"1.0",
		"\n",
		" ",
		"normal,tiering",
		"n\xc3\xb6rmal",
		"1 1",
		"%s%s%n",
	};
	static const char path[] = CGROUP_MOUNT "/t/bad/cpu.numab.mode";
	static char long_blanks[6000];
	char huge[4000];

	cgroup_make("t/bad");
	set_mode("t/bad", "normal");
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK_EQ(cgroup_write("t/bad", "cpu.numab.mode", bad[i]),
			 -EINVAL, "for \"%s\"", bad[i]);
	memset(huge, 'x', sizeof(huge));
	CHECK_EQ(file_write(path, huge, sizeof(huge)), -EINVAL);
	memset(huge, ' ', sizeof(huge));
	CHECK_EQ(file_write(path, huge, sizeof(huge)), -EINVAL);
	memset(long_blanks, ' ', sizeof(long_blanks));
	memcpy(long_blanks, "off", 3);
	/* Beyond a page the kernel itself refuses the whole of it. */
	CHECK_EQ(file_write(path, long_blanks, sizeof(long_blanks)), -E2BIG);
	CHECK_EQ(file_write(path, long_blanks, 4000), -EINVAL);
	CHECK_EQ(file_write(path, "off\0", 4), -EINVAL);
	CHECK_EQ(file_write(path, "off\0off", 7), -EINVAL);
	CHECK_EQ(file_write(path, "\0", 1), -EINVAL);
	CHECK_EQ(file_write(path, "", 0), 0); /* no write at all */
	CHECK_EQ(cgroup_write("t/bad", "cpu.numab.effective", "off"), -EINVAL);
	CHECK_STR(cgroup_text("t/bad", "cpu.numab.mode"), "normal");
	CHECK_STR(cgroup_text("t/bad", "cpu.numab.effective"), "normal");
	CHECK_EQ(status_number("settings"), 1);
}

TEST(files_load_balance, "cpu.numa_load_balance is a view of the same opinion")
{
	static const char *const bad[] = { "2",	      "3",  "normal", "off",
					   "inherit", "01", "",	      "x" };

	CHECK_EQ(set_sysctl("4"), 0);
	cgroup_make("t/seed");
	CHECK_STR(cgroup_text("t/seed", "cpu.numa_load_balance"), "0");
	CHECK_EQ(cgroup_write("t/seed", "cpu.numa_load_balance", "1\n"), 0);
	CHECK_STR(cgroup_text("t/seed", "cpu.numa_load_balance"), "1");
	CHECK_STR(cgroup_text("t/seed", "cpu.numab.mode"), "normal");
	CHECK_EQ(status_number("running"), 1);
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK_EQ(cgroup_write("t/seed", "cpu.numa_load_balance",
				      bad[i]),
			 *bad[i] ? -EINVAL : 0, "for \"%s\"", bad[i]);
	CHECK_STR(cgroup_text("t/seed", "cpu.numab.mode"), "normal");
	CHECK_EQ(cgroup_write("t/seed", "cpu.numa_load_balance", "0"), 0);
	CHECK_STR(cgroup_text("t/seed", "cpu.numab.mode"), "off");
	set_mode("t/seed", "both");
	CHECK_STR(cgroup_text("t/seed", "cpu.numa_load_balance"), "1");
	set_mode("t/seed", "tiering");
	CHECK_STR(cgroup_text("t/seed", "cpu.numa_load_balance"), "0");
}

TEST(files_fuzz, "a hundred thousand random writes change nothing unless valid")
{
	static const char alphabet[] = "oOfnrmaltiegbh0123 \n\t\0x-";
	static const char path[] = CGROUP_MOUNT "/t/fuzz/cpu.numab.mode";
	double end = now() + 10;
	unsigned int seed = 1;
	long taken = 0;

	cgroup_make("t/fuzz");
	for (int i = 0; i < 100000 && now() < end; i++) {
		char text[9];
		size_t len = rand_r(&seed) % 9;

		for (size_t j = 0; j < len; j++)
			text[j] = alphabet[rand_r(&seed) %
					   (sizeof(alphabet) - 1)];
		taken += len && !file_write(path, text, len);
	}
	printf("# %ld random words were modes\n", taken);
	CHECK(taken > 0);
	CHECK(!strstr(cgroup_text("t/fuzz", "cpu.numab.mode"), "invalid"));
}
