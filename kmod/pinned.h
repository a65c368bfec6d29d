/* SPDX-License-Identifier: GPL-2.0 */
/* Tasks whose memory is pinned to one node; the switch scan_pinned. */
#ifndef NUMAB_PINNED_H
#define NUMAB_PINNED_H

#include <linux/types.h>

#include "../decide/pinned.h"

/* How current's memory is pinned. From task work of current. */
enum numab_pin numab_pinned_current(void);

/*
 * Is current pinned in a way in which the kernel's own scan leaves it alone,
 * though the switch wants it scanned?
 */
bool numab_pinned_wants_own_scan(void);

/*
 * Must the scan gate be hooked for pinned tasks alone, while the kernel
 * balances: since the kernel does not skip them itself, or since the switch
 * says other than it does?
 */
bool numab_pinned_needs_gate(void);

#endif
