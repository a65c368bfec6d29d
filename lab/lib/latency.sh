# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# lab/vm --latency: the plugin of lab/latency, built for the emulator that is
# used, and the model that it reads, made of the topology.

LATENCY_WARNINGS=(-std=gnu11 -Wall -Wextra -Werror -Wshadow
	-Wno-unused-parameter)

# latency_parse MODE[,OPTION=VALUE...] : sets latency_* or dies.
latency_parse() {
	local word words

	IFS=, read -ra words <<<"$1"
	latency_mode=${words[0]-} latency_scale=20 latency_interval=250
	latency_json='' latency_cache=''
	[[ $latency_mode == count || $latency_mode == delay ]] ||
		die "--latency '$latency_mode': want count or delay"
	for word in "${words[@]:1}"; do
		case $word in
		scale=[1-9]*) latency_scale=${word#*=} ;;
		interval=[1-9]*) latency_interval=${word#*=} ;;
		cache=[1-9]*[KM]) latency_cache=${word#*=} ;;
		json=?*) latency_json=$(realpath -- "${word#*=}") ||
			die "no folder for ${word#*=}" ;;
		*) die "--latency option '$word': want scale=N, interval=MS," \
			"cache=64K or such, or json=FILE" ;;
		esac
	done
	[[ $latency_scale$latency_interval =~ ^[0-9]+$ ]] ||
		die "--latency: scale and interval want a number"
	[[ -z $kvm ]] || die "--latency needs emulation: leave out --kvm"
	[[ -z $icount || $latency_mode == count ]] ||
		die "--latency delay makes the host wait, which --icount hides"
}

# The functions that an emulator exports say which version its plugins have.
latency_api() {
	local program

	program=$CURRENT/root/usr/bin/qemu-system-x86_64
	[[ -z ${NUMAB_QEMU-} ]] || program=$(command -v "$NUMAB_QEMU") || :
	if grep -qa qemu_plugin_read_memory_vaddr "$program"; then
		echo 4
	elif grep -qa qemu_plugin_n_max_vcpus "$program"; then
		echo 1
	elif grep -qa qemu_plugin_register_atexit_cb "$program"; then
		die "$program has plugins of version 2 or 3; lab/latency" \
			"knows 1 (QEMU 7.2) and 4 (9.2 and newer)"
	else
		die "$program has no plugins: it was built without them," \
			"or is no emulator itself"
	fi
}

# latency_build API : print the path of the plugin.
latency_build() {
	local key plugin

	key=$(cat "$LAB"/latency/*.[ch] "$LAB/lib/latency.sh" |
		sha256sum | cut -c1-16)
	plugin=$CACHE/latency/plugin-$1-$key.so
	printf '%s\n' "$plugin"
	[[ ! -e $plugin ]] || return 0
	mkdir -p "$CACHE/latency"
	gcc -O2 -g "${LATENCY_WARNINGS[@]}" -D_GNU_SOURCE -DPLUGIN_API="$1" \
		-fPIC -shared -fvisibility=hidden -o "$plugin.$$" \
		"$LAB"/latency/{plugin,account,llc,model,report,series}.c \
		-lpthread || die "cannot compile lab/latency"
	mv "$plugin.$$" "$plugin"
}

# Called with the directory $run there: build, and write what the plugin reads.
latency_prepare() {
	[[ -n $latency ]] || return 0
	local api plugin

	api=$(latency_api) || exit
	plugin=$(latency_build "$api") || exit
	[[ -z $latency_json ]] || : >"$latency_json" ||
		die "cannot write to $latency_json"
	model_write "$api" >"$run/model"
	latency_arguments=(-plugin "file=$plugin,model=$run/model")
}

# The table goes to stderr, whatever the command returned.
latency_report() {
	[[ -z $latency ]] || cat "$run/latency" >&2 ||
		say "the emulator ended without a report"
}
