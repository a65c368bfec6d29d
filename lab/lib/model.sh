# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The machine that lab/latency models, made of the topology; the statements
# are listed in lab/latency/model.h.

# model_bytes 64K : as a number.
model_bytes() {
	local size=${1/K/*1024}

	size=${size/M/*1048576} size=${size/G/*1073741824}
	echo $((size))
}

# model_memory API : where QEMU puts the nodes' memory. One after the other,
# with a hole from QEMU_LOW_RAM to 4 GB.
# Version 1 of the plugin interface shows another address: the place in QEMU's
# list of RAM, plus the place in the machine's RAM; both are the sum of the
# nodes before.
model_memory() {
	local node size low at=0 end

	for node in "${!topology_node_memory[@]}"; do
		size=$(model_bytes "${topology_node_memory[node]}")
		end=$((at + size)) low=$((QEMU_LOW_RAM - at))
		((low < size)) || low=$size
		((low > 0)) || low=0
		if (($1 == 1)); then
			echo "memory $((2 * at)) $size $node"
		else
			((low == 0)) || echo "memory $at $low $node"
			((low == size)) || echo "memory $((at + low -
				QEMU_LOW_RAM + 4294967296)) $((size - low)) $node"
		fi
		at=$end
	done
}

# Which CPUs share a cache follows from their numbers, as QEMU counts them.
model_cpus() {
	local node cpu range cpus=${topology_cpus:-$TOPOLOGY_CPUS}
	local caches=${topology_llcs:-$topology_sockets}

	for node in "${!topology_node_cpus[@]}"; do
		range=${topology_node_cpus[node]}
		[[ -n $range ]] || continue
		for ((cpu = ${range%-*}; cpu <= ${range#*-}; cpu++)); do
			echo "cpu $cpu $node $((cpu / (cpus / caches)))"
		done
	done
}

# Where the topology gives no latency, its distances do: 10 are 80 ns.
model_pairs() {
	local nodes=${#topology_node_memory[@]} from to value pair words

	for ((from = 0; from < nodes; from++)); do
		for ((to = 0; to < nodes; to++)); do
			value=20
			((from != to)) || value=10
			echo "latency $from $to $((8 * value))"
		done
	done
	for pair in "${topology_pairs[@]}"; do
		read -ra words <<<"$pair"
		[[ ${words[0]} == distance ]] || continue
		value=$((8 * words[3]))
		echo "latency ${words[1]} ${words[2]} $value"
		echo "latency ${words[2]} ${words[1]} $value"
	done
	for pair in "${topology_pairs[@]}"; do
		[[ $pair == distance* ]] || echo "$pair"
	done
}

# model_write API : the later of two statements on the same thing holds.
model_write() {
	local size=${latency_cache:-${topology_llc_size:-16}M}

	[[ $latency_mode == count ]] || echo "delay $latency_scale"
	echo "interval $latency_interval"
	echo "cache $(model_bytes "$size") ${topology_llc_ways:-16}" \
		"${topology_llc_line:-64}"
	model_cpus
	model_memory "$1"
	model_pairs
	echo "table $run/latency"
	[[ -z $latency_json ]] || echo "json $latency_json"
}
