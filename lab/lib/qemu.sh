# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The emulated machine. Four channels leave it, none mixed with another: the
# kernel's console (a file, the log), the command's stdout and stderr, and the
# verdict. The directory $run holds the host's ends.

# Slow emulation is no fault: the watchdogs wait longer than on hardware. A
# warning or an oops ends the machine at once.
KERNEL_ARGUMENTS=(console=ttyS0 loglevel=7 oops=panic panic_on_warn=1 panic=-1
	rcupdate.rcu_cpu_stall_timeout=120 watchdog_thresh=60
	sysctl.kernel.hung_task_timeout_secs=120)

# Where memory ends below 4 GB; what is more lies above. QEMU would choose by
# the size of all memory.
QEMU_LOW_RAM=$((2 << 30))

# The lab's own emulator runs outside of the build root, under its own loader:
# so paths mean the same in it as here, and no namespace is needed.
qemu_program() {
	local root=$CURRENT/root

	if [[ -n ${NUMAB_QEMU-} ]]; then
		printf '%s\n' "$NUMAB_QEMU"
		return
	fi
	printf '%s\n' "$root/lib64/ld-linux-x86-64.so.2" \
		--library-path "$root/usr/lib/x86_64-linux-gnu" \
		"$root/usr/bin/qemu-system-x86_64" \
		-L "$root/usr/share/qemu" -L "$root/usr/share/seabios"
}

qemu_port() {
	printf '%s\n' -chardev "file,id=$1,path=$run/$1" \
		-device "virtserialport,chardev=$1,name=$1"
}

qemu_arguments() {
	printf '%s\n' -nodefaults -no-user-config -no-reboot -display none \
		-device virtio-serial-pci \
		-chardev "file,id=log,path=$run/log" -serial chardev:log
	if [[ -n $interactive ]]; then
		printf '%s\n' -chardev stdio,id=tty,mux=on,signal=off \
			-serial chardev:tty
	else
		qemu_port stdout
		qemu_port stderr
	fi
	qemu_port verdict
	if [[ -n $kvm ]]; then
		printf '%s\n' -accel kvm -cpu host
	elif [[ -n $icount ]]; then
		printf '%s\n' -accel tcg,thread=single -cpu "$(qemu_cpu)" \
			-icount shift=0,sleep=off
	else
		printf '%s\n' -accel tcg,thread=multi -cpu "$(qemu_cpu)"
	fi
}

qemu_distance() {
	local lb="hmat-lb,initiator=$2,target=$3,hierarchy=memory"

	case $1 in
	distance) printf '%s\n' -numa "dist,src=$2,dst=$3,val=$4" ;;
	latency) printf '%s\n' -numa \
		"$lb,data-type=access-latency,latency=$4" ;;
	bandwidth) printf '%s\n' -numa \
		"$lb,data-type=access-bandwidth,bandwidth=$4G" ;;
	esac
}

# What topology_read found, as arguments, one a line.
qemu_numa_arguments() {
	local id pair node total=0 hmat=off size

	for id in "${!topology_node_memory[@]}"; do
		size=${topology_node_memory[id]}
		printf '%s\n' -object "memory-backend-ram,id=m$id,size=$size"
		node="node,nodeid=$id,memdev=m$id"
		node+=${topology_node_cpus[id]:+,cpus=${topology_node_cpus[id]}}
		node+=${topology_node_near[id]:+,initiator=${topology_node_near[id]}}
		printf '%s\n' -numa "$node"
		size=${size/G/*1024}
		total=$((total + ${size%M}))
	done
	for pair in "${topology_pairs[@]}"; do
		# shellcheck disable=SC2086 # a list of words
		qemu_distance $pair
		[[ $pair == distance* ]] || hmat=on
	done
	printf '%s\n' -machine "q35,hmat=$hmat" -m "${total}M" -smp \
		"$topology_cpus,sockets=$topology_sockets,dies=$((
			topology_llcs / topology_sockets)),cores=$((
			topology_cpus / topology_llcs)),threads=1"
}

# To be called in a subshell, which it becomes. The machine must not outlive
# the script, whatever ends that: timeout dies with the script, and the emulator
# with timeout.
qemu_run() {
	local program arguments topology_list seconds=$timeout

	mapfile -t program < <(qemu_program)
	mapfile -t arguments < <(qemu_arguments)
	mapfile -t topology_list < <(qemu_numa_arguments)
	exec setpriv --pdeathsig TERM timeout --foreground -k 5 "$seconds" \
		setpriv --pdeathsig KILL "${program[@]}" \
		"${arguments[@]}" "${topology_list[@]}" "${latency_arguments[@]}" \
		-machine "max-ram-below-4g=$QEMU_LOW_RAM" \
		-kernel "$CURRENT/kernels/$kernel/vmlinuz" \
		-initrd "$run/initramfs" \
		-append "${KERNEL_ARGUMENTS[*]}${append:+ $append}" "$@"
}

# Run with the terminal; there is nothing to be copied.
qemu_run_interactive() {
	local status=0 size

	size=$(stty size 2>/dev/null || echo 24 80)
	append+=" TERM=${TERM:-linux} LINES=${size% *} COLUMNS=${size#* }"
	say "a shell in the guest; 'exit' ends it, Ctrl-a x kills it"
	(timeout=0 qemu_run) 2>"$run/qemu" || status=$?
	return "$status"
}

# Run a command: its output goes through FIFOs, which cat empties as it comes.
# The script holds them open for writing, so that no open waits for another, and
# that cat ends just when the machine and this hold are gone.
qemu_run_command() {
	local status=0 out err hold_out hold_err readers=()

	mkfifo "$run/stdout" "$run/stderr"
	exec {hold_out}<>"$run/stdout" {hold_err}<>"$run/stderr"
	exec {out}<"$run/stdout" {err}<"$run/stderr"
	setpriv --pdeathsig TERM cat <&"$out" {hold_out}>&- {hold_err}>&- &
	readers+=($!)
	setpriv --pdeathsig TERM cat <&"$err" >&2 {hold_out}>&- {hold_err}>&- &
	readers+=($!)
	qemu_run </dev/null >"$run/qemu" 2>&1 &
	emulator=$!
	wait "$emulator" || status=$?
	emulator=
	exec {hold_out}>&- {hold_err}>&-
	wait "${readers[@]}"
	return "$status"
}
