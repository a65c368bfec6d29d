# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Paths and messages that every script of the lab shares.

LAB=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd -P)
PROJECT=${LAB%/*}
CACHE=${NUMAB_CACHE:-$PROJECT/.cache}
CURRENT=$CACHE/current

# Exit codes. A command's own status passes through, so these two lie where
# no test framework puts a verdict; usage is what getopt-style tools return.
# shellcheck disable=SC2034 # read by the scripts that source this file
readonly EXIT_USAGE=2 EXIT_UNCLEAN=124 EXIT_LOST=125

# All messages go to stderr: stdout belongs to the command in the guest.
say() {
	printf 'lab: %s\n' "$*" >&2
}

die() {
	say "$@"
	exit "$EXIT_USAGE"
}

# need_programs PROGRAM=PACKAGE... : name all that are missing at once.
need_programs() {
	local pair missing=()

	for pair; do
		command -v "${pair%%=*}" >/dev/null || missing+=("${pair##*=}")
	done
	((${#missing[@]} == 0)) ||
		die "missing on this machine: apt-get install ${missing[*]}"
}

# The cache may belong to somebody else, say root: the remedy is a second one.
cache_prepare() {
	{ mkdir -p "$CACHE" && [[ -w $CACHE ]]; } 2>/dev/null ||
		die "cannot write to the cache $CACHE: set NUMAB_CACHE to" \
			"a folder of your own"
}

# Print the rows of a data file without comments.
data_rows() {
	sed 's/[[:space:]]*#.*//; /^[[:space:]]*$/d' "$1"
}
