# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Which kernel a name stands for. Fetched kernels lie in
# $CURRENT/kernels/NAME: vmlinuz, release, and the packages' own folders.

kernel_names() {
	data_rows "$LAB/kernels" | awk '{ print $1 }'
}

kernel_release() {
	cat "$CURRENT/kernels/$1/release"
}

# kernel_matches VERSION RELEASE : "6.12" and "6.12.4" match 6.12.4+deb13.
kernel_matches() {
	[[ $2 == "$1" || $2 == "$1"[.+-]* ]]
}

kernel_newest() {
	local name

	for name in $(kernel_names); do
		[[ ! -e $CURRENT/kernels/$name/release ]] ||
			printf '%s %s\n' "$(kernel_release "$name")" "$name"
	done | sort -V | tail -n 1 | cut -d' ' -f2
}

# Rubbish is refused before anything is fetched for it.
kernel_check_name() {
	kernel_names | grep -qxF -- "$1" || [[ $1 =~ ^[0-9]+(\.[0-9]+)*$ ]] ||
		die "no kernel '$1': lab/kernels has $(kernel_names |
			paste -sd' ')"
}

# kernel_resolve NAME : print the entry of lab/kernels to use. An archive moves
# on while scripts keep naming the old version, so that is only worth a note.
kernel_resolve() {
	local name=$1 entry newest release

	for entry in "$name" $(kernel_names); do
		release=$CURRENT/kernels/$entry/release
		[[ -e $release ]] || continue
		kernel_matches "$name" "$(<"$release")" || continue
		printf '%s\n' "$entry"
		return
	done
	newest=$(kernel_newest)
	if kernel_names | grep -qxF -- "$name"; then
		say "the archive no longer serves kernel $name;" \
			"using $(kernel_release "$newest")"
	else
		say "lab/kernels has no $name, only $(kernel_names |
			paste -sd' '); using $(kernel_release "$newest")"
	fi
	printf '%s\n' "$newest"
}
