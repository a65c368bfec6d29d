// SPDX-License-Identifier: GPL-2.0
/* Is asked about each folio, and has no opinion. */
#include "numab_bpf.h"

SEC("struct_ops/mode")
int BPF_PROG(each_folio_mode, struct task_struct *task, struct folio *folio)
{
	return NUMAB_NO_OPINION;
}

NUMAB_POLICY(each_folio, .mode = (void *)each_folio_mode,
	     .flags = NUMAB_EACH_FOLIO);
