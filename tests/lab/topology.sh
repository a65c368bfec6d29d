# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Each topology: what the guest's kernel sees is what the data says.

. "$LAB/lib/topology.sh"

# Run in the guest: nodes, their distances, tiers (fastest first), caches, and
# the scheduler's domains of CPU 0 from the smallest up, without the distances.
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
	for c in cpu[0-9]*/cache/index3; do
		echo "cache $(cat $c/shared_cpu_list) of $(cat $c/size)," \
			"$(cat $c/ways_of_associativity) ways"
	done | sort -u
	dmesg | sed -n "/CPU0 attaching/,/CPU1 attaching/s/.*domain-[0-9]: //p" |
		grep -v level=NUMA || :'

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

expected_caches() {
	local step=$((topology_cpus / topology_llcs)) cpu

	for ((cpu = 0; cpu < topology_cpus; cpu += step)); do
		echo "cache $(as_list "$cpu" $((cpu + step - 1))) of" \
			"$((topology_llc_size * 1024))K, 16 ways"
	done
}

# The scheduler's domains of CPU 0 below those of distances: what shares a cache
# and what shares a node, where these have several CPUs and differ.
expected_domains() {
	local cache=$((topology_cpus / topology_llcs - 1))
	local node=${topology_node_cpus[0]#*-}

	((cache == 0)) || echo "span=0-$cache level=MC"
	((node <= cache)) || echo "span=0-$node level=PKG"
}

# Nodes with CPUs come first in all topologies and make the fast tier.
expected_topology() {
	local last=$((${#topology_node_memory[@]} - 1)) fast=-1 from to row

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
	expected_caches
	expected_domains
}

check_topology() {
	topology_read "$2"
	vm -k "$1" -t "$2" --append sched_verbose -- "$topology_probe"
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

# want_cache_aware TOPOLOGY ANSWER : what the newest kernel says of it.
want_cache_aware() {
	vm -t "$1" --append sched_verbose -- \
		'dmesg | sed -n "s/.*_active_set: //p" | tail -n 1'
	want_status 0
	want_output "$2"
}

test_several_caches_make_scheduling_cache_aware() {
	want_cache_aware 1n+2llc 'enabling cache aware scheduling'
	want_cache_aware 2s+4llc 'enabling cache aware scheduling'
	want_cache_aware 1s \
		'cache aware scheduling not supported on this platform'
}
