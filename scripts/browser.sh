#!/usr/bin/env bash
# browser.sh - the viewer, zarrita.js and Neuroglancer in real Chromium, on data of zarr-python
#
# Installs what is missing: Debian's Chromium, and from npm and PyPI into build/browser-npm and build/browser-venv (once;
# later runs need no network).  Builds Zinc, makes the data sets in build/browser-data, leaves screenshots in
# build/browser, and ends with "N passed, N failed".
# Environment: BUILD, JOBS, BROWSER_QUICK=1 (a short form), ONLY (a pattern of tests), VERBOSE=1, CHROMIUM,
# ZINC (a command that is built already), FRESH=1 (make the data sets anew).
set -euo pipefail
cd "$(dirname "$0")/.."

BUILD=${BUILD:-build}
JOBS=${JOBS:-2}
mkdir -p "$BUILD/browser"
VENV=$BUILD/browser-venv
export NPM=$BUILD/browser-npm DATA=$BUILD/browser-data OUT=$BUILD/browser

# Wheels only; the newest Python that has them
install_python() {
	local python
	for python in python3.13 python3.12 python3.11 python3 /usr/bin/python3; do
		"$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
		echo "browser: installing zarr, numpy and neuroglancer for $("$python" --version)"
		rm -rf "$VENV"
		if "$python" -m venv "$VENV" && "$VENV/bin/pip" install -q --disable-pip-version-check \
			--only-binary :all: numpy zarr neuroglancer; then
			touch "$VENV/complete"
			return
		fi
	done
	echo "browser: no Python (3.11 or later) could install the packages" >&2
	return 1
}

# playwright-core needs Node 20; Debian's is older, and npm has it as a package for each machine.
recent() { [ "$("$1" -p 'process.versions.node.split(".")[0] >= 20' 2>/dev/null)" = true ]; }

machine() {
	case $(uname -m) in
	x86_64) echo x64 ;;
	aarch64) echo arm64 ;;
	*) uname -m ;;
	esac
}

install_node() {
	local packages=(playwright-core axe-core zarrita)
	recent node || packages+=("node-linux-$(machine)@22")
	echo "browser: installing ${packages[*]}"
	mkdir -p "$NPM"
	[ -e "$NPM/package.json" ] || echo '{"private": true}' >"$NPM/package.json"
	npm install --silent --no-audit --no-fund --prefix "$NPM" "${packages[@]}"
	touch "$NPM/complete"
}

scripts/setup.sh browser
[ -e "$VENV/complete" ] || install_python
[ -e "$NPM/complete" ] || install_node
NODE=node
recent node || NODE=$NPM/node_modules/node-linux-$(machine)/bin/node
if [ -z "${ZINC:-}" ]; then
	scripts/setup.sh build
	cmake -G Ninja -B "$BUILD" -S . --log-level=WARNING >/dev/null
	cmake --build "$BUILD" -j "$JOBS" --target product -- --quiet
	ZINC=$BUILD/zinc
fi
export ZINC
if [ -n "${FRESH:-}" ] || [ ! -e "$DATA/complete" ] || [ tests/browser/make_data.py -nt "$DATA/complete" ]; then
	echo "browser: making data sets"
	rm -rf "$DATA"
	"$VENV/bin/python" -W ignore tests/browser/make_data.py "$ZINC" "$DATA"
	touch "$DATA/complete"
fi

passed=0 failed=0
# run COMMAND...: add the figures of its closing line; a command without one has failed
run() {
	local log line good bad
	log=$(mktemp)
	"$@" 2>&1 | tee "$log" | sed -E '/^[0-9]+ passed, [0-9]+ failed$/d' || true
	line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1 || true)
	rm -f "$log"
	read -r good _ bad _ <<<"${line:-0 passed, 1 failed}"
	[ -n "$line" ] || echo "FAIL: $* did not end"
	passed=$((passed + good)) failed=$((failed + bad))
}

PYTHON=$(realpath "$VENV")/bin/python run timeout 1500 "$NODE" tests/browser/view.mjs
run timeout 300 "$NODE" tests/browser/zarrita.mjs
[ -n "${ONLY:-}" ] || run timeout 150 "$VENV/bin/python" tests/browser/neuroglancer_sees.py "$ZINC" "$DATA" "$OUT"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
