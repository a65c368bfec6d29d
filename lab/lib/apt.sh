# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# A private apt: its own lists, cache and list of installed packages (that of
# the build root), but the host's proxy, credentials and keys. It only resolves
# and downloads; nothing is ever installed on the host.

APT=$CACHE/apt

# Where this machine gets Debian from. No address is written in the project.
apt_mirror() {
	local targets uri

	# shellcheck disable=SC2016 # apt's own variables
	targets=$(apt-get indextargets \
		--format '$(LABEL) $(REPO_URI)' 'Created-By: Packages')
	# Before the first "apt-get update" there are no labels.
	uri=$(awk '$1 == "Debian" { print $2; exit }' <<<"$targets")
	[[ -n $uri ]] || uri=$(awk '!/security/ { print $NF; exit }' \
		<<<"$targets")
	uri=${NUMAB_MIRROR:-$uri}
	[[ -n $uri ]] ||
		die "apt knows no package repository: configure a Debian one" \
			"or set NUMAB_MIRROR to its URI"
	printf '%s\n' "$uri"
}

apt_suites() {
	{
		data_rows "$LAB/packages" | awk '$1 == "suite" { print $2 }'
		data_rows "$LAB/kernels" | awk '{ print $2 }'
	} | sort -u
}

# apt_configure STATUS : STATUS is the dpkg status of the build root.
apt_configure() {
	local mirror suite key

	mirror=$(apt_mirror)
	mkdir -p "$APT"/{lists,archives}/partial "$APT"/{none,keys}
	for suite in $(apt_suites); do
		printf 'deb %s %s main\n' "$mirror" "$suite"
	done >"$APT/sources.list"
	for key in /etc/apt/trusted.gpg.d/*.{asc,gpg} \
		/usr/share/keyrings/debian-archive-keyring.gpg; do
		[[ ! -e $key ]] || ln -sf "$key" "$APT/keys/"
	done
	cat >"$APT/apt.conf" <<-END
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
		APT::Architecture "amd64";
		#clear APT::Architectures;
		APT::Architectures { "amd64"; };
		APT::Install-Recommends "false";
		APT::Default-Release "";
		APT::Sandbox::User "";
		Acquire::Languages "none";
		Acquire::Retries "3";
		Dir::Cache "$APT";
		Dir::Cache::archives "archives/";
		Dir::State "$APT";
		Dir::State::lists "lists/";
		Dir::State::status "$1";
		Dir::Etc::sourcelist "$APT/sources.list";
		Dir::Etc::sourceparts "$APT/none";
		Dir::Etc::preferences "$APT/none/none";
		Dir::Etc::preferencesparts "$APT/none";
		Dir::Etc::trustedparts "$APT/keys";
	END
}

# The file is given with -c: one in APT_CONFIG would be read before the host's
# own files, which then would win.
apt_get() {
	LC_ALL=C apt-get -c "$APT/apt.conf" -q -y "$@"
}

apt_update() {
	say "fetching package lists ($(apt_suites | paste -sd' '))"
	apt_get update >"$APT/update.log" 2>&1 || :
	! grep '^[EW]: ' "$APT/update.log" >&2 ||
		die "cannot read the package lists: is the network up, and do" \
			"the host's keys cover these suites?"
}

# apt_real_name PACKAGE SUITE : the versioned image package that a meta-package
# stands for, as "linux-image-6.12.1+deb13-cloud-amd64".
apt_real_name() {
	apt_get -s install "$1/$2" 2>"$APT/resolve.log" |
		sed -n 's/^Inst \(linux-image-[0-9][^ ]*\) .*/\1/p' | head -n 1
}

# Download PACKAGES and all that they depend on and the root does not have.
apt_download() {
	local size

	apt_get install --download-only "$@" 2>"$APT/download.log" |
		sed -un 's/^Need to get \(.*\) of archives.*/\1/p' |
		while read -r size; do say "downloading $size"; done || {
		grep '^[EWN]: ' "$APT/download.log" >&2 || :
		die "cannot download the packages"
	}
}
