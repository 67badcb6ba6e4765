# cli.bash - shared functions of the tests of the command; sourced by tests/cli/*.sh
#
#   run STATUS COMMAND...   run it; its exit status must be STATUS; output is left in ./out and ./err
#   zinc STATUS ARGS...     the same with $ZINC
#   prints                  ./out must be exactly standard input
#   says TEXT               ./err must be one line, begin with "zinc: ", and contain TEXT
#   has TEXT [FILE]         the file [./out] must contain TEXT
#   is_json                 ./out must be one JSON document
#   rule_stores VERSION [NAME...]  make stores of tests/rules here, all or some; ./stores lists them, see rule_stores.c
#   numpy SCRIPT            run it by Python, if one with NumPy is installed
#
# Tests run in an empty directory.  The first failure ends them.

set -eu
ZINC=${ZINC:?names the command}
SOURCE=${ZINC_SOURCE_DIR:?names the source tree}
export NO_COLOR=1
checks=0

bad() {
	echo "FAILED: $*" >&2
	[ ! -s out ] || { echo "-- out:" && head -c 600 out; } >&2
	[ ! -s err ] || { echo "-- err:" && head -c 600 err; } >&2
	exit 1
}

run() {
	local want=$1 got=0
	shift
	last="$*"
	"$@" >out 2>err || got=$?
	[ "$got" = "$want" ] || bad "exit status $got instead of $want: $last"
	checks=$((checks + 1))
}

zinc() {
	local want=$1
	shift
	run "$want" "$ZINC" "$@"
}

# The helpers below avoid starting programs, because tests call them some ten thousand times.

prints() {
	cat >want
	cmp -s want out || { diff want out >&2 || true; bad "unexpected output: $last"; }
	checks=$((checks + 1))
}

# contains FILE TEXT: is it in the file? bash reads up to the first NUL; if it does not find the text, grep searches
# for it.
contains() {
	local text=
	IFS= read -r -d '' text <"$1" || true
	[[ $text == *"$2"* ]] || grep -qF -- "$2" "$1"
}

# lines FILE: how many it has, in $count
lines() {
	local all
	mapfile all <"$1"
	count=${#all[@]}
}

says() {
	local first
	lines err
	[ "$count" = 1 ] || bad "not one line on stderr: $last"
	read -r first <err
	[[ $first == "zinc: "* ]] || bad "stderr does not begin with 'zinc: ': $last"
	contains err "$1" || bad "stderr lacks '$1': $last"
	checks=$((checks + 1))
}

has() {
	contains "${2:-out}" "$1" || bad "'$1' is missing: $last"
	checks=$((checks + 1))
}

lacks() {
	! contains "${2:-out}" "$1" || bad "'$1' should not be there: $last"
	checks=$((checks + 1))
}

# Is ./out one JSON document on one line?  If python3 has its json module, finish checks all of them.
is_json() {
	local text=
	lines out
	[ "$count" = 1 ] || bad "JSON on more than one line: $last"
	IFS= read -r text <out
	printf '%s\n' "$text" >>json_lines
	checks=$((checks + 1))
}

# bytes HEX...: those bytes, such as bytes 00 ff 7f
bytes() {
	local b
	for b in "$@"; do printf "\\x$b"; done
}

# In slow suites (ZINC_QUICK), or if another suite runs all cases (ZINC_SAMPLE=cli: under ASan), matrices of cases are
# sampled: quick N is true for all but every Nth time, and some A B C ... are the first and the last.
sampled() {
	[ -n "${ZINC_QUICK:-}" ] || [ "${ZINC_SAMPLE:-}" = cli ]
}

turn=0
quick() {
	turn=$((turn + 1))
	sampled && [ $((turn % $1)) != 0 ]
}

some() {
	if sampled; then echo "$1 ${*: -1}"; else echo "$@"; fi
}

# Is the command built with a sanitizer, or run by an emulator?  Then memory figures mean nothing.
instrumented() {
	case $ZINC in *zinc-run) return 0 ;; esac
	grep -qE '__asan_init|__tsan_init|__msan_init' "$ZINC"
}

rule_stores() {
	${ZINC_RULE_STORES:?names a program} "$@" >stores || bad "no stores of tests/rules: $*"
}

# serve_script SCRIPT [ARGUMENT...]: a server of tests/support until the test ends; its address in $server
serve_script() {
	local keep name=${1%.py}
	mkfifo "$name.in"
	python3 "$ZINC_SOURCE_DIR/tests/support/$1" "${@:2}" <"$name.in" >"$name.port" &
	exec {keep}>"$name.in"
	for _ in $(seq 200); do
		[ -s "$name.port" ] && break
		sleep 0.05
	done
	server=http://127.0.0.1:$(cat "$name.port")
}

# serve NAME [option...]: a web server for the directory `served`, until this script ends or closes $keep; its port in
# $port, its requests in NAME.log
serve() {
	mkfifo "$1.in"
	: >"$1.log"
	python3 "$ZINC_SOURCE_DIR/tests/support/http_server.py" served --log "$1.log" "${@:2}" <"$1.in" >"$1.port" &
	exec {keep}>"$1.in"
	for _ in $(seq 200); do
		[ -s "$1.port" ] && break
		sleep 0.05
	done
	port=$(cat "$1.port")
}

# embedded_endings: $endings of the embedded databases of this build.  Kyoto and Tokyo Cabinet hold more locks at once than
# ThreadSanitizer's deadlock detector can follow, which would end the program.
embedded_endings() {
	local store
	export TSAN_OPTIONS="${TSAN_OPTIONS:-}:detect_deadlocks=0"
	zinc 0 --version
	endings=
	for store in leveldb:leveldb berkeleydb:bdb kyotocabinet:kct kyotocabinet:kch tokyocabinet:tcb tokyocabinet:tch; do
		! grep -q "${store%:*} *yes" out || endings="$endings ${store#*:}"
	done
}

# numpy SCRIPT...: run by a python3 with NumPy; false if there is none
numpy() {
	local python
	for python in python3 /usr/bin/python3; do
		if "$python" -c 'import numpy' 2>/dev/null; then
			"$python" "$@" >&2 || bad "NumPy disagrees"
			checks=$((checks + 1))
			return 0
		fi
	done
	return 1
}

finish() {
	if [ -s json_lines ] && python3 -c 'import json' 2>/dev/null; then
		python3 -c 'import json
for line in open("json_lines"): json.loads(line)' || bad "not JSON"
	fi
	echo "$checks checks"
}
