# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Copies of source trees for building. Files are compared by content, so that
# what did not change keeps its time stamp and make has nothing to do.

# What a build in the source folder itself may have left there.
TREE_IGNORE=(-name '*.o' -o -name '*.ko' -o -name '*.mod' -o -name '*.mod.c'
	-o -name '.*.cmd' -o -name '.*.d' -o -name Module.symvers
	-o -name modules.order -o -name .git -o -name .cache)

# tree_list BASE PATH... : the files below each PATH, relative to BASE.
tree_list() {
	local base=$1 path
	shift

	cd "$base" || exit
	for path; do
		find "./$path" '(' "${TREE_IGNORE[@]}" ')' -prune \
			-o -type f -print
	done | sort -u
}

# tree_copy BASE TARGET PATH... : make TARGET/PATH equal to BASE/PATH, and take
# away there what an earlier call copied and the source no longer has.
tree_copy() {
	local base=$1 target=$2 file
	shift 2

	mkdir -p "$target"
	tree_list "$base" "$@" >"$target/.list.new"
	while IFS= read -r file; do
		cmp -s "$base/$file" "$target/$file" && continue
		mkdir -p "$target/${file%/*}"
		cp "$base/$file" "$target/$file"
	done <"$target/.list.new"
	if [[ -e $target/.list ]]; then
		comm -23 "$target/.list" "$target/.list.new" |
			while IFS= read -r file; do
				rm -f "$target/$file"
			done
	fi
	mv "$target/.list.new" "$target/.list"
}
