#!/usr/bin/env bash
# bench.sh - compare Zinc with other implementations of Zarr, HDF5, netCDF-C and the limit of the machine; see bench/run.py
#
# Installs the peers once: Python packages into build/interop-venv, zarrs' own programs by cargo, compiled for
# this processor, into $BENCH_CACHE [~/.cache/zinc-bench]; without cargo they are left out.  Writes bench/results.md, .json
# and .svg, or to $BENCH_OUT.  BENCH_QUICK=1 is a short form for CI, which writes its results to build/bench.
# With the argument "latency" only the table of remote objects, see bench/latency.py; with "readme" only the README's
# table of times, see bench/readme_table.py (some minutes); with "stores" only the table of S3, see bench/stores.py
# (BENCH_SERVER=fake_gcs: of Google, azurite: of Azure); with "registry" only the table of registered extensions and
# N5, see bench/registry.py; with "local-stores" only reads of zip, sqlite and lmdb compared with files, see
# bench/local_stores.py, without any peer.
set -euo pipefail
cd "$(dirname "$0")/.."

BUILD=${BUILD:-build}
export BUILD
CACHE=${BENCH_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/zinc-bench}
export BENCH_CARGO=$CACHE/bin
[ -z "${BENCH_QUICK:-}" ] || export BENCH_OUT=${BENCH_OUT:-$BUILD/bench}

# One job at the lowest priority, because it takes long.
install_zarrs() {
	command -v cargo >/dev/null || { echo "bench: no cargo, so zarrs' own programs are left out" && return; }
	echo "bench: building zarrs_tools with the feature benchmark for this processor (once, some minutes)"
	CARGO_TARGET_DIR=$CACHE/target RUSTFLAGS="-C target-cpu=native" \
		nice -n 19 cargo install --quiet --locked -j "${JOBS:-1}" --root "$CACHE" zarrs_tools --features benchmark ||
		echo "bench: zarrs_tools did not build and is left out"
}

# Wheels, which contain their libraries: those of Debian are years older.
install_files() {
	local python=$BUILD/interop-venv/bin/python
	"$python" -c "import h5py, hdf5plugin, netCDF4" 2>/dev/null ||
		"$python" -m pip install -q --disable-pip-version-check --only-binary :all: h5py hdf5plugin netCDF4 ||
		echo "bench: h5py, hdf5plugin and netCDF4 could not be installed, so HDF5 and netCDF-C are left out"
}

program() { # program NAME SOURCE... LIBRARIES
	local name=$1
	shift
	# shellcheck disable=SC2016 # the loader expands $ORIGIN, not the shell
	"${CC:-cc}" -std=c11 -O3 -march=native -D_GNU_SOURCE -Iinclude -o "$BUILD/bench-$name" "$@" -lpthread '-Wl,-rpath,$ORIGIN'
}

if [ "${1:-}" = local-stores ]; then
	scripts/setup.sh build
	cmake -G Ninja -B "$BUILD" -S . --log-level=WARNING >/dev/null
	cmake --build "$BUILD" -j "${JOBS:-2}" --target product -- --quiet
	program zinc bench/ours.c bench/common.c -L"$BUILD" -lzinc
	exec python3 bench/local_stores.py
fi
if [ "${1:-}" = registry ]; then
	scripts/setup.sh build
	INTEROP_INSTALL=registry INTEROP_QUICK=${BENCH_QUICK:-} scripts/interop.sh
	cmake -G Ninja -B "$BUILD" -S . --log-level=WARNING >/dev/null
	cmake --build "$BUILD" -j "${JOBS:-2}" --target product -- --quiet
	program zinc bench/ours.c bench/common.c -L"$BUILD" -lzinc
	exec python3 bench/registry.py "$BUILD"
fi
scripts/setup.sh build bench
INTEROP_INSTALL=1 scripts/interop.sh
install_files
[ -x "$BENCH_CARGO/zarrs_benchmark_read_sync" ] || [ -n "${BENCH_QUICK:-}" ] || install_zarrs
cmake -G Ninja -B "$BUILD" -S . --log-level=WARNING >/dev/null
cmake --build "$BUILD" -j "${JOBS:-2}" --target product -- --quiet
program zinc bench/ours.c bench/common.c -L"$BUILD" -lzinc
program latency-server bench/latency_server.c
program delay-proxy bench/delay_proxy.c
program limit bench/limit.c bench/common.c -lzstd -lblosc -ldeflate
if [ "${1:-}" = stores ]; then
	"$BUILD/interop-venv/bin/python" -c "import obstore" 2>/dev/null ||
		"$BUILD/interop-venv/bin/pip" install -q --disable-pip-version-check --only-binary :all: obstore
	[ "${BENCH_SERVER:-}" != fake_gcs ] || "$BUILD/interop-venv/bin/python" -c "import gcsfs" 2>/dev/null ||
		"$BUILD/interop-venv/bin/pip" install -q --disable-pip-version-check --only-binary :all: gcsfs
	[ "${BENCH_SERVER:-}" != azurite ] || "$BUILD/interop-venv/bin/python" -c "import adlfs" 2>/dev/null ||
		"$BUILD/interop-venv/bin/pip" install -q --disable-pip-version-check --only-binary :all: adlfs
	STORES_INSTALL=${BENCH_SERVER:-versitygw} scripts/stores.sh
	exec "$BUILD/interop-venv/bin/python" bench/stores.py
fi
[ "${1:-}" != latency ] || exec "$BUILD/interop-venv/bin/python" bench/latency.py
[ "${1:-}" != readme ] || BENCH_ROUNDS=${BENCH_ROUNDS:-3} exec "$BUILD/interop-venv/bin/python" bench/run.py --readme
if command -v hyperfine >/dev/null; then scripts/bench_start.sh "$BUILD/zinc"; fi
[ -n "${BENCH_ONLY:-}" ] || "$BUILD/interop-venv/bin/python" bench/latency.py
exec "$BUILD/interop-venv/bin/python" bench/run.py
