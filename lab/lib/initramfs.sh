# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The guest's file system: a cached archive with busybox and init, then one
# made for this boot. The kernel unpacks archives that follow each other.

cpio_pack() {
	(cd "$1" && find . -mindepth 1 -print0 |
		cpio --quiet -0 -o -H newc -R 0:0)
}

# Print the path of the archive that all guests share.
initramfs_base() {
	local busybox key archive work

	busybox=$(command -v busybox)
	key=$(cat "$LAB/init.c" "$LAB/lib/initramfs.sh" "$busybox" |
		sha256sum | cut -c1-16)
	archive=$CACHE/guest/base-$key.cpio
	printf '%s\n' "$archive"
	[[ ! -e $archive ]] || return 0
	mkdir -p "$CACHE/guest"
	work=$(mktemp -d "$CACHE/guest/work.XXXXXX")
	mkdir -p "$work"/tree/{bin,dev,etc,lab/bin,proc,root,run,sys,tmp,usr}
	cp "$busybox" "$work/tree/bin/busybox"
	busybox --list | while read -r applet; do
		[[ $applet == busybox ]] ||
			ln -s busybox "$work/tree/bin/$applet"
	done
	ln -s bin "$work/tree/sbin"
	ln -s ../bin "$work/tree/usr/bin"
	ln -s ../bin "$work/tree/usr/sbin"
	echo 'root:x:0:0:root:/root:/bin/sh' >"$work/tree/etc/passwd"
	echo 'root:x:0:' >"$work/tree/etc/group"
	gcc -O2 -Wall -Wno-unused-result -Werror -static -o "$work/tree/init" "$LAB/init.c" ||
		die "cannot compile lab/init.c: apt-get install libc6-dev"
	cpio_pack "$work/tree" >"$work/archive"
	mv "$work/archive" "$archive"
	rm -rf "$work"
}

# add_libraries TREE PROGRAM : its shared libraries and their loader, under
# the paths that they have here. Nothing for a static program or a script.
add_libraries() {
	local tree=$1 output library

	output=$(ldd "$2" 2>/dev/null) || return 0
	! grep -q 'not found' <<<"$output" ||
		die "$2 wants a library that this machine does not have:" \
			"$(grep 'not found' <<<"$output")"
	grep -oE '/[^ ]+' <<<"$output" | while read -r library; do
		[[ ! -e $tree$library ]] || continue
		mkdir -p "$tree${library%/*}"
		cp -L "$library" "$tree$library"
	done
	# The loader finds libraries outside of /lib by it.
	[[ -e $tree/etc/ld.so.cache || ! -e /etc/ld.so.cache ]] || {
		mkdir -p "$tree/etc"
		cp /etc/ld.so.cache "$tree/etc/"
	}
}

# initramfs_add_file TREE FILE : a program into /lab/bin, the rest into /lab.
initramfs_add_file() {
	local tree=$1 file=$2 target=$1/lab program

	[[ -e $file ]] || die "no file '$file'"
	[[ -r $file ]] || die "cannot read '$file'"
	[[ ! -f $file || ! -x $file ]] || target=$tree/lab/bin
	mkdir -p "$target"
	cp -RL "$file" "$target/" || die "cannot copy '$file'"
	find -L "$file" -type f -perm -u+x -print0 |
		while IFS= read -r -d '' program; do
			add_libraries "$tree" "$program"
		done
}

# initramfs_add_module TREE "FILE.ko [PARAMETER...]"
initramfs_add_module() {
	local tree=$1 file=${2%% *} parameters='' number name

	[[ $2 != *' '* ]] || parameters=${2#* }
	[[ -f $file ]] || die "no module '$file'"
	mkdir -p "$tree/lab/ko"
	number=$(wc -l 2>/dev/null <"$tree/lab/modules" || echo 0)
	name=$number/${file##*/}
	mkdir -p "$tree/lab/ko/$number"
	cp "$file" "$tree/lab/ko/$name"
	printf '/lab/ko/%s %s\n' "$name" "$parameters" >>"$tree/lab/modules"
}

# initramfs_set_command TREE ARGUMENT... : exactly as given.
initramfs_set_command() {
	local tree=$1
	shift

	(($# == 0)) || printf '%s\0' "$@" >"$tree/lab/command"
}

# initramfs_write TREE FILE
initramfs_write() {
	local base
	base=$(initramfs_base)

	cpio_pack "$1" | cat "$base" - >"$2"
}
