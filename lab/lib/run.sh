# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The directory $run of one run, and its end.

# The host's files of this run. Those of a script that was killed go now.
run_begin() {
	local dir pid

	for dir in "${TMPDIR:-/tmp}"/numab-vm.*.*; do
		pid=${dir#*numab-vm.}
		[[ ! -O $dir || -e /proc/${pid%.*} ]] || rm -rf "$dir"
	done
	run=$(mktemp -d "${TMPDIR:-/tmp}/numab-vm.$$.XXXXXX")
	trap run_end EXIT
	trap 'exit 130' INT TERM HUP
}

run_end() {
	[[ -z $emulator ]] || kill "$emulator" 2>/dev/null || :
	[[ -z $log || ! -e $run/log ]] || cp "$run/log" "$log" || :
	rm -rf "$run"
}
