#!/usr/bin/env bash
# interop.sh - exchange arrays with zarr-python, TensorStore, zarrs and zarrita, both ways
#
# Installs what is missing into build/interop-venv and build/interop-npm (once; later runs need no
# network), builds Zinc, prints the table and closes with "N passed, N failed, N skipped".
# Environment: BUILD, JOBS, INTEROP_QUICK=1 (a short form), INTEROP_FLAGS (options of tests/interop/run.py).
set -euo pipefail
cd "$(dirname "$0")/.."

BUILD=${BUILD:-build}
export BUILD
mkdir -p "$BUILD"
VENV=$BUILD/interop-venv
NPM=$BUILD/interop-npm

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
		echo "interop: installing zarr, tensorstore and zarrs for Python $version"
		rm -rf "$VENV"
		if "$python" -m venv "$VENV" && "$VENV/bin/pip" install -q --disable-pip-version-check \
			--only-binary :all: numpy zarr tensorstore zarrs; then
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
program() { # program NAME: tests/interop/NAME.c into build/interop-NAME
	"${CC:-cc}" -std=c11 -O2 -D_GNU_SOURCE -Iinclude "tests/interop/$1.c" -o "$BUILD/interop-$1" \
		-L"$BUILD" -lzinc '-Wl,-rpath,$ORIGIN'
}

[ -e "$VENV/complete" ] || install_python
[ -e "$NPM/complete" ] || install_node
scripts/setup.sh build
cmake -G Ninja -B "$BUILD" -S . --log-level=WARNING >/dev/null
cmake --build "$BUILD" -j "${JOBS:-2}" --target zinc_command -- --quiet
program drive
program poke

flags=()
[ -z "${INTEROP_QUICK:-}" ] || flags+=(--quick)
# shellcheck disable=SC2086
exec "$VENV/bin/python" tests/interop/run.py "${flags[@]}" ${INTEROP_FLAGS:-}
