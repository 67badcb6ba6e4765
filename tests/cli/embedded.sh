#!/usr/bin/env bash
# embedded.sh - bare paths with the endings of LevelDB, Berkeley DB, Kyoto Cabinet and Tokyo Cabinet are their databases
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
embedded_endings
[ -n "$endings" ] || exit 77

bytes 01 02 03 04 05 06 >raw
zinc 0 create a.zarr/g/t --shape 2,3 --dtype uint8 --chunks 2,2
zinc 0 put a.zarr/g/t --from raw

for ending in $endings; do
	# ---- one command after the other, each a process of its own ----
	zinc 0 cp a.zarr "x.$ending"
	zinc 0 diff a.zarr "x.$ending"
	zinc 0 tree "x.$ending"
	has "t  uint8 (2, 3)"
	zinc 0 cat "x.$ending/g/t" --as json
	prints <<<'[[1,2,3],[4,5,6]]'
	zinc 0 validate "x.$ending"
	has "0 errors, 0 warnings"
	zinc 0 cp "x.$ending/g/t" "y.$ending/u"
	zinc 0 rm "x.$ending/g" --yes
	zinc 0 ls "x.$ending"
	lacks "g"
	# ---- no place for a new one ----
	zinc 3 create "nowhere/x.$ending/t" --shape 4 --dtype uint8
	says "nowhere/x.$ending"
	lacks LOCK err
	# ---- a directory that only has the name ----
	mkdir "plain.$ending"
	zinc 0 cp a.zarr "plain.$ending"
	[ -f "plain.$ending/zarr.json" ] || bad "a directory became a database: $(ls "plain.$ending")"
done
finish
