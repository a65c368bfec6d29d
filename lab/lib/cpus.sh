# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The processors of a topology: how many, in which sockets, with which
# last-level caches. The statements are explained in topology.sh.

# How many CPUs there are must be known when the nodes are read.
topology_read_cpus() {
	[[ $# == 1 && $1 =~ ^[1-8]$ ]] || topology_fail "want: cpus 1 to 8"
	((${#topology_nodes[@]} == 0)) ||
		topology_fail "cpus comes before the nodes"
	topology_cpus=$1
}

topology_read_sockets() {
	[[ $# == 1 || ($# == 3 && $2 == llcs && $3 =~ ^[124]$) ]] &&
		[[ $1 =~ ^[124]$ ]] ||
		topology_fail "want: sockets N [llcs N], each 1, 2 or 4"
	topology_sockets=$1 topology_llcs=$(($1 * ${3-1}))
}

topology_read_llc() {
	[[ ${1-} =~ ^(8|16|32)M$ ]] ||
		topology_fail "llc '${1-}': the emulator has 8M, 16M and 32M"
	topology_llc_size=${1%M}
	shift
	while (($# > 1)) && [[ $2 =~ ^[1-9][0-9]*$ ]]; do
		case $1 in
		ways) topology_llc_ways=$2 ;;
		line) topology_llc_line=$2 ;;
		*) break ;;
		esac
		shift 2
	done
	(($# == 0)) || topology_fail "cannot read '$*': want ways or line," \
		"each with a number"
}

# A cache's size comes with the processor's model. Several caches in a socket
# are dies; Linux looks for them in the leaf of caches that Intel has (4), as
# the one of AMD is not emulated without KVM. Leaf 0x1f, for dies, ends the
# emulator at its last subleaf: level hides it, and nobody needs it here. Where
# the interrupt controllers are reached through memory, one boot in ten stops.
qemu_cpu() {
	local intel=vendor=GenuineIntel,level=0xd,+x2apic

	case $topology_llc_size-$((topology_llcs / topology_sockets)) in
	8-*) echo "EPYC,$intel" ;;
	32-*) echo "EPYC-Milan,$intel" ;;
	16-1) echo max ;;
	16-*) echo "max,$intel" ;;
	esac
}
