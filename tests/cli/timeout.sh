#!/usr/bin/env bash
# timeout.sh - --timeout ends every command, --trace-requests shows the requests to a server
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
# Hold the locks of these keys by a process that is stopped.
hold() {
	python3 "$SOURCE/tests/support/hold_lock.py" "${@/%/.__lock}" >held &
	holder=$!
	for _ in $(seq 200); do [ -s held ] && break; sleep 0.05; done
}
trap 'kill -KILL "$holder" 2>/dev/null || :' EXIT
holder=
zinc 0 create served/d.zarr/a --shape 4 --dtype uint8 --chunks 2 --codecs none
zinc 0 create served/d.zarr/s --shape 4 --dtype uint8 --chunks 1 --shards 4
printf abcd >a.bin
zinc 0 put served/d.zarr/s --from a.bin
zinc 0 put served/d.zarr/a --from a.bin --timeout 1000
zinc 0 cat served/d.zarr/a --timeout 1e300 --trace-requests
[ ! -s err ] || bad "a local store has no requests"
zinc 2 cat served/d.zarr/a --timeout soon
zinc 2 cat served/d.zarr/a --timeout -1

# A command that waits for its input also ends, and nothing is half written.
mkfifo never
exec 8<>never
run 130 "$ZINC" put served/d.zarr/a --from never --timeout 0.1
says "--timeout"
exec 8>&-
zinc 0 cat served/d.zarr/a --as raw
cmp out a.bin

# No command waits forever for a stopped writer, and no unfinished data is left.
zinc 0 create served/d.zarr/g --group
zinc 0 consolidate served/d.zarr
mkdir -p served/d.zarr/new served/d.zarr/copy served/d.zarr/moved
hold served/d.zarr/zarr.json served/d.zarr/a/zarr.json served/d.zarr/a/c/0 served/d.zarr/g/zarr.json \
	served/d.zarr/new/zarr.json served/d.zarr/copy/__zinc_cp.json served/d.zarr/moved/__zinc_cp.json
find served -type f ! -name '*.__lock' | sort | xargs md5sum >before
printf '{"title": "x"}' >attrs.json
late() {
	run 130 "$ZINC" "$@" --timeout 0.2
	says "--timeout: the time limit is reached"
	says "waiting for"
}
late put served/d.zarr/a --from a.bin
late put served/d.zarr/a --from a.bin -s 0:4
late attrs served/d.zarr/a units=1
late resize served/d.zarr/a 6
late create served/d.zarr/new --shape 4 --dtype uint8
late rm served/d.zarr/g --yes
late consolidate served/d.zarr
late cp served/d.zarr/a served/d.zarr/copy
late mv served/d.zarr/a served/d.zarr/moved
# A process that is slow to end has said it already: on a busy machine, here by strace, which delays each write.
if [ -z "${ZINC_EMULATED:-}" ] && strace -o trace true 2>/dev/null; then
	ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" run 130 strace -f -qq -o trace -e trace=write \
		-e inject=write:delay_exit=1500000 "$ZINC" resize served/d.zarr/a 6 --timeout 0.2
	says "waiting for"
fi
kill -KILL "$holder"
find served -type f ! -name '*.__lock' | sort | xargs md5sum >after
cmp before after || bad "something was written"
rm -rf served/d.zarr/new served/d.zarr/copy served/d.zarr/moved served/d.zarr/g
find served -name '*.__lock' -delete
zinc 0 consolidate served/d.zarr --remove

zinc 0 --version
grep -q 'curl *yes' out || { finish; exit 0; }
serve server
host=127.0.0.1:$port
for command in info tree cat validate "cp new.zarr" "diff served/d.zarr"; do
	set -- $command
	run 130 "$ZINC" "$1" "http://me:sesame@$host/silent/d.zarr/a" "${@:2}" --timeout 0.1
	says "--timeout: the time limit is reached"
	lacks sesame err
	[ "$(wc -l <err)" = 1 ] || bad "$1: more than one message"
done
# The timeout also applies to a server that sends a byte a second: the document alone would take minutes.
for mode in trickle tricklehead tricklehop stalls; do
	run 130 "$ZINC" cat "http://$host/$mode/d.zarr/a" --timeout 0.2
	says "http://$host/$mode/d.zarr/a: --timeout: the time limit is reached"
done
zinc 0 cat "http://me:sesame@$host/plain/d.zarr/a?token=sesame" -s 1 --trace-requests
prints <<'END_OUT'
98
END_OUT
has "zinc: request: GET http://$host/plain/d.zarr/a/zarr.json: 200, " err
has "zinc: request: GET http://$host/plain/d.zarr/a/c/0: 200, 2 bytes, " err
lacks sesame err
zinc 0 cat "http://$host/plain/d.zarr/s" -s 1 --trace-requests
has "/plain/d.zarr/s/c/0 bytes=" err
has ": 206, " err
zinc 0 cat "http://$host/busy/d.zarr/a" --trace-requests
has ": 503, " err
has " again: 200, " err
zinc 3 cat http://127.0.0.1:1/d.zarr --trace-requests
has "zinc: request: GET http://127.0.0.1:1/d.zarr/zarr.json: Couldn't connect to server" err
exec {keep}>&-
wait
finish
