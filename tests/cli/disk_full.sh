#!/usr/bin/env bash
# disk_full.sh - a full disk: embedded databases fail with one line, keep what they had, and go on when there is room
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
if [ "${1:-}" != mounted ]; then
	unshare -rm true 2>/dev/null || { echo "no user namespaces"; exit 77; }
	exec unshare -rm bash "$0" mounted
fi
mkdir small
mount -t tmpfs -o size=13m none small || { echo "no tmpfs"; exit 77; }
embedded_endings
[ -n "$endings" ] || exit 77
head -c 8000000 /dev/urandom >raw
head -c 100000 raw >kept
head -c 768000 raw >part

# whole: what was written before the disk was full is there
whole() {
	zinc 0 cat "$db/kept" --as raw -o back --overwrite
	cmp -s kept back || bad "$db: other bytes than were written"
	zinc 0 validate "$db"
	has "0 errors, 0 warnings"
}

# Chunks of 3 000 bytes, 256 at a time, until there is no room for them
fill() {
	local i status=0
	zinc 0 create "$db/small" --shape 8000000 --dtype uint8 --chunks 3000 --codecs none
	for ((i = 0; i + 768000 < 8000000 && status == 0; i += 768000)); do
		"$ZINC" put "$db/small" -s "$i:$((i + 768000))" --from part >out 2>err || status=$?
	done
	[ "$status" = 3 ] || bad "$db: exit status $status when the disk is full"
	lines err
	[ "$count" = 1 ] || bad "$db: not one line on stderr"
}

for ending in $endings; do
	db=small/x.$ending
	cp raw small/ballast
	zinc 0 create "$db/kept" --shape 100000 --dtype uint8 --codecs none
	zinc 0 put "$db/kept" --from kept
	fill
	zinc 3 put "$db/small" --from raw -j 4 --timeout 100 # no thread goes on with the handle of another whose change failed
	[ "$ending" = leveldb ] || whole # LevelDB needs room to open a database
	rm small/ballast
	whole
	zinc 0 put "$db/kept" --from kept
	zinc 0 rm "$db/small" --yes
	whole
	rm -r small/x.*
done
finish
