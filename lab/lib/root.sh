# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The build root: Debian packages unpacked into a folder, never configured.

# Installing a kernel takes initramfs tools (and udev and systemd behind them)
# and linux-base, in a version that differs between suites. Nothing is installed
# here, so the lab itself stands in for them.
root_begin_status() {
	cat >"$1" <<-END
		Package: numab-lab
		Status: install ok installed
		Maintainer: lab
		Architecture: amd64
		Version: 1
		Provides: linux-initramfs-tool, linux-base (= 999)
		Description: stands in for what installing a kernel takes

	END
}

# root_unpack ROOT DEB... : base-files goes first, for it brings the links
# /bin -> usr/bin that the others' paths must run through.
root_unpack() {
	local root=$1 deb first=()
	shift

	for deb; do
		[[ ${deb##*/} != base-files_* ]] || first=("$deb")
	done
	((${#first[@]} == 0)) || dpkg-deb -x "${first[0]}" "$root"
	printf '%s\0' "$@" | xargs -0 -P 2 -I{} dpkg-deb -x {} "$root"
}

# What maintainer scripts would have made, as far as a build needs it.
root_finish() {
	mkdir -p "$1"/{build,dev,proc,tmp}
	[[ -e $1/usr/bin/awk ]] || ln -s mawk "$1/usr/bin/awk"
	[[ -e $1/usr/bin/cc ]] || ln -s gcc "$1/usr/bin/cc"
}

# root_register STATUS DEB... : tell apt what the root has from now on.
root_register() {
	local status=$1 deb
	shift

	for deb; do
		dpkg-deb -f "$deb" | sed '1a Status: install ok installed'
		echo
	done >>"$status"
}

# As root a mount namespace is enough; an ordinary user needs a user namespace
# for it.
root_check() {
	local ns=(--mount)

	((EUID == 0)) || ns+=(--map-root-user)
	unshare "${ns[@]}" true 2>/dev/null && return
	((EUID != 0)) ||
		die "this root may not mount (CAP_SYS_ADMIN is missing): run" \
			"the container privileged, or as an ordinary user with" \
			"user namespaces"
	die "unprivileged user namespaces are off: as root, run" \
		"'sysctl -w kernel.unprivileged_userns_clone=1" \
		"kernel.apparmor_restrict_unprivileged_userns=0'" \
		"(whichever exists), or run the lab as root"
}

# root_run DIR COMMAND... : run COMMAND in the build root, DIR being /build.
root_run() {
	local ns=(--mount) dir=$1
	shift

	((EUID == 0)) || ns+=(--map-root-user)
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare "${ns[@]}" -- bash -euc '
		mount --rbind /dev "$1/dev"
		mount --rbind /proc "$1/proc"
		mount --bind "$2" "$1/build"
		exec env -i PATH=/usr/bin:/usr/sbin HOME=/tmp LC_ALL=C \
			/usr/sbin/chroot "$1" "${@:3}"
	' root_run "$CURRENT/root" "$dir" "$@"
}
