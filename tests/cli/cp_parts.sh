#!/usr/bin/env bash
# cp_parts.sh - one copy by several processes: in turn, at once, killed and resumed
#
# CP_KILLS rounds of kills [12].
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

if [ -d /dev/shm ] && [ -w /dev/shm ]; then # where fsync costs nothing, so that more happens between two kills
	place=$(mktemp -d -p /dev/shm)
	trap 'rm -rf "$place"' EXIT
	cd "$place"
fi
rounds=${CP_KILLS:-12}
[ -z "${ZINC_EMULATED-}" ] || rounds=2

head -c 2097152 /dev/urandom >x.raw
"$ZINC" create a.zarr/x --shape 32,128,256 --dtype int16 --chunks 1,64,256 --codecs none --dims t,y,x --attrs '{"k": 1}'
"$ZINC" put a.zarr/x --from x.raw
"$ZINC" create a.zarr/g/y --shape 100,100 --dtype float32 --chunks 5,5 --codecs zstd:1
head -c 40000 /dev/urandom >y.raw
"$ZINC" put a.zarr/g/y --from y.raw
echo foreign >a.zarr/note

whole() {
	zinc 0 diff a.zarr b.zarr
	zinc 0 validate b.zarr --json
	has '"errors":0'
	[ -z "$(find b.zarr -name '__zinc_cp*')" ] || bad "journals are left"
}

unfinished() {
	zinc 3 info b.zarr
	zinc 3 validate b.zarr
	says 'unfinished copy'
	[ -e b.zarr/__zinc_cp.json ] || bad "no journal"
}

# ---- in turn: nothing appears before the last one ----
for options in '' '--format v2' '--chunks x=8,16,256 --max-memory 512k --verify' '--format v3-2022' '--codecs gzip:1'; do
	rm -rf b.zarr
	for k in 3 1 2; do
		zinc 0 cp a.zarr b.zarr --part $k/3 $options
		[ $k = 2 ] || has "part $k of 3 is done" err
		[ $k = 2 ] || unfinished
	done
	whole
	zinc 3 cp a.zarr b.zarr --part 1/3 $options # as any copy to a place that exists
	says 'already exists'
done

# ---- the same part again does nothing; other options are refused ----
rm -rf b.zarr
zinc 0 cp a.zarr b.zarr --part 1/3
zinc 0 cp a.zarr b.zarr --part 1/3 --json
has '"parts_left":2'
has '"objects":0'
zinc 3 cp a.zarr b.zarr --part 2/4
says 'other options'
zinc 3 cp a.zarr b.zarr --part 2/3 --codecs gzip:1
zinc 3 cp a.zarr b.zarr --resume
zinc 3 cp a.zarr b.zarr
unfinished
zinc 0 cp a.zarr b.zarr --part 2/3 --dry-run
has 'part 2 of 3 does'
zinc 0 cp a.zarr b.zarr --part 2/3
zinc 0 cp a.zarr b.zarr --part 3/3 --resume
whole

# ---- more parts than steps ----
rm -rf b.zarr
for k in {1..20}; do zinc 0 cp a.zarr/g b.zarr --part $k/20; done
zinc 0 diff a.zarr/g b.zarr

# ---- overwrite: part 1 erases, the others wait for it ----
zinc 3 cp a.zarr b.zarr --part 2/2 --overwrite
says 'part 1 must begin'
zinc 0 diff a.zarr/g b.zarr
zinc 0 cp a.zarr b.zarr --part 1/2 --overwrite
unfinished
zinc 0 cp a.zarr b.zarr --part 1/2 --overwrite # joins, and does not begin again
zinc 0 cp a.zarr b.zarr --part 2/2 --overwrite
whole

# ---- an unfinished copy can be erased ----
rm -rf b.zarr
zinc 0 cp a.zarr b.zarr --part 2/2
zinc 0 cp a.zarr b.zarr --overwrite
whole

# ---- usage, and a store that cannot ----
for bad in 0/3 4/3 1 1/ /2 a/b 1/2/3 -1/2 1/99999; do
	zinc 2 cp a.zarr c.zarr --part "$bad"
	[ ! -e c.zarr ] || bad "$bad has written something"
done
zinc 4 cp a.zarr c.zip --part 1/2
[ ! -e c.zip ] || bad "an archive was begun"

# ---- all at once ----
for ((i = 0; i < rounds; i++)); do
	rm -rf b.zarr
	pids=()
	for k in 1 2 3 4; do
		"$ZINC" cp a.zarr b.zarr --part $k/4 -j 1 2>err.$k &
		pids+=($!)
	done
	for k in 1 2 3 4; do wait ${pids[k - 1]} || bad "part $k at once: $(cat err.$k)"; done
	whole
done

# ---- killed at any time, then resumed ----
killed=0
for ((i = 0; i < rounds; i++)); do
	rm -rf b.zarr
	pids=()
	options=$([ $((i % 2)) = 0 ] && echo '--codecs zstd:1' || echo '--chunks x=16,32,32 --max-memory 1M --format v2')
	for k in 1 2 3; do
		"$ZINC" cp a.zarr b.zarr --part $k/3 $options -j 1 2>/dev/null &
		pids+=($!)
	done
	sleep "$(printf '0.%03d' $((RANDOM % 60)))"
	for k in 0 1 2; do
		[ $((RANDOM % 4)) = 0 ] || ! kill -9 ${pids[k]} 2>/dev/null || killed=$((killed + 1))
	done
	for k in 0 1 2; do wait ${pids[k]} 2>/dev/null || true; done
	for k in 1 2 3; do
		status=0
		"$ZINC" cp a.zarr b.zarr --part $k/3 $options --resume 2>err || status=$?
		[ $status = 0 ] || { [ $status = 3 ] && grep -q 'already exists' err; } || bad "kill $i: part $k: status $status"
	done
	rm -f b.zarr/note.lock
	whole
done
echo "killed $killed times"
finish
