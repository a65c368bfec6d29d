# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# lab/vm --latency: counts of accesses that are known are exact, on each node.

build_accesses() {
	[[ -x $work/accesses ]] || gcc -O2 -Wall -Werror -static -D_GNU_SOURCE \
		-o "$work/accesses" "$PROJECT/tests/lab/latency/accesses.c"
}

# The rows of the sections in the plugin's table, as accesses prints them.
sections_of() {
	awk '$1 == "section" { name = $2; if (NF < 9) next }
		$1 == "section" { print $1, $2, $3, $4, $5, $6, $7, $8 }
		/^ +[0-9?]/ && name { print "section", name, $1, $2, $3, $4, $5, $6 }
		$1 == "space" { exit }' "$1" | sort -V
}

check_counts() {
	vm -t "$1" --latency count,cache=64K -f "$work/accesses" -- \
		'echo 0 >/proc/sys/kernel/numa_balancing; accesses count '"$2"
	want_status 0
	sort -V "$work/out" >"$work/want"
	[[ -s $work/want ]] || fail "the program counted nothing"
	sections_of "$work/err" >"$work/is"
	diff "$work/want" "$work/is" >"$work/diff" ||
		fail "$1: counts differ (<: the program's, >: the plugin's):" \
			"$(<"$work/diff")"
	! grep -qE '^(machine)? +\?' "$work/err" ||
		fail "$1: accesses outside of the nodes' memory"
}

# Below 4 GB, above, and with the hole inside of a node.
test_latency_counts_are_exact_on_every_node() {
	build_accesses
	check_counts 2s 2
	check_counts 2s+cxl 3
	printf '%s\n' 'sockets 2' 'node 0 cpus 0-1 memory 1536M' \
		'node 1 cpus 2-3 memory 1G' 'distance 0 1 21' >"$work/split"
	check_counts "$work/split" 2
}

# The guest's clock cannot show less than what was waited for, but for the
# sleep that is still owed and the one that was too long before.
test_latency_delay_is_felt() {
	local waited

	build_accesses
	vm -t 2s+cxl --latency delay,scale=500,cache=64K,json="$work/json" \
		-f "$work/accesses" -- accesses wait 2
	want_status 0
	waited=$(<"$work/out")
	((waited >= 64 * 64 * 250 * 500 - 1000000)) ||
		fail "the guest saw $waited ns pass"
	grep -q '"mode": "delay", "scale": 500' "$work/json" ||
		fail "no report in JSON"
}

test_latency_refuses_what_it_cannot_do() {
	vm --latency slow -- true
	want_status 2
	want_error "--latency 'slow': want count or delay"
	vm --latency count,cache=big -- true
	want_status 2
	want_error "option 'cache=big': want scale=N"
	vm --latency count --kvm -- true
	want_status 2
	want_error 'needs emulation'
	vm --icount --latency delay -- true
	want_status 2
	want_error 'makes the host wait'
	NUMAB_QEMU=true vm --latency count -- true
	want_status 2
	want_error 'true has no plugins'
}
