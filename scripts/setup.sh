#!/bin/sh
# setup.sh GROUP... - install the Debian packages that are missing, and nothing else
# setup.sh --check  - list what a build needs and lacks, and install nothing
#
# Groups: make build test clang valgrind s390x format power bench bench-serve docs postgresql redis python browser.  Fast if nothing is missing; uses sudo only to
# install, and only if not root.  On other systems it prints the list of packages and continues.
#
# --check calls neither apt nor dpkg, so that it works on every system: it looks for programs in PATH and for headers
# with the compiler.  Without a program that the build needs it fails; without an optional library it continues.
set -eu
compiler=${CC:-cc}

packages() {
	case $1 in
	build) echo gcc libc6-dev cmake ninja-build pkg-config libzstd-dev libblosc-dev libisal-dev libdeflate-dev libbz2-dev liblzma-dev liblz4-dev libzfp-dev libpcre2-dev libcurl4-openssl-dev libssl-dev libsqlite3-dev liblmdb-dev libmongoc-dev libpq-dev libleveldb-dev libdb5.3-dev libkyotocabinet-dev libtokyocabinet-dev libmicrohttpd-dev ;;
	make) echo make ;;
	test) echo g++ libcmocka-dev python3 openssl pmccabe binutils json-schema-test-suite libtest-json-schema-acceptance-perl python3-jsonschema zsh fish mandoc python3-numpy nginx-light tmux ;;
	clang) echo clang llvm libclang-rt-dev ;;
	valgrind) echo valgrind libc6-dbg ;;
	s390x) echo gcc-s390x-linux-gnu qemu-user ;;
	format) echo clang-format ;;
	power) echo e2fsprogs xfsprogs mount python3 ;;
	bench) echo netcdf-bin util-linux python3-gdal ;;
	bench-serve) echo nginx-light wrk python3 ;;
	postgresql) echo postgresql pgbouncer ;;
	docs) echo python3 python3-venv ;;
	redis) echo redis-server redis-tools openssl python3 python3-venv ;;
	python) echo python3 python3-venv python3-dev openssl util-linux ;;
	interop-python) echo python3 python3-venv ;;
	interop-node) echo nodejs npm ;;
	browser) echo chromium fonts-liberation python3 python3-venv $(command -v npm >/dev/null || echo nodejs npm) ;;
	interop-databases) echo kyotocabinet-utils tokyocabinet-bin ;;
	*) echo "setup.sh: no group '$1'" >&2 && exit 2 ;;
	esac
}

# Programs that a build needs: the command, and its package
programs() {
	cat <<-END
		${compiler%% *} gcc
		cmake cmake
		ninja ninja-build
	END
}

# Optional libraries: their header, and the package
headers() {
	cat <<-END
		zstd.h libzstd-dev
		blosc.h libblosc-dev
		isa-l/igzip_lib.h libisal-dev
		libdeflate.h libdeflate-dev
		bzlib.h libbz2-dev
		lzma.h liblzma-dev
		lz4.h liblz4-dev
		zfp.h libzfp-dev
		pcre2.h libpcre2-dev
		curl/curl.h libcurl4-openssl-dev
		openssl/evp.h libssl-dev
		sqlite3.h libsqlite3-dev
		lmdb.h liblmdb-dev
		libmongoc-1.0/mongoc/mongoc.h libmongoc-dev
		postgresql/libpq-fe.h libpq-dev
		leveldb/c.h libleveldb-dev
		db.h libdb5.3-dev
		kclangc.h libkyotocabinet-dev
		tcbdb.h libtokyocabinet-dev
		microhttpd.h libmicrohttpd-dev
	END
}

missing_programs() {
	programs | while read -r program package; do
		command -v "$program" >/dev/null || printf ' %s' "$package"
	done
}

missing_headers() {
	headers | while read -r header package; do
		printf '#if !__has_include(<%s>)\nmissing %s\n#endif\n' "$header" "$package"
	done | $compiler -E -P -x c - | sed -n 's/^missing / /p' | tr -d '\n'
}

check() {
	missing=$(missing_programs)
	if [ -n "$missing" ]; then
		echo "setup: the build needs these Debian packages, which are missing:$missing" >&2
		echo 'setup: run "make setup" to install them, or install them yourself' >&2
		return 1
	fi
	missing=$(missing_headers)
	[ -z "$missing" ] || echo "setup: built without these optional libraries:$missing (\"make setup\" installs them)"
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

# Some codec libraries exist only for some machines (libisal): packages without a candidate are left out.
available() {
	for package; do
		if apt-cache show "$package" >/dev/null 2>&1; then
			echo "$package"
		else
			echo "setup: no package $package for this machine, continuing without it" >&2
		fi
	done
}

if [ "${1:-}" = --check ]; then
	check
	exit
fi
wanted=$(for group; do packages "$group"; done)
if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
	echo "setup: not a Debian machine; these are needed (by their Debian names):" $wanted
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
# Lists may be missing (a fresh image) or so old that their packages no longer exist; update them at most once.
if apt-cache show gcc >/dev/null 2>&1 && install_all; then
	exit 0
fi
root apt-get update -qq
install_all
