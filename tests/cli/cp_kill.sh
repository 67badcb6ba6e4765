#!/usr/bin/env bash
# cp_kill.sh - kill -9 at random moments of a copy, then --resume: the target is equal to the source
#
# CP_KILLS moments [20], spread over a plain copy, a conversion and a rechunk in two passes.
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

kills=${CP_KILLS:-20}
[ -z "${ZINC_EMULATED-}" ] || kills=3
if [ -d /dev/shm ] && [ -w /dev/shm ]; then # where fsync costs nothing, so that more happens between two kills
	place=$(mktemp -d -p /dev/shm)
	trap 'rm -rf "$place"' EXIT
	cd "$place"
fi

head -c 4194304 /dev/urandom >x.raw
"$ZINC" create a.zarr/x --shape 64,128,256 --dtype int16 --chunks 1,64,256 --codecs none --dims t,y,x --attrs '{"k": 1}'
"$ZINC" put a.zarr/x --from x.raw
"$ZINC" create a.zarr/g/y --shape 100,100 --dtype float32 --chunks 5,5 --codecs zstd:1
head -c 40000 /dev/urandom >y.raw
"$ZINC" put a.zarr/g/y --from y.raw

# Sources and options of the copies.
copies=("a.zarr b.zarr" "a.zarr b.zarr --format v2" "a.zarr/x b.zarr/x --chunks 64,4,8 --max-memory 512k"
	"a.zarr b.zarr --codecs gzip:1 --dtype float64" "a.zarr b.zarr --format v3-2022")

# Duration of the copy in microseconds.
time_of() {
	local from
	rm -rf b.zarr
	from=${EPOCHREALTIME/./}
	"$ZINC" cp $1 2>/dev/null || true
	echo $((${EPOCHREALTIME/./} - from))
}

same() {
	"$ZINC" cat b.zarr/x --as raw >back.raw
	case $1 in
	*float64*) # compared as text, because the type differs
		"$ZINC" cat b.zarr/x -s '::9, ::31, ::17' --as csv | sed 's/\.0//g' >back.csv
		"$ZINC" cat a.zarr/x -s '::9, ::31, ::17' --as csv | cmp - back.csv || return 1
		;;
	*) cmp x.raw back.raw || return 1 ;;
	esac
	[ ! -e b.zarr/__zinc_cp.json ] && [ ! -e b.zarr/x/__zinc_cp.json ] || return 1
	[ "$("$ZINC" info --json b.zarr/x | grep -o '"dimension_names":[^]]*]')" = '"dimension_names":["t","y","x"]' ]
}

killed=0 resumed=0
for ((i = 0; i < kills; i++)); do
	copy=${copies[i % ${#copies[@]}]}
	[ -n "${took[i % ${#copies[@]}]-}" ] || took[i % ${#copies[@]}]=$(time_of "$copy")
	rm -rf b.zarr
	for ((n = 0, status = 137; n < 4 && status == 137; n++)); do # again during the resumed copy, up to three times
		"$ZINC" cp $copy --resume -j $((1 + RANDOM % 4)) 2>err & # each time with another number of threads
		pid=$!
		us=$(((RANDOM * 32768 + RANDOM) % (took[i % ${#copies[@]}] + 1000)))
		if [ $n -lt 3 ]; then
			sleep "$(printf '0.%06d' $((us % 1000000)))"
			if kill -9 $pid 2>/dev/null; then killed=$((killed + 1)); fi
		else
			resumed=$((resumed + 1))
		fi
		status=0
		wait $pid 2>/dev/null || status=$?
	done
	if [ "$status" = 3 ] && [ $n -gt 1 ] && grep -q 'already exists' err; then status=0; fi # it had finished
	[ "$status" = 0 ] || bad "kill $i of 'cp $copy' after $us us: exit status $status"
	same "$copy" || bad "kill $i of 'cp $copy' after $us us: the target differs"
	"$ZINC" validate b.zarr --json >out || bad "kill $i: the target is not valid"
	has '"errors":0'
done

# ---- killed while it erased a temporary array whose first step had to be repeated ----
copy=${copies[2]}
rm -rf b.zarr
"$ZINC" cp $copy 2>err &
pid=$!
while kill -0 $pid 2>/dev/null && [ ! -e b.zarr/x/__zinc_cp_pass/zarr.json ]; do :; done
kill -9 $pid 2>/dev/null || true
wait $pid 2>/dev/null || true
if [ -e b.zarr/x/__zinc_cp_pass/zarr.json ]; then
	rm b.zarr/x/__zinc_cp_pass/zarr.json
	mkdir -p b.zarr/x/__zinc_cp_pass/c/0/0
	echo half >b.zarr/x/__zinc_cp_pass/c/0/0/0
	sed -i 's/"done": [0-9]*/"done": 0/' b.zarr/x/__zinc_cp.json
	zinc 0 cp $copy --resume
	same "$copy" || bad "half a temporary array: the target differs"
fi
echo "killed $killed times, went on $resumed times"
finish
