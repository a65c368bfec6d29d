# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# What is wrong in a topology's data is said, with its line.

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
	want_bad_line 1 'want: sockets' 'sockets 2 llcs 3' "$node0"
	want_bad_line 1 'want: cpus' 'cpus 9' "$node0"
	want_bad_line 2 'cpus comes before' "$node0" 'cpus 8'
	want_bad_line 3 '6 CPUs do not share 4' 'sockets 2 llcs 2' \
		'cpus 6' 'node 0 cpus 0-5 memory 1G'
	want_bad_line 1 "llc '7M': the emulator has" 'llc 7M' "$node0"
	want_bad_line 1 "cannot read 'ways'" 'llc 8M ways' "$node0"
	want_bad_line 1 'not all of CPUs' 'node 0 cpus 0-2 memory 1G'
	want_bad_line 2 'CPU 3 is in two' "$node0" 'node 1 cpus 3 memory 1G'
}
