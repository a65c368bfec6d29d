// SPDX-License-Identifier: GPL-2.0
/*
 * A write holds an active reference on its file: the cgroup stays alive, and
 * removing the file waits for us while holding cgroup_mutex. So nothing here
 * may take that mutex or wait for somebody who does.
 */
#include <linux/kernfs.h>

#include "../decide/cache.h"
#include "files.h"
#include "groups.h"
#include "kernel.h"
#include "policies.h"
#include "settings.h"
#include "view.h"

/* No valid write is anywhere near as long as this, in bytes. */
#define WRITE_MAX 32

static ssize_t write_opinion(struct kernfs_open_file *of, int opinion,
			     size_t len)
{
	int err = numab_settings_write(of_css(of), opinion, of->file);

	return err ? err : len;
}

static int parse(const char *buf, size_t len, int *ret_opinion)
{
	return len > WRITE_MAX ? -EINVAL :
				 numab_opinion_parse(buf, len, ret_opinion);
}

static int mode_show(struct seq_file *seq, void *v)
{
	int opinion;

	rcu_read_lock();
	opinion = numab_own_opinion(seq_css(seq));
	rcu_read_unlock();
	seq_printf(seq, "%s\n", numab_opinion_name(opinion));
	return 0;
}

static ssize_t mode_write(struct kernfs_open_file *of, char *buf, size_t len,
			  loff_t off)
{
	int opinion;
	int err = parse(buf, len, &opinion);

	return err ? err : write_opinion(of, opinion, len);
}

static int effective_mode(struct seq_file *seq)
{
	int mode;

	rcu_read_lock();
	mode = numab_view_of_css(seq_css(seq)).mode;
	rcu_read_unlock();
	return mode;
}

/* What the files say; policies may take from it, or say where they do not. */
static int effective_show(struct seq_file *seq, void *v)
{
	bool policies;

	rcu_read_lock();
	policies = numab_policies_above(seq_css(seq));
	rcu_read_unlock();
	seq_printf(seq, "%s%s\n", numab_opinion_name(effective_mode(seq)),
		   policies ? " policies" : "");
	return 0;
}

/* The file of the first mail thread: a view of the same opinion. */
static int load_balance_show(struct seq_file *seq, void *v)
{
	seq_printf(seq, "%d\n", !!(effective_mode(seq) & NUMAB_NORMAL));
	return 0;
}

static ssize_t load_balance_write(struct kernfs_open_file *of, char *buf,
				  size_t len, loff_t off)
{
	int opinion;
	int err = parse(buf, len, &opinion);

	/* Of the words, only the digits 0 and 1 have a meaning here. */
	if (err || !memchr(buf, '0' + (opinion & 1), len) ||
	    (opinion != NUMAB_OFF && opinion != NUMAB_NORMAL))
		return -EINVAL;
	return write_opinion(of, opinion, len);
}

static void show_value(struct seq_file *seq, unsigned int value, char end)
{
	if (value)
		seq_printf(seq, "%u%c", value, end);
	else
		seq_printf(seq, "default%c", end);
}

/* A file for one knob; which one stands in its cftype. */
static int knob_show(struct seq_file *seq, void *v)
{
	struct numab_tuning own;

	rcu_read_lock();
	own = numab_own_tuning(seq_css(seq));
	rcu_read_unlock();
	show_value(seq, own.value[seq_cft(seq)->private], '\n');
	return 0;
}

static ssize_t knob_write(struct kernfs_open_file *of, char *buf, size_t len,
			  loff_t off)
{
	enum numab_knob knob = of_cft(of)->private;
	struct numab_tuning values;
	int err = -EINVAL;

	if (len <= WRITE_MAX)
		err = numab_knob_parse(knob, buf, len, &values.value[knob]);
	if (!err)
		err = numab_settings_tune(of_css(of), BIT(knob), &values,
					  of->file);
	return err ? err : len;
}

static int period_show(struct seq_file *seq, void *v)
{
	struct numab_tuning own;
	unsigned int min, max;

	rcu_read_lock();
	own = numab_own_tuning(seq_css(seq));
	rcu_read_unlock();
	min = own.value[KNOB_SCAN_PERIOD_MIN];
	max = own.value[KNOB_SCAN_PERIOD_MAX];
	if (min || max)
		show_value(seq, min, ' ');
	show_value(seq, max, '\n');
	return 0;
}

#ifdef CONFIG_SCHED_CACHE
static int cache_show(struct seq_file *seq, void *v)
{
	const char *word;
	int value;

	rcu_read_lock();
	value = numab_own_cache(seq_css(seq));
	rcu_read_unlock();
	word = numab_cache_word(value);
	if (word)
		seq_printf(seq, "%s\n", word);
	else
		seq_printf(seq, "%d\n", value);
	return 0;
}

static ssize_t cache_write(struct kernfs_open_file *of, char *buf, size_t len,
			   loff_t off)
{
	int value, err = -EINVAL;

	if (len <= WRITE_MAX)
		err = numab_cache_parse(buf, len, &value);
	if (!err)
		err = numab_settings_set_cache(of_css(of), value, of->file);
	return err ? err : len;
}
#endif

static ssize_t period_write(struct kernfs_open_file *of, char *buf, size_t len,
			    loff_t off)
{
	struct numab_tuning values;
	int err = -EINVAL;

	if (len <= WRITE_MAX)
		err = numab_scan_period_parse(
			buf, len, &values.value[KNOB_SCAN_PERIOD_MIN],
			&values.value[KNOB_SCAN_PERIOD_MAX]);
	if (!err)
		err = numab_settings_tune(of_css(of),
					  BIT(KNOB_SCAN_PERIOD_MIN) |
						  BIT(KNOB_SCAN_PERIOD_MAX),
					  &values, of->file);
	return err ? err : len;
}

/* What holds: own, else the nearest above, else the kernel's. */
static int tuning_show(struct seq_file *seq, void *v)
{
	struct numab_tuning effective;
	unsigned int i;

	rcu_read_lock();
	effective = *numab_view_tuning(numab_view_of_css(seq_css(seq)));
	rcu_read_unlock();
	for (i = 0; i < NR_KNOBS; i++)
		seq_printf(seq, "%s %u\n", numab_knobs[i].name,
			   effective.value[i] ? effective.value[i] :
						numab_kernel_knob(i));
	return 0;
}

static int stat_show(struct seq_file *seq, void *v)
{
	struct numab_counters sum = {};
	unsigned int i;

	numab_groups_sum(seq_css(seq), &sum);
	for (i = 0; i < NR_COUNTERS; i++)
		seq_printf(seq, "%s %llu\n", numab_counter_names[i],
			   sum.value[i]);
	return 0;
}

static struct cftype files[] = {
	{
		.name = "numab.mode",
		.flags = CFTYPE_NOT_ON_ROOT,
		.seq_show = mode_show,
		.write = mode_write,
	},
	{
		.name = "numab.effective",
		.flags = CFTYPE_NOT_ON_ROOT,
		.seq_show = effective_show,
	},
	{
		.name = "numab.stat",
		.flags = CFTYPE_NOT_ON_ROOT,
		.seq_show = stat_show,
	},
	{
		.name = "numab.hot_threshold_ms",
		.flags = CFTYPE_NOT_ON_ROOT,
		.private = KNOB_HOT_THRESHOLD,
		.seq_show = knob_show,
		.write = knob_write,
	},
	{
		.name = "numab.scan_size_mb",
		.flags = CFTYPE_NOT_ON_ROOT,
		.private = KNOB_SCAN_SIZE,
		.seq_show = knob_show,
		.write = knob_write,
	},
	{
		.name = "numab.promote_mbps",
		.flags = CFTYPE_NOT_ON_ROOT,
		.private = KNOB_PROMOTE_RATE,
		.seq_show = knob_show,
		.write = knob_write,
	},
	{
		.name = "numab.scan_period_ms",
		.flags = CFTYPE_NOT_ON_ROOT,
		.seq_show = period_show,
		.write = period_write,
	},
#ifdef CONFIG_SCHED_CACHE
	{
		.name = "numab.cache",
		.flags = CFTYPE_NOT_ON_ROOT,
		.seq_show = cache_show,
		.write = cache_write,
	},
#endif
	{
		.name = "numab.tuning",
		.flags = CFTYPE_NOT_ON_ROOT,
		.seq_show = tuning_show,
	},
	{
		.name = "numa_load_balance",
		.flags = CFTYPE_NOT_ON_ROOT,
		.seq_show = load_balance_show,
		.write = load_balance_write,
	},
	{},
};

int numab_files_init(void)
{
	return kernel_cgroup_add_dfl_cftypes(numab_cpu_cgrp_subsys, files);
}

void numab_files_exit(void)
{
	kernel_cgroup_rm_cftypes(files);
}
