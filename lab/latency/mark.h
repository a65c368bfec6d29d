/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks: how a program in the guest tells the plugin of lab/vm --latency what
 * it does. A mark is one instruction, a no-op with a displacement that nobody
 * else uses; without the plugin, and on hardware, it does nothing.
 *
 *	mark_begin(3);		what this process does counts for section 3
 *	... the part of interest, by any number of threads ...
 *	mark_end();		back to the account that the process had
 *
 * Sections are 1 to 15, their names the caller's business. A section may be
 * entered any number of times and by several processes, and adds up. Where the
 * plugin cannot see address spaces (QEMU 7.2), a section is the CPU's and
 * counts whatever runs there: pin the process, one thread to a CPU.
 *
 *	mark_flush();		empty all caches: the next access misses
 *	mark_event();		a line with the time in the list of events
 */
#ifndef LAB_LATENCY_MARK_H
#define LAB_LATENCY_MARK_H

#define MARK_SECTIONS 16

/* nopl 0x4e4dKKNN(%rax): KK is the kind, NN the section. */
#define MARK_MAGIC 0x4e4d0000
enum {
	MARK_BEGIN = 1,
	MARK_END,
	MARK_FLUSH,
	MARK_EVENT,
};

#define MARK(kind, section)                                          \
	__asm__ volatile(".byte 0x0f, 0x1f, 0x80\n\t.long %c0"       \
			 :                                           \
			 : "i"(MARK_MAGIC | (kind) << 8 | (section)) \
			 : "memory")

#define MARK_CASE(section)                 \
	case section:                      \
		MARK(MARK_BEGIN, section); \
		break

static inline void mark_begin(int section)
{
	switch (section) {
		MARK_CASE(1);
		MARK_CASE(2);
		MARK_CASE(3);
		MARK_CASE(4);
		MARK_CASE(5);
		MARK_CASE(6);
		MARK_CASE(7);
		MARK_CASE(8);
		MARK_CASE(9);
		MARK_CASE(10);
		MARK_CASE(11);
		MARK_CASE(12);
		MARK_CASE(13);
		MARK_CASE(14);
		MARK_CASE(15);
	}
}

static inline void mark_end(void)
{
	MARK(MARK_END, 0);
}

static inline void mark_flush(void)
{
	MARK(MARK_FLUSH, 0);
}

static inline void mark_event(void)
{
	MARK(MARK_EVENT, 0);
}

#endif
