/* SPDX-License-Identifier: GPL-2.0 */
/* Force-included: every line of ours in the kernel's log begins alike. */
#undef pr_fmt
#define pr_fmt(fmt) "numab: " fmt
