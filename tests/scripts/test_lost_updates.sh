#!/usr/bin/env bash
# test_lost_updates.sh - no update of eight writers at once is lost, on each store of one machine that this build has
#
# tests/live/store_race.c says what the writers do.  Stores of servers are tested by scripts/stores.sh.
set -euo pipefail
[ -z "${ZINC_EMULATED:-}" ] || exit 77 # too slow, and no threads after fork()
race=$ZINC_BUILD_DIR/tests/store_race
writes=${ZINC_RACE_WRITES:-100}
[ -z "${ZINC_LONG:-}" ] || writes=1000

# has STORE: this build has it
has() { "$ZINC" stores --json | grep -qE "\"name\":\"$1\",[^}]*\"missing\":null"; }

"$race" -t 'memory://race/{}' "$writes"
"$race" "$PWD/race.zarr/{}" "$writes"
"$race" -t "$PWD/threads.zarr/{}" "$writes"
"$race" "$PWD/race.zip/{}" $((writes / 10)) # each write appends to the archive
stores=(sqlite lmdb leveldb)
# tests/support/embedded.c says why
grep -q '^ZINC_SANITIZE:STRING=thread' "$ZINC_BUILD_DIR/CMakeCache.txt" ||
	stores+=(berkeleydb:bdb kyotocabinet:kct tokyocabinet:tcb)
for store in "${stores[@]}"; do
	ending=${store#*:} store=${store%:*}
	if has "$store"; then
		"$race" "$store://$PWD/race.$ending/{}" "$writes"
		"$race" -t "$store://$PWD/threads.$ending/{}" "$writes"
	else
		echo "$store: this build does not have it"
	fi
done

# The program itself: a lost update is seen.  Without exclusion of other writers there is nothing to test.
status=0
"$race" "$PWD/race.zarr/{}" 1 >/dev/null 2>&1 || status=$?
[ "$status" = 1 ] || { echo "FAILED: status $status where the arrays exist already"; exit 1; }
