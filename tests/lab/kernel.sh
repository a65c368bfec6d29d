# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Kernels and modules by name.

kernel_of() {
	data_rows "$LAB/kernels" | awk '{ print $1 }' | sed -n "$1p"
}

test_every_kernel_loads_a_module() {
	local name ko

	for name in $(data_rows "$LAB/kernels" | awk '{ print $1 }'); do
		ko=$("$LAB/kbuild" -k "$name" "$PROJECT/tests/lab/warn" \
			2>"$work/err" | tail -n 1)
		vm -k "$name" --module "$ko quiet=1" -- \
			'uname -r; cat /sys/module/warn/parameters/quiet
			ls /sys/kernel/btf/warn'
		want_status 0
		want_output "$(<"$CACHE/current/kernels/$name/release")
Y
/sys/kernel/btf/warn"
	done
}

test_build_leaves_sources_clean() {
	local before after

	before=$(ls -A "$PROJECT/tests/lab/warn")
	"$LAB/kbuild" "$PROJECT/tests/lab/warn" >/dev/null 2>"$work/err"
	after=$(ls -A "$PROJECT/tests/lab/warn")
	[[ $before == "$after" ]] || fail "the build left files: $after"
	"$LAB/kbuild" "$PROJECT/tests/lab/warn" >/dev/null 2>"$work/err"
	! grep -q 'CC ' "$work/err" || fail "a second build compiles again"
}

test_unlisted_kernel_falls_back() {
	vm -k 5.99 -- uname -r
	want_status 0
	want_error 'lab/kernels has no 5.99, only .*; using '
	want_output "$(<"$CACHE/current/kernels/$(kernel_of 1)/release")"
}

test_rubbish_kernel_is_refused() {
	vm -k rubbish -- true
	want_status 2
	want_error "no kernel 'rubbish': lab/kernels has $(kernel_of 1)"
}

test_failed_build_is_refused() {
	local status=0

	mkdir -p "$work/broken"
	echo 'obj-m := broken.o' >"$work/broken/Kbuild"
	echo 'no C' >"$work/broken/broken.c"
	"$LAB/kbuild" "$work/broken" >"$work/out" 2>"$work/err" || status=$?
	want_status 2
	want_error 'broken does not build for kernel'
	want_error 'broken.c:1'
	[[ ! -s $work/out ]] || fail "a path for a module that is not there"
}

test_missing_file_is_refused() {
	vm -f /no/such/file -- true
	want_status 2
	want_error "no file '/no/such/file'"
}

test_command_needs_dashes() {
	vm true
	want_status 2
	want_error 'put -- before the command'
}

# Instructions are the guest's time: few seconds, however slow this machine is.
test_icount_counts_instructions() {
	local loop='i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'

	vm --icount -- "$loop; cut -d' ' -f1 /proc/uptime"
	want_status 0
	awk '{ exit !($1 > 1 && $1 < 5) }' "$work/out" ||
		fail "an uptime of $(<"$work/out") s"
	vm --icount --kvm -- true
	want_status 2
	want_error 'icount is for emulation'
}
