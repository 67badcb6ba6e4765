#!/usr/bin/env bash
# interop.sh - exchange arrays with zarr-python (3, and 2 for version 2), xarray, TensorStore, zarrs, zarrita and z5py, both ways
#
# Installs what is missing into build/interop-venv, build/interop-npm and build/zarrs (once; later runs need no
# network), builds Zinc, prints the table and ends with "N passed, N failed, N skipped".
# Environment: BUILD, JOBS, INTEROP_QUICK=1 (a short form), INTEROP_FLAGS (options of tests/interop/run.py),
# INTEROP_INSTALL=1 (install the Python packages of the peers and stop: what scripts/bench.sh needs; "registry": also
# zarr-python 2 and zarrs).
set -euo pipefail
cd "$(dirname "$0")/.."

BUILD=${BUILD:-build}
export BUILD
mkdir -p "$BUILD"
VENV=$BUILD/interop-venv
VENV2=$BUILD/interop-venv2
NPM=$BUILD/interop-npm
REGISTRY=(ml_dtypes z5py zfpy cast_value_rs) # what else the registered extensions and N5 are compared with
export ZARRS_PEER=${ZARRS_PEER:-$(realpath "$BUILD")/zarrs_peer}

# Every Python that can make a virtual environment, the newest first: "3.13 /path/to/python"
pythons() {
	local candidate
	{
		compgen -c python3 | grep -E '^python3(\.[0-9]+)?$' || true
		if command -v pyenv >/dev/null; then
			ls -d "$(pyenv root)"/versions/3.*/bin/python3 2>/dev/null || true
		fi
	} | sort -u | while read -r candidate; do
		"$candidate" -c 'import ensurepip, sys, venv; print("%d.%d" % sys.version_info[:2], sys.executable)' 2>/dev/null || true
	done | sort -u -t. -k2,2nr
}

# Wheels only: building any of these from source takes longer than everything else here.
install_python() {
	local version python
	[ -n "$(pythons)" ] || scripts/setup.sh interop-python
	while read -r version python; do
		case $version in 3.[0-9] | 3.10) continue ;; esac
		echo "interop: installing zarr, xarray, tensorstore and zarrs for Python $version"
		rm -rf "$VENV"
		if "$python" -m venv "$VENV" && "$VENV/bin/pip" install -q --disable-pip-version-check \
			--only-binary :all: numpy zarr xarray cftime tensorstore zarrs "${REGISTRY[@]}"; then
			touch "$VENV/complete"
			return
		fi
	done < <(pythons)
	echo "interop: no Python (3.11 or later) could install the packages" >&2
	return 1
}

install_node() {
	if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
		scripts/setup.sh interop-node
	fi
	echo "interop: installing zarrita for Node $(node --version)"
	mkdir -p "$NPM"
	npm install --silent --no-audit --no-fund --prefix "$NPM" zarrita
	touch "$NPM/complete"
}

# shellcheck disable=SC2016 # the loader expands $ORIGIN, not the shell
# zarr-python 2 has its own environment, because it does not work with NumPy 2.
install_v2() {
	local version python
	while read -r version python; do
		case $version in 3.9 | 3.1[0-2]) ;; *) continue ;; esac
		echo "interop: installing zarr 2.18 for Python $version"
		rm -rf "$VENV2"
		if "$python" -m venv "$VENV2" && "$VENV2/bin/pip" install -q --disable-pip-version-check \
			--only-binary :all: 'zarr<3' 'numcodecs<0.16' 'numpy<2' lmdb plyvel pytest zfpy fsspec; then
			# it has no binaries: built if there are Berkeley DB and a compiler
			"$VENV2/bin/pip" install -q --disable-pip-version-check berkeleydb || echo "interop: no berkeleydb for Python"
			touch "$VENV2/complete"
			return
		fi
	done < <(pythons)
	echo "interop: no Python (3.9 to 3.12) could install zarr 2.18" >&2
	return 1
}

# SQLite, LMDB and other databases, which only zarr-python 2 can use.
exchange_databases() {
	scripts/setup.sh interop-databases || true # without the commands their databases are skipped
	rm -rf "$BUILD/interop-databases"
	mkdir -p "$BUILD/interop-databases"
	"$VENV2/bin/python" tests/interop/databases.py "$BUILD/zinc" "$(realpath "$BUILD/interop-databases")"
}

# Version 2 and the draft of 2020 with every available zarr-python 2: PyPI's, and Debian's if it is installed, whose
# Python may also have GDAL.
exchange_v2() {
	local python status=0
	for python in "$VENV2/bin/python" /usr/bin/python3; do
		if ! "$python" -c 'import sys, zarr; sys.exit(not zarr.__version__.startswith("2."))' 2>/dev/null; then
			echo "interop: $python has no zarr-python 2: skipped"
			continue
		fi
		mkdir -p "$BUILD/interop-v2"
		"$python" tests/interop/v2.py "$BUILD/zinc" "$BUILD/interop-v2" || status=1
		"$python" tests/interop/zip_store.py "$BUILD/zinc" "$BUILD/interop-zip" || status=1
		"$python" tests/interop/other_codecs.py "$BUILD/zinc" "$BUILD/interop-codecs2" || status=1
		"$python" tests/interop/drafts.py "$BUILD/zinc" "$BUILD/interop-drafts" ../shared/fixtures || status=1
	done
	return $status
}

# Random requests to S3, signed by botocore and by Zinc.
sign_like_botocore() {
	"$VENV/bin/python" -c 'import botocore' 2>/dev/null ||
		"$VENV/bin/pip" install -q --disable-pip-version-check --only-binary :all: botocore
	cmake --build "$BUILD" -j "${JOBS:-2}" --target sign_do -- --quiet
	"$VENV/bin/python" tests/interop/sigv4_peer.py "$BUILD/tests/sign_do"
}

# zarrs itself, which reads more than its Python package. It needs a Rust of the last months, which Debian has not.
build_zarrs() {
	if [ -n "${INTEROP_QUICK:-}" ]; then
		echo "interop: the short form does not build the Rust library zarrs, which takes minutes: left out"
	elif ! command -v cargo >/dev/null; then
		echo "interop: no cargo: the Rust library zarrs is left out"
	elif ! cargo build --quiet --release --manifest-path tests/interop/zarrs_peer/Cargo.toml --target-dir "$BUILD/zarrs"; then
		echo "interop: zarrs cannot be built with $(cargo --version): left out"
	else
		cp "$BUILD/zarrs/release/zarrs_peer" "$ZARRS_PEER"
	fi
}

program() { # program NAME: tests/interop/NAME.c into build/interop-NAME
	"${CC:-cc}" -std=c11 -O2 -D_GNU_SOURCE -Iinclude "tests/interop/$1.c" -o "$BUILD/interop-$1" \
		-L"$BUILD" -lzinc '-Wl,-rpath,$ORIGIN'
}

[ -e "$VENV/complete" ] && "$VENV/bin/python" -c "import xarray" 2>/dev/null || install_python
[ "${INTEROP_INSTALL:-}" != 1 ] || exit 0
"$VENV/bin/python" -c 'import ml_dtypes, z5py, zfpy, cast_value_rs' 2>/dev/null ||
	"$VENV/bin/pip" install -q --disable-pip-version-check --only-binary :all: "${REGISTRY[@]}"
[ -e "$VENV2/complete" ] && "$VENV2/bin/python" -c "import lmdb, plyvel, zfpy, fsspec" 2>/dev/null || install_v2
[ -x "$ZARRS_PEER" ] || build_zarrs
[ -z "${INTEROP_INSTALL:-}" ] || exit 0
[ -e "$NPM/complete" ] || install_node
scripts/setup.sh build
cmake -G Ninja -B "$BUILD" -S . -DZINC_TESTS=ON --log-level=WARNING >/dev/null
cmake --build "$BUILD" -j "${JOBS:-2}" --target zinc_command -- --quiet
program drive
program poke

flags=()
[ -z "${INTEROP_QUICK:-}" ] || flags+=(--quick)
exchange_v2
exchange_databases
sign_like_botocore
mkdir -p "$BUILD/interop-types"
"$VENV/bin/python" tests/interop/extension_types.py "$BUILD/zinc" "$BUILD/interop-types"
"$VENV/bin/python" tests/interop/n5.py "$BUILD/zinc" "$BUILD/interop-n5" "$VENV2/bin/python"
"$VENV/bin/python" tests/interop/small_types.py "$BUILD/zinc" "$BUILD/interop-small"
"$VENV/bin/python" tests/interop/small_floats.py "$BUILD/zinc" "$BUILD/interop-floats"
"$VENV/bin/python" tests/interop/other_codecs.py "$BUILD/zinc" "$BUILD/interop-codecs"
"$VENV/bin/python" tests/interop/rectilinear.py "$BUILD/zinc" "$BUILD/interop-rectilinear"
"$VENV/bin/python" tests/interop/value_codecs.py "$BUILD/zinc" "$BUILD/interop-values"
"$VENV/bin/python" tests/interop/zip_store.py "$BUILD/zinc" "$BUILD/interop-zip"
"$VENV/bin/python" tests/interop/xarray_sees.py "$BUILD/zinc" "$BUILD/interop-xarray"
"$VENV/bin/python" tests/interop/plot.py "$BUILD/zinc" "$BUILD/interop-plot" 200
"$VENV/bin/python" -c 'import cftime' 2>/dev/null || "$VENV/bin/pip" install -q --disable-pip-version-check cftime
"$VENV/bin/python" tests/interop/cf_decode.py "$BUILD/zinc" "$BUILD/interop-cf" ${INTEROP_QUICK:+--quick}
"$VENV/bin/python" tests/interop/cf_select.py "$BUILD/zinc" "$BUILD/interop-select" "${flags[@]}"
"$VENV/bin/python" tests/interop/cp_cut.py "$BUILD/zinc" "$BUILD/interop-cut" ${INTEROP_QUICK:+--quick}
"$VENV/bin/python" -c 'import aiohttp, fsspec' 2>/dev/null ||
	"$VENV/bin/pip" install -q --disable-pip-version-check --only-binary :all: aiohttp fsspec
"$VENV/bin/python" tests/interop/serve.py "$BUILD/zinc" "$BUILD/interop-serve" "${flags[@]}" ../shared/fixtures/*.z*
# shellcheck disable=SC2086
exec "$VENV/bin/python" tests/interop/run.py "${flags[@]}" ${INTEROP_FLAGS:-}
