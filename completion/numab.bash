# SPDX-License-Identifier: GPL-2.0
# bash completion for numab(8)
# shellcheck shell=bash

# Cgroups below the tree's root, as numab takes them: /a/b, a/b, or a
# directory of the mount.
_numab_cgroups() {
	local root=/sys/fs/cgroup cur=$1 prefix=
	[[ -e $root/cgroup.controllers ]] || root=$root/unified
	if [[ $cur == /sys* ]]; then
		compgen -d -- "$cur"
		return
	fi
	[[ $cur == /* ]] && prefix=/
	(cd "$root" 2>/dev/null && compgen -d -- "${cur#/}") | sed "s|^|$prefix|"
}

_numab() {
	local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
	local common='--help --usage --version'
	local -A options=(
		[status]='--json'
		[list]='--all --json --set --tasks'
		[get]='--json'
		[explain]='--json'
		[set]='--verbose'
		[run]='--cache --if-loaded --hot-threshold-ms --scan-size-mb --scan-period-ms --promote-mbps'
		[task]='--cache --json --hot-threshold-ms --scan-size-mb --scan-period-ms --promote-mbps'
		[policy]='--cgroup --json --name --replace --set --verbose'
		[unload]='--force'
		[help]=''
	)
	local modes='inherit off normal tiering both' i words=0 values
	local hints='auto never always'
	local keys='hot_threshold_ms= scan_size_mb= scan_period_ms= promote_mbps= cache='

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		mapfile -t COMPREPLY < <(compgen -W "${!options[*]} $common" -- "$cur")
		return
	fi
	# After -- it is another program's turn.
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [[ $command == run && ${COMP_WORDS[i]} == -- ]]; then
			if declare -F _command_offset >/dev/null; then
				_command_offset $((i + 1))
			fi
			return
		fi
	done
	if [[ ${COMP_WORDS[COMP_CWORD - 1]} == --cache ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$hints" -- "$cur")
		return
	fi
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "${options[$command]-} $common" -- "$cur")
		return
	fi
	for ((i = 2; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} == -* ]] || ((words++))
	done
	case $command:$words in
	policy:0)
		mapfile -t COMPREPLY < <(compgen -W 'load check list show get set unload' -- "$cur")
		;;
	policy:1)
		case ${COMP_WORDS[2]} in
		load | check)
			compopt -o filenames 2>/dev/null
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
			;;
		show | get | set | unload)
			mapfile -t COMPREPLY < <(cd /sys/fs/bpf/numab 2>/dev/null && compgen -d -- "$cur")
			;;
		esac
		;;
	list:0 | get:0 | set:0)
		compopt -o filenames -o nospace 2>/dev/null
		mapfile -t COMPREPLY < <(_numab_cgroups "$cur")
		;;
	set:*)
		# The shell makes KEY=VALUE three words.
		if [[ $cur == = || ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
			values='default max'
			[[ $cur == = ]] && i=$((COMP_CWORD - 1)) || i=$((COMP_CWORD - 2))
			[[ ${COMP_WORDS[i]} == cache ]] && values=$hints
			mapfile -t COMPREPLY < <(compgen -W "$values" -- "${cur#=}")
			return
		fi
		((words == 1)) || modes=
		mapfile -t COMPREPLY < <(compgen -W "$modes $keys" -- "$cur")
		if [[ ${COMPREPLY[*]} == *= ]]; then
			compopt -o nospace 2>/dev/null
		fi
		;;
	run:0 | task:1)
		mapfile -t COMPREPLY < <(compgen -W "$modes" -- "$cur")
		;;
	task:0)
		mapfile -t COMPREPLY < <(cd /proc && compgen -d -X '!*([0-9])' -- "$cur")
		;;
	help:0)
		mapfile -t COMPREPLY < <(compgen -W "${!options[*]}" -- "$cur")
		;;
	esac
}

complete -F _numab numab
