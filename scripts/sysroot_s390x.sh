#!/usr/bin/env bash
# sysroot_s390x.sh DIR - unpack the libraries of a big-endian Debian into DIR/sysroot
#
# apt keeps its lists and packages for that machine inside DIR, so the package state of the host
# is neither changed nor needed, and root is not needed either.
set -euo pipefail

dir=$(mkdir -p "$1" && cd "$1" && pwd)
[ ! -e "$dir/sysroot/.complete" ] || exit 0
mkdir -p "$dir"/apt/{state/lists/partial,cache/archives/partial} "$dir/sysroot"
: >"$dir/apt/status"
apt=(apt-get -qq -o APT::Architecture=s390x -o APT::Architectures=s390x
	-o "Dir::State=$dir/apt/state" -o "Dir::State::status=$dir/apt/status" -o "Dir::Cache=$dir/apt/cache"
	-o APT::Sandbox::User= -o Debug::NoLocking=1 -o Binary::apt-get::APT::Keep-Downloaded-Packages=1)

echo "s390x: fetching libraries"
"${apt[@]}" update 2>/dev/null || true # lists of other vendors may have no s390x; Debian's has
"${apt[@]}" -y --download-only --no-install-recommends install \
	libc6-dev libgcc-12-dev libzstd-dev libblosc-dev libdeflate-dev libbz2-dev liblzma-dev liblz4-dev libzfp-dev libpcre2-dev libcmocka-dev >/dev/null
for package in "$dir"/apt/cache/archives/*.deb; do
	dpkg-deb -x "$package" "$dir/sysroot"
done
touch "$dir/sysroot/.complete"
