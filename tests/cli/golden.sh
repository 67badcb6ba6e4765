#!/usr/bin/env bash
# golden.sh - hierarchies of the drafts that were made by hand are read element by element, and written byte by byte
#
# Layouts of types of fixed size: 19-19+ 20-22+ 22-28+.  URLs into a hierarchy are resolved to its root: 20-99+ 22-130+.
# 19-11+ 20-11+ 22-15+ 19-17+ 19-18+ 20-20+ 20-21+ 22-26+ 22-27+ 22-25+ 22-32+ 22-163+ 22-144+ 22-145+ 22-146+
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
golden=$SOURCE/tests/golden

# raw HEX URL - write elements, given as little-endian bytes
raw() {
	printf "$(sed 's/../\\x&/g' <<<"$1")" >raw
	zinc 0 put "$2" --from raw
}

# reads URL ELEMENTS - as one line of JSON
reads() {
	zinc 0 cat "$1" --as json
	[ "$(tr -d ' \n' <out)" = "$2" ] || bad "$1: not $2"
}

for draft in v3-2019 v3-2020 v3-2022; do
	[ "$draft" = v3-2019 ] && slash=v2/ || slash=default.
	tree=$golden/$draft/tree
	zinc 0 validate --strict "$tree"
	zinc 0 tree "$tree"
	reads "$tree/foo/bar" '[[1,2,3],[4,5,6]]'
	reads "$tree/foo/big" '[[1.0,2.0],[0.5,-1.5]]'
	reads "$tree/flag" true
	reads "$tree/zip" '[1,2,3,4,0,0]'
	reads "$golden/$draft/root" '[[1,2],[3,4]]'
	zinc 0 attrs "$tree/foo/baz"
	has '"eggs"'

	zinc 0 create --format $draft "$draft.zarr/foo/bar" --shape 2,3 --chunks 2,2 --dtype int16 --codecs none --fill=-1 --attrs '{"unit":"K"}'
	zinc 0 create "$draft.zarr/foo/baz" --group --attrs '{"spam":"ham","eggs":42}'
	zinc 0 create "$draft.zarr/foo/big" --shape 2,2 --chunks 2,2 --dtype float32 --codecs none --fill NaN --order F --endian big
	zinc 0 create "$draft.zarr/flag" --shape "" --dtype bool --codecs none
	zinc 0 create "$draft.zarr/zip" --shape 6 --chunks 4 --dtype uint8 --codecs gzip:0
	raw 010002000300040005000600 "$draft.zarr/foo/bar"
	raw 0000803f000000400000003f0000c0bf "$draft.zarr/foo/big"
	raw 01 "$draft.zarr/flag"
	raw 010203040000 "$draft.zarr/zip"
	if [ $draft = v3-2022 ]; then
		reads "$tree/shard" '[7,0,9,0]'
		zinc 0 create "$draft.zarr/shard" --shape 4 --chunks 1 --shards 3 --dtype uint16 --codecs none
		raw 0700000009000000 "$draft.zarr/shard"
	fi
	diff -r "$tree" "$draft.zarr" || bad "$draft: not the same bytes"

	zinc 0 create --format $draft "$draft-root.zarr" --shape 2,2 --chunks 1,2 --dtype int8 --codecs none --key-encoding $slash
	raw 01020304 "$draft-root.zarr"
	diff -r "$golden/$draft/root" "$draft-root.zarr" || bad "$draft: not the same bytes"
done

finish
