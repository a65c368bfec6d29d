# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Topologies: data in lab/topologies, one statement a line.
#
#   cpus N                          1 to 8, numbered from 0 (default 4)
#   sockets N [llcs M]              the CPUs are spread over N sockets, each
#                                   with M last-level caches (default 1 and 1)
#   llc SIZE [ways N] [line N]      of each of these caches; the emulator can
#                                   show the guest 8M, 16M or 32M (default
#                                   16M), and 16 ways of 64 bytes, which is
#                                   the default. Other ways and lines are
#                                   known to a model of the cache only.
#   node ID [cpus A-B] memory SIZE [near ID]
#                                   SIZE as 512M or 1G; a node without CPUs
#                                   names the node it hangs on
#   distance A B VALUE              both ways, as in the SLIT (11-254)
#   latency FROM TO NANOSECONDS     HMAT: access from the CPUs of FROM
#   bandwidth FROM TO GIGABYTES     HMAT: a second
#
# topology_read fills the variables topology_*: nodes, node_cpus, node_memory,
# node_near and pairs are arrays; cpus, sockets, llcs (of all sockets), llc_size
# (in MiB), llc_ways and llc_line are numbers.

. "$LAB/lib/cpus.sh"

topology_names() {
	(cd "$LAB/topologies" && printf '%s\n' *)
}

topology_fail() {
	die "${topology_file#"$PROJECT"/}:$topology_line: $*"
}

topology_check_range() {
	[[ $1 =~ ^[0-9](-[0-9])?$ ]] &&
		((${1%-*} <= ${1#*-} && ${1#*-} < topology_cpus))
}

topology_read_node() {
	local id=$1 cpus='' memory='' near=''
	shift

	[[ $id == "${#topology_nodes[@]}" ]] ||
		topology_fail "node '$id': the next one is" \
			"${#topology_nodes[@]}"
	while (($# > 1)); do
		case $1 in
		cpus) cpus=$2 ;;
		memory) memory=$2 ;;
		near) near=$2 ;;
		*) break ;;
		esac
		shift 2
	done
	(($# == 0)) || topology_fail "cannot read '$*': want cpus, memory" \
		"or near, each with a value"
	[[ -z $cpus ]] || topology_check_range "$cpus" ||
		topology_fail "cpus '$cpus': want A or A-B within" \
			"0-$((topology_cpus - 1))"
	[[ $memory =~ ^[1-9][0-9]*[MG]$ ]] ||
		topology_fail "memory '$memory': want a size as 512M or 1G"
	[[ -n $cpus || $near =~ ^[0-9]+$ ]] ||
		topology_fail "node $id has no CPUs: say which node it is near"
	topology_nodes+=("$cpus $memory $near")
	topology_node_cpus+=("$cpus")
	topology_node_memory+=("$memory")
	topology_node_near+=("$near")
}

topology_read_pair() {
	local what=$1

	[[ $# == 4 && $4 =~ ^[1-9][0-9]*$ ]] ||
		topology_fail "want: $what NODE NODE NUMBER"
	[[ $2 =~ ^[0-9]+$ && $3 =~ ^[0-9]+$ ]] &&
		(($2 < ${#topology_nodes[@]} && $3 < ${#topology_nodes[@]})) ||
		topology_fail "$what $2 $3: nodes are declared above, and here" \
			"are 0 to $((${#topology_nodes[@]} - 1))"
	[[ $what != distance ]] || (($4 > 10 && $4 < 255)) ||
		topology_fail "distance $4: want 11 to 254"
	topology_pairs+=("$what $2 $3 $4")
}

# Each CPU must be in one node; QEMU would only warn.
topology_check_cpus() {
	local range cpu seen=''

	for range in "${topology_node_cpus[@]}"; do
		[[ -n $range ]] || continue
		for ((cpu = ${range%-*}; cpu <= ${range#*-}; cpu++)); do
			[[ $seen != *$cpu* ]] ||
				topology_fail "CPU $cpu is in two nodes"
			seen+=$cpu
		done
	done
	((${#seen} == topology_cpus)) ||
		topology_fail "not all of CPUs 0-$((topology_cpus - 1)) are" \
			"in a node"
	((topology_cpus % topology_llcs == 0)) ||
		topology_fail "$topology_cpus CPUs do not share $topology_llcs" \
			"caches evenly"
}

# topology_read NAME : a slash in it means a file from elsewhere.
topology_read() {
	local words

	topology_file=$LAB/topologies/$1 topology_line=0
	[[ $1 != */* ]] || topology_file=$1
	[[ -f $topology_file ]] ||
		die "no topology '$1': lab/topologies has $(topology_names |
			paste -sd' ')"
	topology_nodes=() topology_pairs=()
	topology_cpus=4 topology_sockets=1 topology_llcs=1
	topology_llc_size=16 topology_llc_ways=16 topology_llc_line=64
	topology_node_cpus=() topology_node_memory=() topology_node_near=()
	while read -ra words; do
		topology_line=$((topology_line + 1))
		case ${words[0]-} in
		'' | '#'*) ;;
		cpus) topology_read_cpus "${words[@]:1}" ;;
		sockets) topology_read_sockets "${words[@]:1}" ;;
		llc) topology_read_llc "${words[@]:1}" ;;
		node) topology_read_node "${words[@]:1}" ;;
		distance | latency | bandwidth)
			topology_read_pair "${words[@]}" ;;
		*) topology_fail "unknown word '${words[0]}'" ;;
		esac
	done <"$topology_file"
	((${#topology_nodes[@]} > 0)) || topology_fail "no node"
	topology_check_cpus
}
