# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Every way in which a run may end, and that none is taken for another.

warn_module() {
	"$LAB/kbuild" "$PROJECT/tests/lab/warn" 2>"$work/err" | tail -n 1
}

test_success_is_0() {
	vm -- true
	want_status 0
	[[ ! -s $work/err ]] || fail "a message where there is nothing to say"
}

test_failure_keeps_its_status() {
	vm -- 'echo some text; exit 3'
	want_status 3
	want_output "some text"
}

test_signal_is_128_and_its_number() {
	# shellcheck disable=SC2016 # the guest's shell is meant
	vm -- 'kill -9 $$'
	want_status 137
}

test_missing_program_is_127() {
	vm -- no-such-program
	want_status 127
	want_error 'no-such-program: No such file'
}

test_hang_is_lost() {
	vm --timeout 10 -- sleep 1000
	want_status 125
	want_error 'lost VM: timeout after 10 s'
}

test_crash_is_lost() {
	vm -- 'echo c >/proc/sysrq-trigger'
	want_status 125
	want_error 'lost VM: kernel panic'
	want_error 'sysrq triggered crash'
	[[ -s $(sed -n 's/.*kernel log: //p' "$work/err") ]] ||
		fail "the log that the message names is not there"
}

test_warning_is_a_crash() {
	vm --module "$(warn_module)" -- true
	want_status 125
	want_error 'lost VM: kernel panic'
	want_error 'WARNING: .*warn_init'
}

test_warning_without_panic_is_unclean() {
	vm --module "$(warn_module)" --append panic_on_warn=0 -- true
	want_status 124
	want_error 'not clean \(the command returned 0\)'
	want_error 'WARNING: .*warn_init'
}

test_refused_module_is_lost() {
	vm --module "$(warn_module) refuse=1" -- true
	want_status 125
	want_error 'module warn.ko does not load: No such device'
}

test_power_off_without_verdict_is_lost() {
	vm -- poweroff -f
	want_status 125
	want_error 'lost VM: no verdict'
}

test_broken_emulator_is_lost() {
	NUMAB_QEMU=/bin/false vm -- true
	want_status 125
	want_error 'lost VM: QEMU ended with status 1'
}

# A command must not reach the verdict's port.
test_verdict_cannot_be_forged() {
	vm -- 'for p in /dev/vport*; do echo exit 0 >$p; done; exit 5'
	want_status 5
}
