#!/usr/bin/env bash
# n5_places.sh - N5 beside other things: roots without a mark, names and links, other versions, files of other programs
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

array() { zinc 0 create "$1" --format n5 --shape 3 --dtype uint8 "${@:2}"; }
mark() { mkdir -p "$1" && echo '{"n5": "2.0.0"}' >"$1/attributes.json"; }

# ---- the root of a copy is found, also if its source is below a root and has no mark, or no document ----
mark below.n5
mkdir -p below.n5/plain below.n5/bare
echo '{"a": 1e1}' >below.n5/plain/attributes.json
array below.n5/plain/x
array below.n5/bare/x
rm below.n5/bare/attributes.json
for group in plain bare; do
	for to in $group.n5 $group.zip; do
		zinc 0 cp below.n5/$group $to --verify
		zinc 0 diff below.n5/$group $to
	done
done
cat >wanted <<'END'
{
  "a": 1e1,
  "n5": "2.0.0"
}
END
cmp wanted plain.n5/attributes.json || bad "another document of the root"
zinc 3 cp below.n5/plain plain.n5 --resume
has "already" err

# ---- a directory without a document does not end the search for the root ----
zinc 0 info below.n5/bare/x
has "/bare/x  array, n5"
zinc 0 mv below.n5/bare/x below.n5/y
zinc 0 info below.n5/y
has "/y  array, n5"

# ---- files named attributes.json of other programs are neither nodes nor in the way ----
mkdir -p mine/sub
echo '{"mine": 1}' | tee mine/attributes.json >mine/sub/attributes.json
for what in '--shape 3 --dtype uint8' --group; do
	# shellcheck disable=SC2086
	zinc 3 create mine --format n5 $what --overwrite
	has "nothing was erased" err
done
zinc 3 cp plain.n5 mine --format n5 --overwrite
[ "$(cat mine/attributes.json mine/sub/attributes.json)" = '{"mine": 1}
{"mine": 1}' ] || bad "a file of another program"
zinc 0 create others.zarr/a --shape 9 --chunks 3 --dtype uint8 --codecs none
printf abcdefghi | zinc 0 put others.zarr/a --from -
mkdir -p others.zarr/a/q others.zarr/g
echo '{"mine": 1}' | tee others.zarr/attributes.json others.zarr/g/attributes.json others.zarr/a/q/attributes.json >others.zarr/a/c/attributes.json
for command in tree "ls -r" validate du; do
	# shellcheck disable=SC2086
	zinc 0 $command others.zarr
done
zinc 0 resize others.zarr/a 3
[ ! -e others.zarr/a/c/2 ] || bad "a chunk outside the shape"

# one that cannot be read may be of N5, and does not end the work on the others
other=()
[ "$(id -u)" != 0 ] || other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if "${other[@]}" "$ZINC" --version >/dev/null 2>&1; then
	place=$(mktemp -d)
	trap 'rm -rf "$place"' EXIT
	chmod 755 "$place"
	cp -a others.zarr "$place/u.zarr"
	[ "$(id -u)" != 0 ] || chown -R 65534 "$place"
	chmod 0 "$place/u.zarr/g/attributes.json"
	run 1 "${other[@]}" "$ZINC" tree "$place/u.zarr"
	has "g  (cannot be shown: cannot open"
	run 1 "${other[@]}" "$ZINC" validate "$place/u.zarr"
	has "error hidden: g/attributes.json"
	run 1 "${other[@]}" "$ZINC" du "$place/u.zarr"
	has "g/attributes.json  (the document of a node that no listing shows)"
fi

# ---- what cannot be named or reached is a finding ----
array names.n5/a
cp -r names.n5/a 'names.n5/back\slash'
cp -r names.n5/a $'names.n5/bad\xff'
ln -s . names.n5/loop
mkdir names.n5/g
ln -s nowhere names.n5/g/link
for command in tree "ls -r" validate; do
	# shellcheck disable=SC2086
	zinc 1 $command names.n5
	for name in 'back\slash' 'bad\xff' loop link; do
		has "$name"
	done
done
zinc 1 diff names.n5 names.n5
zinc 1 cp names.n5 names.zarr --format v3
has "nothing is copied: 4 entries" err
[ ! -e names.zarr ] || bad "a part of a copy"

# ---- N5 in version 3, below a group and below an array ----
zinc 0 create outer.zarr/a --shape 4 --dtype uint8
cp -r plain.n5 outer.zarr/in.n5
cp -r plain.n5/x outer.zarr/a/in
for command in tree "ls -r" validate du; do
	# shellcheck disable=SC2086
	zinc 1 $command outer.zarr
	has "in.n5"
done
zinc 1 diff outer.zarr outer.zarr
zinc 1 validate outer.zarr
has "error hidden: in.n5/attributes.json"
has "error hidden: a/in/attributes.json"

# ---- two versions in one place: blocks of one are no orphans of the other ----
mkdir both
echo '{"n5": "2.0.0", "dimensions": [9], "blockSize": [3], "dataType": "uint8", "compression": {"type": "raw"}}' >both/attributes.json
cat >both/zarr.json <<'END'
{"zarr_format": 3, "node_type": "array", "shape": [6], "data_type": "uint8", "fill_value": 0,
 "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [3]}},
 "chunk_key_encoding": {"name": "v2", "configuration": {"separator": "/"}},
 "codecs": [{"name": "n5_default", "configuration": {"codecs": [{"name": "bytes"}]}}]}
END
printf abcdefghi | zinc 0 put both --format n5 --from -
zinc 0 validate both --repair --orphans
has "it may belong to the other version beside it"
has "M1: attributes.json: a document of another version"
sed -i 's/\[6\]/[12]/' both/zarr.json
printf abcdefghijkl | zinc 0 put both --from -
zinc 0 validate both --format n5 --repair --orphans
zinc 0 cat both --as raw
[ "$(cat out)" = abcdefghijkl ] || bad "a block was erased"

# ---- groups without attributes of other programs are empty directories ----
mark empty.n5
mkdir -p empty.n5/g1/g2
array empty.n5/a
mkdir empty.n5/a/5
zinc 0 validate empty.n5 --repair
[ -d empty.n5/g1/g2 ] || bad "a group of another program was removed"
[ ! -e empty.n5/a/5 ] || bad "an empty directory of blocks is kept"

# ---- minus zero is no zero ----
zinc 0 create minus.zarr/b --shape 4 --chunks 2 --dtype float32 --fill -0.0
zinc 2 cp minus.zarr minus.n5 --format n5
zinc 0 cp minus.zarr minus.n5 --format n5 --lossy
has "lost: /b: the fill value -0.0" err
zinc 0 cat minus.n5/b
prints <<<"[-0. -0. -0. -0.]"

# ---- which arrays have a checksum ----
for codec in gzip:5 numcodecs.zlib:5 numcodecs.bz2:5 numcodecs.lzma:6 n5_lz4; do
	array "sums.n5/$codec" --codecs "$codec"
done
zinc 0 validate sums.n5
lacks "no checksum"
array sums.n5/none --codecs none
array sums.n5/zstd --codecs zstd:3
zinc 0 validate sums.n5
has "no checksum: /none, /zstd"

array name.n5/a
sed -i '/"compression": {/,$d' name.n5/a/attributes.json
echo '"compression": "gzip"}' >>name.n5/a/attributes.json
zinc 0 validate name.n5
has "warning N5-7"
zinc 1 validate name.n5 --strict

finish
