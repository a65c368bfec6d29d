# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The state of the cache: $CURRENT links to one complete result of lab/fetch,
# and $CURRENT/sets/SET says which content of the data files made each set.

# The data files say what a fetch yields: same content, same result.
cache_key() {
	{ data_rows "$LAB/kernels"; data_rows "$LAB/packages"; } | sha256sum | cut -d' ' -f1
}

cache_has() {
	[[ -e $CURRENT/sets/$1 && $(<"$CURRENT/sets/$1") == "$(cache_key)" ]]
}

# Fetching needs the lock alone, users of the build root share it.
cache_lock() {
	exec {cache_lock_fd}>"$CACHE/lock"
	flock -n "$1" "$cache_lock_fd" && return
	say "waiting for another lab/fetch or build to end"
	flock "$1" "$cache_lock_fd"
}

# Whoever needs a set calls this; it costs nothing when it is there.
cache_need() {
	cache_has "$1" || "$LAB/fetch" "$1" || exit
}

# A new state, to be filled and then published; leftovers of a fetch that was
# interrupted go away.
cache_begin() {
	local dir

	for dir in "$CACHE"/fetched.*/; do
		[[ $CURRENT -ef $dir ]] || rm -rf "$dir"
	done
	dir=$(mktemp -d "$CACHE/fetched.XXXXXX")
	chmod 755 "$dir"
	printf '%s\n' "$dir"
}

# Switch the link, then drop the former state: the lock keeps builds out of it.
cache_publish() {
	local new=$1 set=$2 old

	old=$(readlink "$CURRENT" || :)
	rm -f "$new/sets/$set"
	cache_key >"$new/sets/$set"
	ln -sfn "${new##*/}" "$CURRENT.new"
	mv -T "$CURRENT.new" "$CURRENT"
	rm -rf "$CACHE/apt" ${old:+"$CACHE/$old"}
}
