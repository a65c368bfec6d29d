# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Each topology: what the guest's kernel sees is what the data says.

. "$LAB/lib/topology.sh"

# Run in the guest: nodes, their distances, tiers (fastest first), caches.
topology_probe='
	cd /sys/devices/system/node
	for n in node[0-9]*; do
		echo "$n cpus $(cat $n/cpulist) distance $(cat $n/distance)"
	done
	cd /sys/devices/virtual/memory_tiering
	for t in $(ls -d memory_tier[0-9]* | sort -k 1.12n); do
		echo "tier $(cat $t/nodelist)"
	done
	cd /sys/devices/system/cpu
	cat cpu[0-9]*/cache/index3/shared_cpu_list | sort -u |
		sed "s/^/cache /"'

# as_list FIRST LAST : as the kernel writes ranges.
as_list() {
	if (($1 == $2)); then echo "$1"; else echo "$1-$2"; fi
}

expected_distance() {
	local from=$1 to=$2 pair value=20

	(($1 != $2)) || value=10
	for pair in "${topology_pairs[@]}"; do
		case $pair in
		"distance $from $to "* | "distance $to $from "*)
			value=${pair##* } ;;
		esac
	done
	echo "$value"
}

# Nodes with CPUs come first in all topologies and make the fast tier.
expected_topology() {
	local last=$((${#topology_node_memory[@]} - 1)) fast=-1 from to row step

	for ((from = 0; from <= last; from++)); do
		row=
		for ((to = 0; to <= last; to++)); do
			row+=" $(expected_distance "$from" "$to")"
		done
		echo "node$from cpus ${topology_node_cpus[from]} distance$row"
		[[ -z ${topology_node_cpus[from]} ]] || fast=$from
	done
	echo "tier $(as_list 0 "$fast")"
	((fast == last)) || echo "tier $(as_list $((fast + 1)) "$last")"
	step=$((TOPOLOGY_CPUS / topology_sockets))
	for ((from = 0; from < TOPOLOGY_CPUS; from += step)); do
		echo "cache $(as_list "$from" $((from + step - 1)))"
	done
}

check_topology() {
	topology_read "$2"
	vm -k "$1" -t "$2" -- "$topology_probe"
	want_status 0
	want_output "$(expected_topology)"
}

test_every_topology_is_as_its_data() {
	local kernel name

	kernel=$(data_rows "$LAB/kernels" | awk 'NR == 1 { print $1 }')
	for name in $(topology_names); do
		check_topology "$kernel" "$name"
	done
}

test_every_kernel_knows_the_slow_tier() {
	local kernel

	for kernel in $(data_rows "$LAB/kernels" | awk 'NR > 1 { print $1 }'); do
		check_topology "$kernel" 2s+cxl
	done
}

test_unknown_topology_is_refused() {
	vm -t 9s -- true
	want_status 2
	want_error "no topology '9s': lab/topologies has .*2s"
}

# want_bad_line NUMBER MESSAGE LINE... : a file with these lines.
want_bad_line() {
	local number=$1 message=$2
	shift 2

	printf '%s\n' "$@" >"$work/bad"
	vm -t "$work/bad" -- true
	want_status 2
	want_error "bad:$number: $message"
}

test_bad_topology_names_the_line() {
	local node0='node 0 cpus 0-3 memory 1G'

	want_bad_line 2 "unknown word 'nod'" '# x' 'nod 0 cpus 0 memory 1G'
	want_bad_line 1 "cpus '0-9'" 'node 0 cpus 0-9 memory 1G'
	want_bad_line 1 "memory '1X'" 'node 0 cpus 0-3 memory 1X'
	want_bad_line 1 "memory ''" 'node 0 cpus 0-3'
	want_bad_line 1 'cannot read' 'node 0 cpus 0-3 memory 1G color red'
	want_bad_line 2 "node '2'" "$node0" 'node 2 cpus 1 memory 1G'
	want_bad_line 2 'node 1 has no CPUs' "$node0" 'node 1 memory 1G'
	want_bad_line 2 'distance 0 1' "$node0" 'distance 0 1 20'
	want_bad_line 2 'want: distance' "$node0" 'distance 0 0'
	want_bad_line 1 'want: sockets' 'sockets 3' "$node0"
	want_bad_line 1 'not all of CPUs' 'node 0 cpus 0-2 memory 1G'
	want_bad_line 2 'CPU 3 is in two' "$node0" 'node 1 cpus 3 memory 1G'
}
