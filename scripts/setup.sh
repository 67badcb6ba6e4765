#!/bin/sh
# setup.sh GROUP... - install what is missing on a Debian machine, and nothing else
#
# Groups: make build test clang valgrind s390x format power bench.  Quick when nothing is missing; sudo only when
# something is and we are not root.  Elsewhere it says what is wanted and goes on.
set -eu

packages() {
	case $1 in
	build) echo gcc libc6-dev cmake ninja-build pkg-config libzstd-dev libblosc-dev libisal-dev libdeflate-dev libbz2-dev liblzma-dev liblz4-dev libpcre2-dev libcurl4-openssl-dev ;;
	make) echo make ;;
	test) echo g++ libcmocka-dev python3 openssl pmccabe binutils json-schema-test-suite libtest-json-schema-acceptance-perl python3-jsonschema zsh fish mandoc python3-numpy nginx-light ;;
	clang) echo clang llvm libclang-rt-dev ;;
	valgrind) echo valgrind libc6-dbg ;;
	s390x) echo gcc-s390x-linux-gnu qemu-user ;;
	format) echo clang-format ;;
	power) echo e2fsprogs xfsprogs mount python3 ;;
	bench) echo netcdf-bin util-linux python3-gdal ;;
	interop-python) echo python3 python3-venv ;;
	interop-node) echo nodejs npm ;;
	*) echo "setup.sh: no group '$1'" >&2 && exit 2 ;;
	esac
}

installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

root() {
	if [ "$(id -u)" = 0 ]; then
		env DEBIAN_FRONTEND=noninteractive "$@"
	else
		sudo env DEBIAN_FRONTEND=noninteractive "$@"
	fi
}

# Codec libraries exist for some machines only (libisal): what has no candidate is done without.
available() {
	for package; do
		if apt-cache show "$package" >/dev/null 2>&1; then
			echo "$package"
		else
			echo "setup: no package $package for this machine, going on without it" >&2
		fi
	done
}

wanted=$(for group; do packages "$group"; done)
if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
	echo "setup: not a Debian machine; these are wanted (by their Debian names):" $wanted
	exit 0
fi

missing=
for package in $wanted; do
	installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
	echo "setup: missing, and only root can install it: apt-get install$missing" >&2
	exit 1
fi
echo "setup: installing$missing"
install_all() {
	root apt-get install -y -qq --no-install-recommends $(available $missing) >/dev/null
}
# Lists may be absent (a fresh image) or so old that their packages are gone; read them at most once.
if apt-cache show gcc >/dev/null 2>&1 && install_all; then
	exit 0
fi
root apt-get update -qq
install_all
