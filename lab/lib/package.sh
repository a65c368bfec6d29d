# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Kernels as packages: finding them in the archive and unpacking them.

# Fill $new/kernels/NAME for each kernel that the archive has; print the names
# of the packages to download.
kernels_resolve() {
	local new=$1 name suite image real

	while read -r name suite image; do
		real=$(apt_real_name "$image" "$suite")
		if [[ -z $real ]]; then
			say "kernel $name: $suite has no $image; left out"
			continue
		fi
		say "kernel $name is ${real#linux-image-}"
		mkdir -p "$new/kernels/$name"
		printf '%s\n' "${real#linux-image-}" >"$new/kernels/$name/release"
		printf '%s\n' "$real" "${real/image/headers}"
	done < <(data_rows "$LAB/kernels")
}

# The image is in /boot up to 6.12 and beside the modules in newer packages.
kernel_unpack() {
	local dir=$1 release image deb debs=()
	release=$(<"$dir/release")

	for deb in "$APT"/archives/linux-{image,binary,modules,base}-"$release"_*.deb; do
		[[ ! -e $deb ]] || debs+=("$deb")
	done
	root_unpack "$dir" "${debs[@]}"
	for image in usr/lib/modules/"$release"/vmlinuz boot/vmlinuz-"$release"; do
		[[ ! -e $dir/$image ]] || ln -sf "$image" "$dir/vmlinuz"
	done
	[[ -e $dir/vmlinuz ]] ||
		die "no kernel image in ${debs[*]##*/}: the packages of" \
			"$release are split in a way that lab/fetch does not know"
}
