#!/usr/bin/env bash
# test.sh SUITE... - build and run one or more test suites, then print how many tests passed
#
#   gcc       as shipped, with the project's checks      build/
#   asan      AddressSanitizer + UBSan, asserts on        build-asan/
#   tsan      ThreadSanitizer, clang                      build-tsan/
#   clang     clang, warnings are errors                  build-clang/
#   valgrind  memcheck                                    build-valgrind/
#   s390x     a big-endian machine, under qemu-user       build-s390x/
#
# gcc and asan share the work, unless ZINC_LONG is set: gcc runs a sample of the sweeps of failing calls and all matrices
# of the command's cases, asan all sweeps and a sample of the matrices (ZINC_SAMPLE).  ZINC_LONG also repeats more with
# other seeds; ZINC_QUICK, for slow suites, repeats less.
#
# The last line is "N passed, N failed"; a suite that does not build counts as one failure.
# Environment: BUILD, JOBS, ZINC_LONG=1, ZINC_WERROR=ON, CTEST_FLAGS (such as -R store), TARGET (the target to build) [all].
set -uo pipefail
cd "$(dirname "$0")/.." || exit

BUILD=${BUILD:-build}
JOBS=${JOBS:-$(nproc)}
passed=0 failed=0 skipped=0

count() { # count ATTRIBUTE FILE: a number out of ctest's JUnit report
	sed -n "s/^[[:space:]]*$1=\"\([0-9]*\)\".*/\1/p; s/^<testsuite .*[[:space:]]$1=\"\([0-9]*\)\".*/\1/p" "$2" | head -n 1
}

# suite NAME DIR "CTEST ARGS" CMAKE-ARGS...
suite() {
	local name=$1 dir=$2 select=$3 began=$SECONDS report log n bad off
	shift 3
	echo "== $name: building in $dir/"
	mkdir -p "$dir"
	report=$(realpath "$dir")/junit.xml log=$dir/configure.log
	# A warning of CMake means that something is left out, so it is a failure.
	if ! cmake -G Ninja -B "$dir" -S . -DZINC_TESTS=ON "$@" >"$log" 2>&1 || grep -q 'CMake Warning' "$log"; then
		cat "$log"
		failed=$((failed + 1))
		return
	fi
	rm -f "$report"
	if ! cmake --build "$dir" -j "$JOBS" ${TARGET:+--target "$TARGET"} -- --quiet; then
		echo "== $name: does not build"
		failed=$((failed + 1))
		return
	fi
	# shellcheck disable=SC2086
	# One job more than cores, because some tests wait for a disk, a server or a time limit.
	${LAUNCH:-} ctest --test-dir "$dir" -j "$((JOBS + 1))" --output-on-failure --no-label-summary \
		--output-junit "$report" $select ${CTEST_FLAGS:-}
	n=$(count tests "$report") bad=$(count failures "$report") off=$(count skipped "$report")
	if [ -z "$n" ] || [ "$n" = 0 ]; then
		echo "== $name: no test ran"
		failed=$((failed + 1))
		return
	fi
	passed=$((passed + n - bad - off)) failed=$((failed + bad)) skipped=$((skipped + off))
	echo "== $name: $((n - bad - off)) passed, $bad failed, $off skipped in $((SECONDS - began)) s"
}

DEBUG=(-DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-O1 -g1")
for name in "$@"; do
	case $name in
	gcc)
		scripts/setup.sh build test || exit 1
		ZINC_SAMPLE=${ZINC_LONG:-sweep} suite gcc "$BUILD" "" "-DZINC_WERROR=${ZINC_WERROR:-OFF}"
		;;
	asan)
		scripts/setup.sh build test || exit 1
		ZINC_SAMPLE=${ZINC_LONG:-cli} suite asan "$BUILD-asan" "-LE check|header" "${DEBUG[@]}" -DZINC_SANITIZE=address
		;;
	tsan)
		scripts/setup.sh build test clang || exit 1
		# clang's TSan, because gcc's fails for threads made after fork().  Its shadow memory does not work with
		# the address randomization of newer kernels.
		CC=clang CXX=clang++ LAUNCH=$(setarch -R true 2>/dev/null && echo "setarch -R") ZINC_QUICK=1 \
			suite tsan "$BUILD-tsan" "-LE check|header" "${DEBUG[@]}" -DZINC_SANITIZE=thread
		;;
	clang)
		scripts/setup.sh build test clang || exit 1
		CC=clang CXX=clang++ suite clang "$BUILD-clang" "-LE check" -DZINC_WERROR=ON
		;;
	valgrind)
		scripts/setup.sh build test valgrind || exit 1
		ZINC_QUICK=1 suite valgrind "$BUILD-valgrind" "-LE check|header" "${DEBUG[@]}" \
			"-DCMAKE_CROSSCOMPILING_EMULATOR=valgrind;-q;--suppressions=$PWD/tests/support/valgrind.supp;--leak-check=full;--show-leak-kinds=definite;--errors-for-leak-kinds=definite;--error-exitcode=99"
		;;
	s390x)
		scripts/setup.sh build test s390x && scripts/sysroot_s390x.sh "$BUILD-s390x" || exit 1
		ZINC_QUICK=1 suite s390x "$BUILD-s390x" "-LE check|header" \
			-DCMAKE_TOOLCHAIN_FILE=cmake/s390x.cmake "-DCMAKE_SYSROOT=$(realpath "$BUILD-s390x")/sysroot"
		;;
	*)
		echo "test.sh: no suite '$name'" >&2
		exit 2
		;;
	esac
done

[ "$skipped" = 0 ] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
