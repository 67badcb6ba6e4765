#!/usr/bin/env bash
# test_setup.sh - `make build` and `make install` call neither apt nor sudo; they say what is missing
#
# PATH holds a few real tools and stubs: package tools that note every call, a CMake that does nothing, and a compiler
# that lacks the headers named in $LACKS.
set -euo pipefail
here=$PWD
bad() { echo "FAILED: $*"; [ ! -e out ] || cat out; exit 1; }

stub() { # stub NAME: a program that runs the script on stdin
	{ printf '#!/bin/sh\n'; cat; } >"bin/$1"
	chmod +x "bin/$1"
}

mkdir bin
for tool in make sh bash sed awk tr cat id env nproc dirname; do
	ln -s "$(command -v "$tool")" "bin/$tool"
done
for tool in apt apt-get apt-cache dpkg dpkg-query sudo su; do
	stub "$tool" <<-END
		echo "$tool \$*" >>"$here/called"
		exit 1
	END
done
stub ninja </dev/null
stub cmake <<-END
	echo "\$*" >>"$here/cmake.log"
END
stub cc <<-'END'
	awk -v lacks=" ${LACKS:-} " '
		/^#if/ { split($0, part, "[<>]"); shown = index(lacks, " " part[2] " "); next }
		/^#endif/ { shown = 0; next }
		shown'
END

# run TARGET [NAME=VALUE]...: with make's own variables out of the way, as this may run below `make test`
run() {
	rm -f cmake.log
	env -u MAKEFLAGS -u MAKELEVEL -u CC PATH="$here/bin" "${@:2}" \
		make -C "$ZINC_SOURCE_DIR" BUILD="$here/build" "$1" >out 2>&1
}
never_called() { [ ! -e called ] || bad "$1 called $(cat called)"; }
says() { grep -qF -- "$1" out || bad "does not say: $1"; }

for target in build install; do
	run "$target" || bad "make $target with everything there"
	[ -e cmake.log ] || bad "make $target built nothing"
	if grep -q setup: out; then bad "make $target misses something"; fi
	run "$target" LACKS="zstd.h curl/curl.h" || bad "make $target without optional libraries"
	says "built without these optional libraries: libzstd-dev libcurl4-openssl-dev"
	says '"make setup" installs them'
	[ -e cmake.log ] || bad "make $target gave up"
	for program in cmake ninja cc; do
		mv "bin/$program" gone
		if run "$target"; then bad "make $target without $program"; fi
		[ ! -e cmake.log ] || bad "make $target went on without $program"
		case $program in cc) says gcc ;; ninja) says ninja-build ;; *) says "$program" ;; esac
		says 'run "make setup"'
		mv gone "bin/$program"
	done
	never_called "make $target"
done

# The others may install, and the stubs notice it.
for target in setup demo; do
	rm -f called
	if run "$target"; then bad "make $target installed with stubs"; fi
	[ -e called ] || bad "make $target looked for no package"
done
echo "setup: ok"
