#!/usr/bin/env bash
# other_codecs.sh - reshape, zfp, conditional and codecs that are not in the library, by the command
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

seq 1 240 | awk '{ printf "%c%c", 1 + $1 % 100, 1 + $1 / 100 }' >x.raw # int16, smooth
LITTLE='{"name":"bytes","configuration":{"endian":"little"}}'

# ---- reshape: parts of chunks, writing parts, and copies ----
for codecs in 'reshape:[[0,1],-1]' 'reshape:[-1]+gzip:1' "[{\"name\":\"reshape\",\"configuration\":{\"shape\":[4,-1]}},{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}},$LITTLE]"; do
	zinc 0 create r.zarr --shape 5,6,8 --chunks 2,6,4 --dtype int16 --codecs "$codecs" --overwrite
	zinc 0 put r.zarr --from x.raw
	zinc 0 cat r.zarr --as raw
	cmp out x.raw || bad "$codecs: elements"
	zinc 0 create plain.zarr --shape 5,6,8 --chunks 2,6,4 --dtype int16 --codecs none --overwrite
	zinc 0 put plain.zarr --from x.raw
	for select in '1, 2, 3' '0:3, 1:5, 2:7' '::2, ::3, 7' '4, :, 7'; do
		zinc 0 cat plain.zarr -s "$select" --as raw
		cp out want
		zinc 0 cat r.zarr -s "$select" --as raw
		cmp out want || bad "$codecs: $select"
	done
	zinc 0 put r.zarr -s '1:3, 2:4, 3:5' --from <(head -c 16 x.raw)
	zinc 0 put plain.zarr -s '1:3, 2:4, 3:5' --from <(head -c 16 x.raw)
	zinc 0 diff r.zarr plain.zarr
	zinc 0 validate r.zarr
	rm -rf copy.zarr
	zinc 0 cp --verify r.zarr copy.zarr --chunks 5,3,8 --codecs none
done
zinc 2 create bad.zarr --shape 5,6,8 --chunks 2,6,4 --dtype int16 --codecs 'reshape:[7,-1]'
zinc 0 create r2.zarr --shape 5,6,8 --chunks 2,6,4 --dtype int16 --codecs 'reshape:[-1]'
zinc 0 put r2.zarr --from x.raw
# version 2 has none of them: without, the elements are the same
for store in r r2; do
	rm -rf old.zarr
	zinc 0 cp $store.zarr old.zarr --format v2
	has 'codec reshape is left out' err
	zinc 0 diff $store.zarr old.zarr
done

# ---- conditional: a chunk that does not compress is stored as it is, after one byte ----
zinc 0 create c.zarr --shape 480 --chunks 240 --dtype uint8 \
	--codecs '["bytes",{"name":"conditional","configuration":{"codecs":[{"name":"gzip","configuration":{"level":1}}]}}]'
{
	head -c 240 /dev/zero | tr '\0' a
	printf '%b' "$(seq 1 240 | awk '{ printf "\\x%02x", ($1 * $1 * 7919) % 251 }')"
} >bytes.raw
zinc 0 put c.zarr --from bytes.raw
[ "$(od -An -tx1 -N 1 c.zarr/c/0)" = " 01" ] || bad "the first chunk is not compressed"
[ "$(stat -c %s c.zarr/c/1)" = 241 ] || bad "the second chunk is not stored as it is"
zinc 0 cat c.zarr --as raw
cmp out bytes.raw || bad "conditional: elements"

# ---- known by name only: everything but the elements ----
mkdir -p pco.zarr
printf '{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"int32","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"numcodecs.pcodec","configuration":{"level":8}}]}' >pco.zarr/zarr.json
zinc 0 info pco.zarr
has 'numcodecs.pcodec'
zinc 4 cat pco.zarr
has 'needs the library pco' err
zinc 4 validate pco.zarr
has 'needs the library pco'

# ---- zfp ----
if "$ZINC" --version | grep -q 'zfp *no '; then
	finish
	exit 0
fi
zinc 0 create z.zarr --shape 15,16 --chunks 6,5 --dtype float32 --codecs none
zinc 0 put z.zarr --from <(seq 1 240 | awk '{ printf "%c%c%c%c", 1 + $1 % 90, 7, 1 + $1 % 100, 65 }')
zinc 0 cp --verify z.zarr exact.zarr --codecs zfp
! grep -q 'except for the loss' err || bad "reversible loses"
zinc 0 diff z.zarr exact.zarr
zinc 0 cp --verify z.zarr rough.zarr --codecs zfp:fixed_precision:4
has 'verified, except for the loss by zfp' err
zinc 1 diff z.zarr rough.zarr
zinc 0 validate rough.zarr
# shards of zfp chunks
zinc 0 cp --verify z.zarr shards.zarr --codecs zfp --chunks 3,5 --shards 6,10
zinc 0 diff z.zarr shards.zarr
# v3 -> v2 -> v3: zfpy is a compressor there
ZFPY='[{"name":"numcodecs.zfpy","configuration":{"mode":4,"tolerance":0.5}}]'
zinc 0 cp z.zarr zfpy.zarr --codecs "$ZFPY"
zinc 0 cp zfpy.zarr zfpy2.zarr --format v2
grep -q '"compressor": *{' zfpy2.zarr/.zarray && grep -q '"filters": null' zfpy2.zarr/.zarray || bad "zfpy is no compressor"
zinc 0 diff zfpy.zarr zfpy2.zarr
zinc 0 cp zfpy2.zarr zfpy3.zarr --format v3
zinc 0 diff zfpy.zarr zfpy3.zarr
cmp zfpy.zarr/c/0/0 zfpy3.zarr/0/0 || bad "the bytes differ"
# numcodecs cannot write big-endian elements by zfpy, so nobody knows what such a document means
sed -i 's/"<f4"/">f4"/' zfpy2.zarr/.zarray
zinc 4 cat zfpy2.zarr
has 'big-endian' err
# what zfp would damage is refused, and the chunk stays
zinc 0 create n.zarr --shape 4 --chunks 4 --dtype float32 --codecs zfp:fixed_rate:8
zinc 2 put n.zarr --from <(printf '\0\0\200\77\0\0\300\177\0\0\200\77\0\0\200\77')
has 'NaN' err
[ ! -e n.zarr/c ] || bad "a chunk was written"
# a chunk at the array's end has the fill value, which the codec may refuse
zinc 0 create nan.zarr --shape 10 --chunks 8 --dtype float32 --fill NaN --codecs zfp:fixed_accuracy:0.01
zinc 2 put nan.zarr --from <(head -c 40 /dev/zero)
has "elements that are not given, such as those outside the array, have the fill value" err
zinc 0 create zero.zarr --shape 10 --chunks 8 --dtype float32 --codecs zfp:fixed_accuracy:0.01
zinc 2 put zero.zarr -s 9 --from <(printf '\0\0\300\177')
has "NaN" err
lacks "fill value" err

# what zfp would make too large for the array's type is refused, too, and the old chunk stays
for chain in cast_value:float32+zfp:fixed_accuracy:8.0 cast_value:float32+zfp:fixed_precision:6 \
	numcodecs.astype:f4+zfp:fixed_accuracy:8.0; do
	zinc 0 create back.zarr --overwrite --shape 8 --dtype uint8 --codecs "$chain"
	zinc 0 put back.zarr --from <(printf '\12\13\14\15\12\13\14\15')
	cp back.zarr/c/0 old
	zinc 2 put back.zarr -s 4: --from <(printf '\377\0\377\0')
	has 'could not be read back' err
	cmp -s back.zarr/c/0 old || bad "$chain: the old chunk is gone"
	zinc 0 cat back.zarr
done
finish
