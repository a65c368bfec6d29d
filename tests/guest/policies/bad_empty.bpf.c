// SPDX-License-Identifier: GPL-2.0
/* To be refused: it has no program. */
#include "numab_bpf.h"

NUMAB_POLICY(bad_empty, .may_enable = NUMAB_BOTH);
