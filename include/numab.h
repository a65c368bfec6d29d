/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT */
/*
 * A process's own NUMA balancing: the interface of /dev/numab.
 *
 * Copy this header into your program: nothing else is needed, no library, and
 * it compiles as C99 and as C++. Where numab is not loaded every call returns
 * -ENOENT and nothing else happens.
 *
 *	if (numab_set_mode(NUMAB_SELF, NUMAB_MODE_OFF) < 0)
 *		;	// as the kernel does without numab
 *
 * A setting belongs to the process: to all its threads, from whichever it is
 * made. A child has it from fork(), vfork(), clone() and posix_spawn(); it is
 * kept over execve() and goes with the process. After the execve() of a
 * set-user-ID, set-group-ID or file-capability program, restrictions stay and
 * whatever makes balancing heavier is dropped.
 *
 * The mode that holds is the intersection of the process's own, of its
 * cgroup's and of every cgroup's above; where none says anything, what
 * kernel.numa_balancing says. It decides whether the process is scanned, takes
 * hint faults and is placed by them. Whether its memory moves at a fault is
 * decided by the mode of the cgroup that the memory is charged to: a process
 * that enables more than its cgroup does not move that cgroup's memory.
 * Of the values, the nearest holds: the process's
 * own, then its cgroup's, and so on up, at last the kernel's.
 *
 * Permission: a process may set itself, and whom it may trace (ptrace(2)) or
 * has CAP_SYS_NICE over. What makes balancing heavier than it would be without
 * the setting needs CAP_SYS_NICE in the initial user namespace, since it costs
 * the whole machine. A setting made without it never makes balancing heavier
 * than it would be without the setting, also when that becomes less later.
 *
 * Protocol: open /dev/numab (anyone may), then ioctl() with a pointer to a
 * struct numab_attr. Its first member is the size that the caller was compiled
 * with: a kernel that knows more fields takes the missing ones as 0, one that
 * knows fewer refuses (-E2BIG) when one that it does not know is not 0.
 */
#ifndef NUMAB_UAPI_H
#define NUMAB_UAPI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define NUMAB_DEVICE "/dev/numab"

/* Modes: sets of mechanisms, with the values of kernel.numa_balancing. */
#define NUMAB_MODE_INHERIT (-1) /* no opinion of its own */
#define NUMAB_MODE_OFF	   0
#define NUMAB_MODE_NORMAL  1 /* move tasks and pages between top-tier nodes */
#define NUMAB_MODE_TIERING 2 /* promote hot pages from a slow tier */
#define NUMAB_MODE_BOTH	   3

/* Instead of a pidfd: the calling process. */
#define NUMAB_SELF (-1)

/* Which members a write is about. The others stay as they are. */
#define NUMAB_FIELD_MODE	  0x01u
#define NUMAB_FIELD_HOT_THRESHOLD 0x02u
#define NUMAB_FIELD_SCAN_SIZE	  0x04u
#define NUMAB_FIELD_SCAN_PERIOD	  0x08u /* both bounds */
#define NUMAB_FIELD_PROMOTE	  0x10u
#define NUMAB_FIELD_CACHE	  0x20u
#define NUMAB_FIELDS_ALL	  0x3fu

/*
 * On which CPUs cache-aware scheduling (Linux 7.3) may gather the threads: one
 * of these, or a tolerance from 0 to 100 in place of the kernel's
 * aggr_tolerance. See cpu.numab.cache in numab-cgroup(7).
 */
#define NUMAB_CACHE_ALWAYS (-3)
#define NUMAB_CACHE_NEVER  (-2)
#define NUMAB_CACHE_AUTO   (-1)

/* In a value: none of its own. */
#define NUMAB_DEFAULT 0u

struct numab_attr {
	__u32 size;   /* sizeof(struct numab_attr), in bytes */
	__s32 pidfd;  /* whom: a pidfd (pidfd_open(2)), or NUMAB_SELF */
	__u32 fields; /* NUMAB_FIELD_..., for a write; a read ignores it */
	__s32 mode;   /* NUMAB_MODE_... */
	/* Values of its own, or NUMAB_DEFAULT. The largest is "no limit". */
	__u32 hot_threshold_ms;	  /* 1 to 600000 */
	__u32 scan_size_mb;	  /* 1 to 65536 */
	__u32 scan_period_min_ms; /* 10 to 120000 */
	__u32 scan_period_max_ms; /* 10 to 120000, not below the other */
	__u32 promote_mbps;	  /* 1 to 1048576; MB/s */
	/* Only read: */
	__s32 cgroup_mode; /* what its cgroups say together, or _INHERIT */
	/*
	 * What holds for it. BPF policies are asked for whoever has
	 * CAP_SYS_NICE; others read what holds without them.
	 */
	__s32 effective_mode;
	/* Read and written, as NUMAB_FIELD_CACHE. */
	__s32 cache; /* NUMAB_CACHE_..., or a tolerance */
};

/*
 * Read a process's settings. Returns 0, or -1 and errno: EBADF (no pidfd),
 * ESRCH (gone), EPERM (not yours to see), EINVAL (a kernel thread, or a bad
 * size), E2BIG, EFAULT.
 */
#define NUMAB_IOC_GET _IO(0xba, 0x01)

/*
 * Write the fields that are named. All of them or, on failure, none. Returns
 * 0, or -1 and errno: as above, and EINVAL (a value that cannot be, or an
 * unknown field), EPERM (also: heavier than is free), EOPNOTSUPP (this kernel
 * cannot run with it; see `numab status`), EBUSY (a livepatch holds a decision
 * point), ENOMEM.
 */
#define NUMAB_IOC_SET _IO(0xba, 0x02)

#ifndef __KERNEL__

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#ifdef O_CLOEXEC
#define NUMAB_OPEN_FLAGS (O_RDWR | O_CLOEXEC)
#else /* glibc shows it to POSIX.1-2008, not to strict C99 */
#define NUMAB_OPEN_FLAGS (O_RDWR | __O_CLOEXEC)
#endif

static inline int numab_call(unsigned long request, struct numab_attr *attr)
{
	int fd = open(NUMAB_DEVICE, NUMAB_OPEN_FLAGS);
	int err = 0;

	if (fd < 0)
		return -errno;
	attr->size = sizeof(*attr);
	if (ioctl(fd, request, attr) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* Read the settings of a process. 0, or a negative errno as above. */
static inline int numab_get(int pidfd, struct numab_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->pidfd = pidfd;
	return numab_call(NUMAB_IOC_GET, attr);
}

/* Write attr's fields to the process that attr names. The same. */
static inline int numab_set(struct numab_attr *attr)
{
	return numab_call(NUMAB_IOC_SET, attr);
}

/* Set the mode of a process. The same. */
static inline int numab_set_mode(int pidfd, int mode)
{
	struct numab_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.pidfd = pidfd;
	attr.fields = NUMAB_FIELD_MODE;
	attr.mode = mode;
	return numab_set(&attr);
}

#endif
#endif
