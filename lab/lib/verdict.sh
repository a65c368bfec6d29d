# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# What a finished machine means: the command's status, an unclean kernel log,
# or a lost machine.

# What a healthy kernel never says.
LOG_FAULTS='WARNING:|BUG:|Oops|general protection|Call Trace|UBSAN|KASAN'
LOG_FAULTS+='|rcu: INFO: .*(stall|detected)|detected stalls|INFO: task '
LOG_FAULTS+='|soft lockup|hard LOCKUP|Kernel panic|possible .* locking'

# None is no error.
log_faults() {
	grep -nE "$LOG_FAULTS" "$run/log" || :
}

# The log stays for whoever looks for the reason; old ones go.
log_keep() {
	local name

	mkdir -p "$CACHE/logs"
	name=$(date +%Y%m%d-%H%M%S)-$kernel-${topology##*/}-$$.log
	cp "$run/log" "$CACHE/logs/$name"
	find "$CACHE/logs" -name '*.log' -printf '%T@ %p\n' | sort -rn |
		tail -n +51 | cut -d' ' -f2- | xargs -r -d '\n' rm -f
	printf '%s\n' "$CACHE/logs/$name"
}

# The lines from the first fault on, with what it is about.
log_excerpt() {
	local first

	first=$(log_faults | head -n 1 | cut -d: -f1)
	[[ -z $first ]] ||
		sed -n "$first,$((first + ${1:-20} - 1))p" "$run/log" >&2
}

verdict_lost() {
	say "lost VM: $*"
	log_excerpt
	say "kernel log: $(log_keep)"
	exit "$EXIT_LOST"
}

# verdict_judge QEMU_STATUS
verdict_judge() {
	local verdict='' last

	[[ -e $run/log ]] || : >"$run/log"
	sed -i 's/\r//g' "$run/log"
	[[ ! -e $run/verdict ]] || verdict=$(<"$run/verdict")
	case $verdict in
	'error '*) verdict_lost "${verdict#error }" ;;
	esac
	if [[ $verdict =~ ^exit\ ([0-9]+)$ && $1 == 0 ]]; then
		verdict_finished "${BASH_REMATCH[1]}"
	fi
	if grep -q 'Kernel panic' "$run/log"; then
		verdict_lost "kernel panic"
	elif (($1 == 124 || $1 == 137)); then
		last=$(tail -n 1 "$run/log")
		verdict_lost "timeout after $timeout s; last line of the log:" \
			"${last:-none}"
	elif (($1 != 0)); then
		verdict_lost "QEMU ended with status $1:" \
			"$(tail -n 5 "$run/qemu")"
	fi
	verdict_lost "no verdict ('$verdict'), the machine went down by itself"
}

verdict_finished() {
	if [[ -n $(log_faults) ]]; then
		say "kernel log not clean (the command returned $1):"
		log_faults | head -n 20 >&2
		log_excerpt 40
		say "kernel log: $(log_keep)"
		exit "$EXIT_UNCLEAN"
	fi
	(($1 == 0)) || log_keep >/dev/null
	exit "$1"
}
