# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# What goes into the guest and what comes out of it.

test_arguments_arrive_unchanged() {
	local arguments=('a b' "q'\"q" $'new\nline' '' '$x `y` \z' '*' "")

	vm -- printf '<%s>' "${arguments[@]}"
	want_status 0
	want_output "$(printf '<%s>' "${arguments[@]}")"
}

test_output_streams_stay_apart() {
	vm -- 'echo one; echo two >&2; echo three >/dev/stdout
		echo four >/dev/stderr'
	want_status 0
	want_output $'one\nthree'
	[[ $(<"$work/err") == $'two\nfour' ]] || fail "stderr is mangled"
}

# All byte values, more than any buffer on the way holds.
test_megabyte_arrives_whole() {
	local index

	for ((index = 0; index < 256; index++)); do
		printf "\\x$(printf %x "$index")"
	done >"$work/bytes"
	for ((index = 0; index < 12; index++)); do
		cat "$work/bytes" "$work/bytes" >"$work/twice"
		mv "$work/twice" "$work/bytes"
	done
	vm -f "$work/bytes" -- cat bytes
	want_status 0
	cmp "$work/bytes" "$work/out" || fail "1 MB came back changed"
}

test_stdin_is_left_alone() {
	[[ $(echo untouched | { vm -- cat; cat; }) == untouched ]] ||
		fail "lab/vm read its standard input"
}

test_dynamic_program_runs() {
	vm -f "$(command -v cmp)" -- cmp --version
	want_status 0
	grep -q GNU "$work/out" || fail "not the host's program"
}

test_guest_has_what_it_promises() {
	vm --log "$work/log" -- 'set -e
		for c in cpu memory cpuset pids; do
			grep -qw $c /sys/fs/cgroup/cgroup.subtree_control
		done
		for d in /proc /sys /dev /tmp /run /sys/fs/bpf /sys/fs/cgroup \
			/sys/kernel/debug /sys/kernel/tracing; do
			grep -q " $d " /proc/mounts
		done
		ping -c 1 127.0.0.1 >/dev/null
		nproc; pwd; id -u'
	want_status 0
	want_output $'4\n/lab\n0'
	grep -q 'lab: command starts' "$work/log" || fail "no mark in the log"
}

# Nothing may be left: neither the machine, nor what carries its output, for
# which a pipe behind the script would wait for ever. The worst moment is when
# the emulator has not yet opened its ends, so this one never does.
test_nothing_outlives_the_script() {
	local pid mark=numab_selftest_$$

	printf '%s\n' '#!/bin/bash' 'exec -a "qemu $*" sleep 1000' \
		>"$work/stuck"
	chmod +x "$work/stuck"
	NUMAB_QEMU=$work/stuck "$LAB/vm" --no-module --append "$mark" \
		-- true 2>/dev/null \
		> >(cat; : >"$work/closed") &
	pid=$!
	disown
	wait_until 30 pgrep -f "^qemu.*$mark" >/dev/null ||
		fail "the emulator does not start"
	kill -KILL "$pid"
	wait_until 30 emulator_is_gone "$mark" || fail "the emulator lives on"
	wait_until 30 test -e "$work/closed" || fail "the output stays open"
}

emulator_is_gone() {
	! pgrep -f "qemu.*$1" >/dev/null
}
