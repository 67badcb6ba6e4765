#!/usr/bin/env bash
# cp.sh - copies, conversions, moves: what is kept, replaced, refused, and reported
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

said() { # text on stderr, of which there may be several lines
	grep -qF -- "$1" err || bad "stderr lacks '$1': $last"
	checks=$((checks + 1))
}

numbers() { # N little-endian 16-bit numbers
	LC_ALL=C awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) { v = (i * 37) % 30000; printf "%c%c", v % 256, v / 256 } }'
}

numbers 8000 | tr '\000' '\001' >x.raw
zinc 0 create a.zarr/g/x --shape 100,80 --dtype int16 --chunks 10,16 --shards 20,32 --codecs zstd:5+crc32c --fill 7 --dims y,x \
	--attrs '{"units": "K", "n": 1.50}'
zinc 0 put a.zarr/g/x --from x.raw
zinc 0 create a.zarr/lat --shape 50 --dtype '>f8' --fill NaN
zinc 0 attrs a.zarr/g 'source="made up"'
echo anything >a.zarr/g/note.txt

# ---- within a format: byte for byte, also foreign keys, without messages ----
zinc 0 cp a.zarr b.zarr --verify
[ ! -s out ] && [ ! -s err ] || bad "cp says something"
diff -r a.zarr b.zarr || bad "not byte for byte"
zinc 0 cp a.zarr/g/x b.zarr/new/x
diff -r a.zarr/g/x b.zarr/new/x || bad "not byte for byte"
[ -f b.zarr/new/zarr.json ] || bad "ancestors are groups"

# ---- an existing target stays ----
zinc 3 cp a.zarr b.zarr
says "already exists"
zinc 3 cp a.zarr/lat b.zarr/g
zinc 2 cp a.zarr a.zarr/g/copy
says "into itself"
zinc 2 cp a.zarr/g/x a.zarr --overwrite
says "would be erased"
ln -s a.zarr link.zarr
zinc 2 cp a.zarr link.zarr --overwrite
says "would be erased"
zinc 3 cp a.zarr/lat b.zarr/g --overwrite
says "foreign keys"
diff -r a.zarr/g b.zarr/g || bad "refused, but erased"
zinc 0 cp a.zarr/lat b.zarr/g --overwrite --force
diff -r a.zarr/lat b.zarr/g || bad "overwritten"
zinc 3 cp nothing.zarr c.zarr
says "nothing.zarr"
mkdir half.zarr
echo '{}' >half.zarr/__zinc_cp.json
zinc 3 cp a.zarr half.zarr
says "half.zarr: " # the target is named, not the source
rm -r half.zarr

# a file in the place of the target, or of a directory above it
echo mine >file
for target in file "$PWD/file"; do
	zinc 3 cp a.zarr "$target"
	says "zinc: $target: it is a file"
	zinc 3 cp a.zarr/lat "$target" --overwrite
	says "zinc: $target: it is a file"
done
zinc 3 cp a.zarr file/sub
says "zinc: file/sub: __zinc_cp.json: a file has the name of its directory"
zinc 3 cp a.zarr/lat file/sub --overwrite
says "a file has the name of its directory"
zinc 3 create file --group
says "zinc: file: it is a file"
[ "$(cat file)" = mine ] || bad "the file has changed"
# a node is also recognized through a link
zinc 2 cp a.zarr link.zarr/g/copy
says "into itself"
zinc 2 cp link.zarr a.zarr/g/copy
says "into itself"
zinc 2 cp link.zarr/g/x a.zarr --overwrite
says "would be erased"
ln -s ../a.zarr/g a.zarr/again
zinc 2 cp a.zarr/g a.zarr/again/copy
says "into itself"
rm a.zarr/again

# ---- an element that does not fit leaves nothing behind ----
zinc 0 create wide.zarr/a --shape 64 --dtype int16 --chunks 2 --fill 1000
zinc 3 info narrow.zarr
zinc 2 cp wide.zarr/a narrow.zarr/p/q --dtype int8
[ ! -e narrow.zarr/zarr.json ] && [ ! -e narrow.zarr/p ] || bad "a copy that does not fit left something"

# ---- another version of Zarr, and back ----
zinc 0 cp a.zarr v2.zarr --format v2
cat >want <<'END'
zinc: notice: /g/x: xarray will mask fill_value 7 in v2; --for-xarray keeps what it masks now
zinc: replaced: /g/x: codec crc32c is left out (and 1 more)
zinc: replaced: /g/x: shards become plain chunks of the inner shape
zinc: replaced: /g/x: chunk keys default(separator="/") become v2(separator="/") (and 1 more)
zinc: replaced: /: 1 keys that belong to no node are not copied to another format
END
cmp want err || bad "what is replaced"
zinc 0 tree v2.zarr
prints <<'END'
v2.zarr
├── g
│   └── x  int16 (100, 80)  chunks (10, 16)  zstd
└── lat  float64 (50,)  chunks (50,)  zstd
END
zinc 0 validate v2.zarr
zinc 0 cat v2.zarr/g/x --as raw
cmp out x.raw || bad "elements in v2"
zinc 0 info --json v2.zarr/lat
has '"byte_order":"big"'
zinc 0 cp v2.zarr v3.zarr --format v3 --verify
zinc 0 info --json v3.zarr/g/x
has '"dimension_names":["y","x"]'
has '"fill_value":7'
has '"attributes":{"units":"K","n":1.50}'
zinc 0 cat v3.zarr/g/x --as raw
cmp out x.raw || bad "elements back in v3"
zinc 0 cp v2.zarr/g/x v3.zarr/from2 # the format of its hierarchy
zinc 0 info --json v3.zarr/from2
has '"format":"v3"'
zinc 0 cp a.zarr v3.zarr --format v2 --overwrite # whatever existed before
[ ! -e v3.zarr/zarr.json ] || bad "documents of another format are left"
zinc 2 cp a.zarr c.zarr --format v99
says "v99"

# ---- drafts: two trees below an entry point, whose keys follow the entry point ----
for format in v3-2019 v3-2020 v3-2022; do
	zinc 0 create d-$format.zarr/old --shape 3 --dtype int8 --format $format
	zinc 0 cp a.zarr/g/x d-$format.zarr/new/y
	zinc 0 cat d-$format.zarr/new/y --as raw
	cmp out x.raw || bad "elements in $format"
	zinc 0 cp d-$format.zarr e-$format.zarr
	diff -r d-$format.zarr e-$format.zarr || bad "$format: not byte for byte"
	zinc 0 mv d-$format.zarr/new /q/r
	zinc 0 validate d-$format.zarr
	has ": 0 errors, 0 warnings"
	[ -z "$(find d-$format.zarr -type d -empty)" ] || bad "$format: empty directories"
done

# ---- what the target cannot represent ----
zinc 0 create s.zarr/f --shape 4 --dtype float32 --fill 0x7fc00001
zinc 0 create s.zarr/.zname --shape 4 --dtype int8
zinc 0 create s.zarr/partly --shape 2,3 --dtype int8 --dims ,x
zinc 2 cp s.zarr c.zarr --format v2
says "/.zname: the whole node"
says "/f: the bits of the fill value 0x7fc00001"
says "/partly: dimension names"
[ ! -e c.zarr ] || bad "something was written"
zinc 2 cp s.zarr c.zarr --format v2 --dry-run
said "lost: /f: the bits of the fill value"
zinc 0 cp s.zarr c.zarr --format v2 --lossy
said "lost: /.zname: the whole node"
said "lost: /f: the bits of the fill value 0x7fc00001"
said "lost: /partly: dimension names"
zinc 0 ls c.zarr
prints <<<'f
partly'
zinc 0 info --json c.zarr/f
has '"fill_value":"NaN"'

# undefined members, and numbers that JSON does not have
zinc 0 create u.zarr/a --shape 4 --dtype int8 --format v2
sed -i 's/"zarr_format"/"odd": 5, "zarr_format"/' u.zarr/a/.zarray
echo '{"m": NaN, "n": 1.50}' >u.zarr/a/.zattrs
zinc 2 cp u.zarr c3.zarr --format v3
grep -q 'cannot hold this: /a: the member "odd"' err || bad "unknown member"
zinc 0 cp u.zarr c3.zarr --format v3 --lossy
has '"m": NaN' c3.zarr/a/zarr.json
zinc 0 cp u.zarr u2.zarr --chunks 2 # within the format they stay
has '"odd": 5' u2.zarr/a/.zarray
has '"chunks": [2]' u2.zarr/a/.zarray
has '"m": NaN' u2.zarr/a/.zattrs

# attributes of a group without a document are copied; keys that belong to no node are reported
zinc 0 create bare.zarr/x/a --shape 4 --dtype int8 --format v2
rm bare.zarr/x/.zgroup
mkdir bare.zarr/notes
echo '{"k": 1.50}' | tee bare.zarr/x/.zattrs >bare.zarr/notes/.zattrs
echo '{}' >bare.zarr/x/a/.nczarray
echo '{"metadata": {}, "zarr_consolidated_format": 1}' >bare.zarr/x/.zmetadata
for format in v3 v3-2020; do
	zinc 0 cp bare.zarr bare-$format.zarr --format $format
	has "replaced: /: 2 keys that belong to no node" err
	zinc 0 attrs --json bare-$format.zarr/x
	has '"k":1.50'
done
zinc 0 cp bare.zarr bare2.zarr # within the format nothing changes
diff -r bare.zarr bare2.zarr || bad "a copy within version 2"
echo '[]' >bare.zarr/x/.zattrs
zinc 5 cp bare.zarr bare3.zarr --format v3
has x/.zattrs err

# ---- other chunks, shards, codecs, types, parts ----
zinc 0 cp a.zarr/g/x r.zarr/a --chunks 100,4 --codecs blosc:lz4:5:shuffle --verify
zinc 0 info --json r.zarr/a
has '"chunk_shape":[100,4]'
has '"shard_shape":[100,32]'
has '"cname":"lz4"'
zinc 0 cat r.zarr/a --as raw
cmp out x.raw || bad "rechunked"
zinc 0 cp r.zarr/a r.zarr/b --shards 200,80 -j 1
zinc 0 info --json r.zarr/b
has '"shard_shape":[200,80]'
zinc 0 cp a.zarr/lat r.zarr/lat --chunks auto --codecs gzip:1
zinc 0 info --json r.zarr/lat
has '"byte_order":"big"'
zinc 0 cp a.zarr/g/x r.zarr/s -s '3, 10:20' --dtype float32 --verify
zinc 0 info --json r.zarr/s
has '"shape":[10]'
has '"dimension_names":["x"]'
has '"data_type":"float32"'
has '"fill_value":7.0'
zinc 0 cat a.zarr/g/x -s '3, 10:20' --as csv
cp out want
zinc 0 cat r.zarr/s --as csv
sed 's/\.0//g' out | cmp - want || bad "selected and converted"
zinc 2 cp a.zarr/g/x r.zarr/t --dtype int8 # 29 000 does not fit
says "int8"
[ ! -e r.zarr/t/zarr.json ] || bad "a target that failed is there"
zinc 0 cp a.zarr/g/x r.zarr/t --dtype int32 --overwrite
for wrong in '--chunks 1,2,3' '--chunks x' '--chunks 0,1' '--shards 3,3' '--codecs nonsense' '--dtype int99' '-s 100' '-s 1,2,3' \
	'--chunks 1,2 --shards 1'; do
	zinc 2 cp a.zarr/g/x r.zarr/wrong $wrong
	[ ! -e r.zarr/wrong ] || bad "something was written"
done
zinc 2 cp a.zarr r.zarr/wrong -s 0:3
zinc 4 cp a.zarr/g/x r.zarr/wrong --chunks 50,80 --max-memory 8k
says "8 KiB are allowed"

# ---- --verify reads everything back ----
zinc 0 create lossy.zarr --shape 4 --dtype float32
printf '\x00\x00\x80\x3f\x01\x00\x80\x3f\xff\xff\x7f\x3f\x00\x00\x00\x40' >four # 1, 1 + 2^-23, 1 - 2^-24, 2
zinc 0 put lossy.zarr --from four
zinc 0 cp lossy.zarr rounded.zarr --verify \
	--codecs '[{"name":"bitround","configuration":{"keepbits":10}},{"name":"bytes","configuration":{"endian":"little"}}]'
has 'notice: /: verified, except for the loss by bitround: 2 of 4 elements differ from the source, by at most 1.19e-07' err
zinc 0 cp lossy.zarr same.zarr --verify --codecs zstd
lacks verified err
printf '\x00\x00\x80\x3f\x00\x00\xc0\x7f\x00\x00\x80\x3f\x00\x00\x00\x40' >four # 1, NaN, 1, 2
zinc 0 create nan.zarr --shape 4 --dtype float32
zinc 0 put nan.zarr --from four
zinc 5 cp nan.zarr allnan.zarr --verify --codecs '[{"name":"numcodecs.delta","configuration":{"dtype":"<f4"}},
	{"name":"bytes","configuration":{"endian":"little"}}]'
says "2 numbers became NaN"
zinc 0 cp nan.zarr bits.zarr --verify \
	--codecs '[{"name":"bitround","configuration":{"keepbits":10}},{"name":"bytes","configuration":{"endian":"little"}}]'
zinc 0 cp lossy.zarr unlooked.zarr \
	--codecs '[{"name":"bitround","configuration":{"keepbits":10}},{"name":"bytes","configuration":{"endian":"little"}}]'
lacks verified err

# ---- bytes are copied unchanged; --verify and mv also decode them, and name those that do not decode ----
for format in v3 v2; do
	for how in flip empty; do
		rm -rf bad.zarr badcopy.zarr
		zinc 0 create bad.zarr/x --shape 64 --dtype int16 --chunks 16 --codecs zstd+crc32c --format $format
		head -c 128 /dev/zero | tr '\0' '\7' | "$ZINC" put bad.zarr/x --from -
		chunk=c/2
		[ $format = v3 ] || chunk=2
		[ $how = flip ] || : >bad.zarr/x/$chunk
		[ $how = empty ] || printf '\377' | dd of=bad.zarr/x/$chunk bs=1 seek=9 conv=notrunc status=none
		zinc 0 cp bad.zarr badcopy.zarr
		diff -r bad.zarr badcopy.zarr || bad "$format: a copy without --verify is byte for byte"
		rm -r badcopy.zarr
		zinc 5 cp bad.zarr badcopy.zarr --verify
		says "bad.zarr: x/$chunk"
		zinc 3 info badcopy.zarr/x
		cp -r bad.zarr was.zarr
		zinc 5 mv bad.zarr/x bad.zarr/y
		says x/$chunk
		zinc 0 info bad.zarr/x
		zinc 3 info bad.zarr/y
		diff -r was.zarr/x bad.zarr/x || bad "mv changed the source"
		# and before an old target is erased
		rm -rf was.zarr old.zarr
		zinc 0 create old.zarr/x --shape 4 --dtype int8
		cp -r old.zarr was.zarr
		zinc 5 cp bad.zarr/x old.zarr/x --verify --overwrite
		diff -r was.zarr old.zarr || bad "the old target has changed"
		rm -rf was.zarr old.zarr
	done
done
zinc 0 create rare.zarr/x --shape 1000000 --dtype uint8 --chunks 1000000 --codecs zstd
head -c 1000000 /dev/zero | tr '\0' '\1' | "$ZINC" put rare.zarr/x --from -
zinc 0 cp rare.zarr rare2.zarr --max-memory 100k
zinc 4 cp rare.zarr rare3.zarr --max-memory 100k --verify
says "decoded from them"
[ ! -e rare3.zarr ] || bad "something was written"
zinc 0 cp rare.zarr rare3.zarr --max-memory 2M --verify
# chunks outside of the shape are copied, too, and chunks that this build cannot decode are compared
zinc 0 resize rare2.zarr/x 500000
cp rare2.zarr/x/c/0 rare2.zarr/x/c/1
zinc 0 cp rare2.zarr rare4.zarr --verify
sed -i 's/"name": "zstd"/"name": "example.unheard-of"/' rare2.zarr/x/zarr.json
zinc 0 cp rare2.zarr rare5.zarr --verify
cmp rare2.zarr/x/c/0 rare5.zarr/x/c/0 || bad "not the same"

# ---- objects copied undecoded are held whole: one beyond the limit is named before anything is written ----
zinc 0 create big.zarr/x --shape 40000 --dtype uint8 --chunks 30000 --codecs none
head -c 40000 /dev/zero | tr '\0' '\1' | "$ZINC" put big.zarr/x --from -
zinc 4 cp big.zarr big2.zarr --max-memory 20k
says "big.zarr: x/c/0: its 30000 bytes are held in memory as a whole, but max-memory is 20480"
zinc 4 cp big.zarr big2.zarr --max-memory 40k --verify
says "x/c/0: its 30000 bytes are held in memory twice, to verify them, but max-memory is 40960"
head -c 70000 /dev/zero >big.zarr/notes.txt
zinc 4 cp big.zarr big2.zarr --max-memory 60k --verify
says "big.zarr: notes.txt: its 70000 bytes"
[ ! -e big2.zarr ] || bad "something was written"
zinc 0 cp big.zarr big2.zarr --max-memory 80k --verify
diff -r big.zarr big2.zarr || bad "copied within the limit"
zinc 2 cp a.zarr
zinc 2 cp a.zarr b.zarr c.zarr

# ---- the plan ----
zinc 0 cp a.zarr p.zarr --dry-run --chunks 5,80
cat >want <<'END'
/g/x: decode and encode 50 chunks into 15 objects of 20 x 80 in 1 boxes; each chunk is read 1.0 times, each object written once, within 512 MiB
/lat: copy 0 objects of 0 bytes as they are
END
sed -i 's/into [0-9]* objects/into 15 objects/' out
cmp want out || bad "the plan"
zinc 0 cp a.zarr p.zarr --dry-run --format v2 --json
is_json
has '{"source":"a.zarr","target":"p.zarr","dry_run":true,"groups":2,"arrays":2,'
has '{"kind":"replaced","path":"/g/x","message":"shards become plain chunks of the inner shape"}'
[ ! -e p.zarr ] || bad "--dry-run wrote something"
zinc 0 cp a.zarr p.zarr --json --progress always
is_json
has '"dry_run":false'
has '"raw":16'
grep -q 'copied 16 chunks' err || bad "no summary"

# ---- codecs by name alone, and unknown ones ----
zinc 0 create named.zarr --shape 8 --dtype uint8
printf abcdefgh | zinc 0 put named.zarr --from -
for codecs in '[{"name": "bytes"}, "crc32c"]' '["packbits"]'; do
	zinc 0 cp named.zarr "named $codecs" --codecs "$codecs"
	lacks "?" err
	zinc 0 diff named.zarr "named $codecs"
done
grep -q '"crc32c"' 'named [{"name": "bytes"}, "crc32c"]/zarr.json' || bad "a codec was left out"
for codecs in '["bytes", {"name": "nope"}]' '["bytes", "nope"]' jpeg '[{"name": "jpeg"}]'; do
	zinc 4 cp named.zarr unknown.zarr --codecs "$codecs"
	zinc 4 create unknown.zarr --shape 8 --dtype uint8 --codecs "$codecs"
done
[ ! -e unknown.zarr ] || bad "a copy with an unknown codec"

# ---- moving ----
zinc 0 mv p.zarr/g/x /deep/y --dry-run
prints <<<'would move /g/x to /deep/y'
zinc 0 mv p.zarr/g/x /deep/y
diff -r a.zarr/g/x p.zarr/deep/y || bad "moved"
[ ! -e p.zarr/g/x ] || bad "it is still there"
zinc 0 mv p.zarr/deep/y p.zarr/deep/z # the URL of the new place is also accepted
zinc 0 mv p.zarr/deep/z /deep/y
diff -r a.zarr/g/x p.zarr/deep/y || bad "moved back"
zinc 3 mv p.zarr/deep/y lat
says "already exists"
zinc 3 mv p.zarr/deep/none /q
zinc 2 mv p.zarr/deep /deep/below
# into another store, whether it exists or not: an error, and nothing is moved
for new in o.zarr/u ./a.zarr/u "$PWD/o.zarr/u" "file://$PWD/o.zarr/u" "a.zip|zip:u"; do
	zinc 2 mv p.zarr/deep/y "$new"
	says "another store"
	zinc 0 info p.zarr/deep/y
	[ ! -e o.zarr ] && [ ! -e p.zarr/o.zarr ] || bad "moved somewhere: $new"
done
zinc 0 mv p.zarr/deep/y ./p.zarr/deep/z # the same store by another name
zinc 0 mv p.zarr/deep/z "$PWD/p.zarr/deep/y"
here=$PWD
cd a.zarr # a hierarchy around the working directory is not used
run 0 "$ZINC" mv "$here/p.zarr/deep/y" within
run 0 "$ZINC" mv "$here/p.zarr/within" /deep/y
rm out err
cd "$here"
finish
