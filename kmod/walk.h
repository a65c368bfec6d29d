/* SPDX-License-Identifier: GPL-2.0 */
/* What both walks of ours over an address space ask about a mapping. */
#ifndef NUMAB_WALK_H
#define NUMAB_WALK_H

#include <linux/hugetlb_inline.h>
#include <linux/mm.h>

#include "kernel.h"

/* Can its memory be marked and move? mmap lock read. */
static inline bool numab_walk_is_suitable(struct vm_area_struct *vma)
{
	return vma->vm_mm && kernel_vma_migratable(vma) &&
	       kernel_vma_policy_mof(vma) && !is_vm_hugetlb_page(vma) &&
	       !(vma->vm_flags & VM_MIXEDMAP);
}

/* The kind that the kernel never scans for placement. */
static inline bool numab_walk_is_read_only_file(
	const struct vm_area_struct *vma)
{
	return vma->vm_file && vma->vm_flags & VM_READ &&
	       !(vma->vm_flags & VM_WRITE);
}

#endif
