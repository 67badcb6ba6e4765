#!/usr/bin/env bash
# n5.sh - N5 in every command: found without a format, created, changed, copied both ways, checked, erased
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

is() { prints <<<"$1"; }
numbers() { seq 0 104 | awk '{ printf "%c%c", $1 % 256, 0 }'; } # 105 of int16, little-endian

# ---- made here ----
zinc 0 create c.n5/g/a --format n5 --shape 7,5,3 --chunks 4,3,2 --dtype int16 --dims z,y,x --attrs '{"resolution": [4, 4, 40]}'
grep -q '"n5": "2.0.0"' c.n5/attributes.json c.n5/g/attributes.json || bad "no version in the groups"
grep -q '"dimensions": \[3, 5, 7\]' c.n5/g/a/attributes.json || bad "dimensions are not in N5's order"
numbers >raw
zinc 0 put c.n5/g/a --from raw
[ "$(find c.n5/g/a -type f | sort | tr '\n' ' ')" = "c.n5/g/a/0/0/0 c.n5/g/a/0/0/1 c.n5/g/a/0/1/0 c.n5/g/a/0/1/1 c.n5/g/a/1/0/0 \
c.n5/g/a/1/0/1 c.n5/g/a/1/1/0 c.n5/g/a/1/1/1 c.n5/g/a/attributes.json " ] || bad "other keys"
[ "$(head -c 16 c.n5/g/a/1/1/1 | od -An -tx1 | tr -d ' \n')" = 00000003000000010000000200000003 ] || bad "the last block is not cut"
zinc 0 cat c.n5/g/a -s '6,4,:'
is "[102 103 104]"
zinc 0 cat c.n5/g/a -s 'z=3, y=0, x=0:2'
is "[45 46]"
zinc 0 info c.n5/g/a
has "/g/a  array, n5"
has "chunks       4 x 3 x 2"
zinc 0 info --json c.n5/g/a
has '"byte_order":"big"'
has '"chunk_key_example":"g/a/0/0/0"'
zinc 0 tree c.n5
has "a  int16 (7, 5, 3)  chunks (4, 3, 2)  n5"
zinc 0 validate --strict c.n5
has "2 groups, 1 array, 8 objects"
zinc 0 du c.n5
zinc 0 chunks c.n5/g/a -s '0,0,2'
has "g/a/1/0/0"
zinc 0 stats c.n5/g/a
has "max          104"

# ---- directories without a document are groups; new nodes join the hierarchy ----
mkdir c.n5/h
zinc 0 create c.n5/h/b --shape 3 --dtype uint8
[ -f c.n5/h/b/attributes.json ] || bad "a node of another format in N5"
rm c.n5/h/attributes.json
zinc 0 ls c.n5
is "g
h"
zinc 0 info c.n5/h
has "n5"
[ ! -s err ] || bad "a warning"
zinc 2 create c.n5/g/a/0/x --shape 3 --dtype uint8
has "in the storage of an array" err
zinc 3 info c.n5/g/a/0

zinc 2 consolidate c.n5
has "n5 has no consolidated metadata" err
zinc 0 consolidate --remove c.n5
zinc 0 create empty.n5 --group --format n5 --attrs '{"title": "x"}'
zinc 0 attrs empty.n5 title
is '"x"'
zinc 0 cp c.n5 tree.n5
rm tree.n5/h/b/attributes.json tree.n5/g/attributes.json
zinc 0 tree tree.n5
has "g  (implicit)"
zinc 0 mv tree.n5/g tree.n5/moved
zinc 0 cp tree.n5/moved tree.zarr --format v3
zinc 0 rm --yes tree.n5/moved
[ ! -e tree.n5/moved/a/0 ] || bad "blocks of an erased group"

# ---- levels of a multiscale group, as COSEM has them ----
zinc 0 create levels.n5/v/s0 --format n5 --shape 40,60 --dtype uint8
zinc 0 create levels.n5/v/s1 --shape 20,30 --dtype uint8
zinc 0 attrs levels.n5/v 'multiscales=[{"name": "v", "datasets": [{"path": "s0"}, {"path": "s1", "transform": {"scale": [8, 8]}}]}]'
zinc 0 conventions levels.n5/v
has "level 1  /v/s1  20 x 30"

# ---- attributes.json of others ----
mkdir -p other
echo '{"title": "mine"}' >other/attributes.json
zinc 3 info other
zinc 0 create other/x --shape 3 --dtype uint8
[ -f other/x/zarr.json ] || bad "N5 in a directory of somebody's"

# ---- edits ----
zinc 0 attrs c.n5/g/a units='"nm"'
zinc 0 attrs c.n5/g/a units
is '"nm"'
grep -q '"resolution": \[4, 4, 40\]' c.n5/g/a/attributes.json || bad "an attribute is lost"
zinc 2 attrs c.n5/g/a blockSize=3
has "N5 has a member of its own" err
zinc 0 resize c.n5/g/a 8,5,3
zinc 0 cat c.n5/g/a -s '5:,4,2'
is "[ 89 104   0]"
zinc 0 resize c.n5/g/a 7,5,3

# ---- copies ----
zinc 0 cp c.n5 v3.zarr --format v3
zinc 0 diff c.n5 v3.zarr
grep -q '"name": "gzip"' v3.zarr/g/a/zarr.json || bad "another codec"
! grep -q '"n5"' v3.zarr/g/a/zarr.json || bad "blocks of N5 in version 3"
zinc 0 cp c.n5 v2.zarr --format v2
zinc 0 diff c.n5 v2.zarr
for from in v3 v2; do
	zinc 0 cp $from.zarr "$from.n5" --format n5
	zinc 0 diff c.n5 "$from.n5"
	zinc 0 validate --strict "$from.n5"
done
zinc 0 cp c.n5 same.n5
lacks : err
cmp c.n5/g/a/1/1/1 same.n5/g/a/1/1/1 || bad "blocks are not copied as they are"
zinc 0 cp c.n5 new.n5 --chunks g/a=7,5,3 --codecs zstd:3
zinc 0 diff c.n5 new.n5
zinc 0 cp c.n5 c.zip
zinc 0 diff c.n5 c.zip
zinc 0 cat 'c.zip|zip:|n5:g/a' -s '6,4,:'
is "[102 103 104]"

# what N5 cannot hold: types, scalars, fill values; elements stay what they are
zinc 0 create lacks.zarr/f --shape 4 --chunks 2 --dtype float32 --fill NaN
zinc 0 create lacks.zarr/t --shape 4 --dtype bool
zinc 0 create lacks.zarr/s --shape '' --dtype int8
zinc 0 create lacks.zarr/c --shape 4,4 --chunks 2,2 --dtype int8 --codecs transpose:1,0+zstd:3+numcodecs.adler32
zinc 2 cp lacks.zarr lacks.n5 --format n5
has "N5 has no data type bool" err
has "/f: the fill value NaN" err
zinc 0 cp lacks.zarr lacks.n5 --format n5 --lossy
has "replaced: /c: codec transpose is left out" err
has "replaced: /c: codec numcodecs.adler32 is left out" err
has "replaced: /f: codec crc32c is left out" err
zinc 0 cat lacks.n5/f
is "[nan nan nan nan]"
grep -q zstd lacks.n5/c/attributes.json || bad "the compressor is lost"

# ---- datasets of version 1 name their compression in another member ----
mkdir -p old.n5/a
echo '{"n5": "1.0.0"}' >old.n5/attributes.json
echo '{"dimensions": [3], "blockSize": [2], "dataType": "uint8", "compressionType": "raw", "unit": "nm"}' >old.n5/a/attributes.json
printf '\0\0\0\1\0\0\0\2\5\6' >old.n5/a/0
for format in v2 v3 n5; do
	zinc 0 cp old.n5/a new-$format --format $format
	lacks "compressionType" err
	zinc 0 diff old.n5/a new-$format
	zinc 0 attrs new-$format unit
	is '"nm"'
done

# ---- datasets without blockSize are one block; lists in it are nothing that N5 has ----
mkdir -p bare.n5/a bare.n5/bad
echo '{"n5": "2.0.0"}' >bare.n5/attributes.json
echo '{"dimensions": [6], "dataType": "int8", "compression": {"type": "raw"}}' >bare.n5/a/attributes.json
printf '\1\2\3\4\5\6' >six
zinc 0 put bare.n5/a --from six
zinc 0 resize bare.n5/a 2
grep -q '"blockSize": \[6\]' bare.n5/a/attributes.json || bad "the size of blocks is lost"
zinc 0 cat bare.n5/a
is "[1 2]"
zinc 0 resize bare.n5/a 6
zinc 0 cat bare.n5/a
is "[1 2 3 4 5 6]"
echo '{"dimensions": [0, 3], "blockSize": [0, 2], "dataType": "int8", "compression": {"type": "raw"}}' >bare.n5/a/attributes.json
zinc 0 resize bare.n5/a 3,5
grep -q '"blockSize": \[1, 2\]' bare.n5/a/attributes.json || bad "blocks without elements"
echo '{"dimensions": [16], "blockSize": [[4, 12]], "dataType": "int16", "compression": {"type": "raw"}}' >bare.n5/bad/attributes.json
zinc 5 info bare.n5/bad
has "a chunk length must be an integer, not a list (rule N5-5, at /blockSize)" err
zinc 5 cat bare.n5/bad
zinc 1 validate bare.n5
has "error N5-5: bad/attributes.json /blockSize"

# ---- attributes: of a group without a document, and with the name of a member ----
mkdir -p implicit.n5/g/h
cp -r bare.n5/a implicit.n5/g/h/a
echo '{"n5": "2.0.0"}' >implicit.n5/attributes.json
zinc 0 attrs implicit.n5/g k=1
zinc 0 attrs implicit.n5/g
has '"k": 1'
zinc 0 info implicit.n5/g/h
has "implicit"
zinc 3 attrs implicit.n5/nothing k=1
[ ! -e implicit.n5/nothing ] || bad "a group was made"
zinc 0 create named.zarr --group --attrs '{"n5": "x", "dimensions": [1]}'
zinc 0 create named.zarr/a --shape 4 --dtype uint8 --chunks 2 --fill 0 --attrs '{"compression": "none", "kept": 1}'
zinc 0 put named.zarr/a -s 0:2 --from <(head -c 2 six)
zinc 2 cp named.zarr named.n5 --format n5
has 'the attribute "n5", whose name has another meaning in n5' err
zinc 0 cp named.zarr named.n5 --format n5 --lossy
has 'lost: /a: the attribute "compression"' err
zinc 0 cat named.n5/a
is "[1 2 0 0]"
zinc 0 attrs named.n5/a kept
is 1
zinc 0 attrs named.n5 dimensions
has 1

# ---- damage ----
cp -r c.n5 bad.n5
printf '\0\0\0\3\0\0\0\1\0\0\0\2\0\0\0\3nonsense' >bad.n5/g/a/1/1/1
zinc 5 cat bad.n5/g/a -s '6,4,:'
has "g/a/1/1/1" err
zinc 1 validate bad.n5
has "error N5-11: g/a/1/1/1"
printf '\0\2\0\0\0\0\0\1' >bad.n5/g/a/1/1/1
zinc 4 cat bad.n5/g/a -s '6,4,:'
has "an object" err

# ---- erased ----
touch c.n5/g/a/notes.txt
zinc 3 rm --yes c.n5
has "notes.txt" err
rm c.n5/g/a/notes.txt
zinc 0 mv c.n5/g/a c.n5/g/moved
zinc 0 cat c.n5/g/moved -s '6,4,:'
is "[102 103 104]"
zinc 0 rm --yes c.n5
[ ! -e c.n5/attributes.json ] || bad "not erased"

finish
