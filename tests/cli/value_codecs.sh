#!/usr/bin/env bash
# value_codecs.sh - cast_value, scale_offset and packbits from the command: short forms, errors, copies
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

bytes 00 00 c0 3f 00 00 20 40 00 00 c0 7f 00 00 80 bf >four # 1.5, 2.5, NaN, -1

# ---- stored as another type ----
zinc 0 create cast.zarr --shape 4 --dtype float32 --codecs cast_value:int8:nearest-away+crc32c
zinc 2 put cast.zarr --from four
says "c/0: chunk 0: codec cast_value: element 2 is NaN, which type int8 does not have"
zinc 0 create cast.zarr --overwrite --shape 4 --dtype float32 --fill NaN --codecs '[{"name": "cast_value", "configuration":
	{"data_type": "int8", "scalar_map": {"encode": [["NaN", -128]], "decode": [[-128, "NaN"]]}}}, "bytes"]'
zinc 0 put cast.zarr --from four
zinc 0 cat cast.zarr
prints <<<"[ 2.  2. nan -1.]"
bytes 02 02 80 ff | cmp -s - cast.zarr/c/0 || bad "stored bytes"
zinc 0 validate cast.zarr
bytes 81 80 >cast.zarr/c/0
zinc 5 cat cast.zarr
says "codec bytes: 2 bytes instead of 4"

# ---- a fill value that cannot be stored, or does not come back ----
zinc 2 create bad.zarr --shape 4 --dtype float32 --fill NaN --codecs cast_value:int8
says "fill_value cannot be stored as int8"
zinc 2 create bad.zarr --shape 4 --dtype float32 --fill 0.5 --codecs cast_value:int8
says "fill_value changes when it is stored as int8"
far='[{"name": "scale_offset", "configuration": {"offset": 1e10}}, {"name": "bytes", "configuration": {"endian": "little"}}]'
zinc 2 create bad.zarr --shape 4 --dtype float32 --fill 0.1 --codecs "$far"
says "fill_value changes in chunks that are written, by rounding"
zinc 0 create far.zarr --shape 4 --dtype float32 --fill 0 --codecs "$far"
sed -i 's|"fill_value": 0[.0]*|"fill_value": 0.1|' far.zarr/zarr.json
zinc 0 validate far.zarr
has "warning scale_offset: "

# ---- scaled ----
zinc 0 create scaled.zarr --shape 2 --dtype int16 --fill 100 \
	--codecs '[{"name": "scale_offset", "configuration": {"offset": 100, "scale": 2}}]'
bytes 82 00 00 80 >two # 130, -32768
zinc 2 put scaled.zarr --from two
says "chunk 0: codec scale_offset: element 1: (x - offset) * scale is not a number of type int16"
sed 's/"offset": 100/"offset": "100"/' scaled.zarr/zarr.json >text.json && cp text.json scaled.zarr/zarr.json
zinc 0 info scaled.zarr
says "100 is not how a fill value of type int16 is written"
zinc 5 info scaled.zarr --strict

# ---- packed, and copied: a verified copy tells what lossy codecs lose, v2 cannot have them ----
bytes 01 00 00 01 00 00 01 00 00 01 >bools
zinc 0 create packed.zarr --shape 10 --dtype bool --codecs packbits
zinc 0 put packed.zarr --from bools
bytes 49 02 | cmp -s - packed.zarr/c/0 || bad "packed bytes"
zinc 0 cp packed.zarr again.zarr --verify --codecs '[{"name": "packbits", "configuration": {"padding_encoding": "first_byte"}}]'
bytes 06 49 02 | cmp -s - again.zarr/c/0 || bad "bytes with padding"
zinc 0 diff packed.zarr again.zarr
zinc 0 create lossy.zarr --shape 4 --dtype float32
bytes 00 00 80 3f 01 00 80 3f 00 00 00 40 00 00 00 00 >four # 1, 1 + 2^-23, 2, 0
zinc 0 put lossy.zarr --from four
zinc 0 cp lossy.zarr short.zarr --verify --codecs '[{"name": "packbits", "configuration": {"first_bit": 16}}]'
says "verified, except for the loss by packbits: 1 of 4 elements differ"
zinc 0 cp lossy.zarr half.zarr --verify --codecs cast_value:float16
says "verified, except for the loss by cast_value: 1 of 4 elements differ"
zinc 0 cp half.zarr old.zarr --format v2
has "codec cast_value is left out" err
zinc 0 diff half.zarr old.zarr

# ---- without cast_value, numbers of several bytes need a byte order ----
zinc 0 create cast8.zarr --shape 4 --dtype float64 --codecs '[{"name": "cast_value", "configuration": {"data_type": "int8"}}, "bytes"]'
bytes 00 00 00 00 00 00 08 40 00 00 00 00 00 00 f0 3f 00 00 00 00 00 00 10 c0 00 00 00 00 00 00 f0 3f >four # 3, 1, -4, 1
zinc 0 put cast8.zarr --from four
zinc 0 create cast8s.zarr --shape 4 --dtype float64 --codecs '[{"name": "cast_value", "configuration": {"data_type": "int8"}},
	{"name": "sharding_indexed", "configuration": {"chunk_shape": [2], "codecs": ["bytes"],
	"index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}}]'
zinc 0 put cast8s.zarr --from four
for a in cast8 cast8s; do
	for format in v2 n5 v3-2022 v3-2020 v3-2019; do
		zinc 0 cp $a.zarr $a.$format --format $format
		has "codec cast_value is left out" err
		zinc 0 diff $a.zarr $a.$format
	done
done

# ---- in another type these codecs would compute other numbers ----
zinc 0 create packed.f8 --shape 4 --dtype float64 --fill 100 --codecs '[{"name": "scale_offset", "configuration":
	{"offset": 100, "scale": 100}}, {"name": "cast_value", "configuration": {"data_type": "int16"}}, {"name": "bytes",
	"configuration": {"endian": "little"}}]'
bytes 9a 99 99 99 99 99 b9 3f 00 00 00 00 00 00 d0 3f 00 00 00 00 00 00 f8 3f 8f c2 f5 28 5c ff 58 40 >four # 0.1 0.25 1.5 99.99
zinc 0 put packed.f8 --from four
zinc 0 cp packed.f8 packed.f2 --dtype float16
has "codec scale_offset is left out, because it computes with elements of another type" err
has "codec cast_value is left out" err
zinc 0 cp packed.f8 plain.f2 --dtype float16 --codecs zstd
[ ! -s err ] || bad "a note about codecs that were asked for"
zinc 0 diff packed.f2 plain.f2
zinc 0 cat packed.f2 -s 1 --as csv
has 0.25
zinc 0 cp packed.f8 same.f8 --dtype float64
[ ! -s err ] || bad "the type stays, and codecs are left out"
zinc 0 info same.f8 --json
has '"scale_offset"'
bytes 00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40 >four # 1 2 3 4
crc='"index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]'
plain='{"name": "bytes", "configuration": {"endian": "little"}}'
for codecs in '[{"name": "packbits", "configuration": {"first_bit": 16}}]' "[{\"name\": \"sharding_indexed\", \"configuration\":
	{\"chunk_shape\": [2], \"codecs\": [{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [1], \"codecs\":
	[{\"name\": \"bitround\", \"configuration\": {\"keepbits\": 4}}, $plain], $crc}}], $crc}}]"; do
	zinc 0 create bits.zarr --overwrite --shape 4 --dtype float32 --codecs "$codecs"
	zinc 0 put bits.zarr --from four
	zinc 0 cp bits.zarr ints.zarr --overwrite --dtype int32
	has "of another type" err
	zinc 0 cat ints.zarr
	prints <<<"[1 2 3 4]"
done
zinc 0 create block.zarr --shape 4 --dtype int8 --codecs '[{"name": "n5_default", "configuration": {"codecs": ["bytes"]}}]'
bytes 01 02 03 04 >small
zinc 0 put block.zarr --from small
zinc 0 cp block.zarr wide.zarr --dtype int16
zinc 0 cat wide.zarr
prints <<<"[1 2 3 4]"

# ---- the chunks in a shard behind codecs that compute stay ----
zinc 0 create inner.zarr --shape 4 --dtype float32 --chunks 4 --codecs "[{\"name\": \"cast_value\", \"configuration\": {\"data_type\":
	\"int8\"}}, {\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [2], \"codecs\": [\"bytes\"], $crc}}]"
zinc 0 put inner.zarr --from four
for option in '--dtype float64' '--codecs gzip:1'; do
	rm -rf other.zarr
	zinc 0 cp inner.zarr other.zarr $option
	zinc 0 info other.zarr
	has "chunks       2, "
	zinc 0 cat other.zarr
	prints <<<"[1. 2. 3. 4.]"
done

# ---- what info says of them: the inner chunk of the first level, in the array's axes ----
cast='{"name": "cast_value", "configuration": {"data_type": "int8"}}'
transpose='{"name": "transpose", "configuration": {"order": [1, 0]}}'
shards() {
	echo "{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [$1], \"codecs\": [$2], $crc}}"
}
zinc 0 create shown.zarr --shape 16,16 --dtype int32 --chunks 8,8 --codecs "[$cast, $transpose, $(shards 4,2 '"bytes"')]"
zinc 0 info shown.zarr
has "chunks       2 x 4, 32 B each, 32 in all"
has "shards       8 x 8, 256 B each, 4 in all"
zinc 0 info --json shown.zarr
has '"chunk_shape":[2,4],"shard_shape":[8,8]'
has '"chunk_bytes":32,"chunks":32,"shards":4'
zinc 0 tree shown.zarr
has "chunks (2, 4) in shards (8, 8)"
zinc 0 create shown.zarr --overwrite --shape 16,16 --dtype int32 --chunks 8,8 \
	--codecs "[$(shards 4,4 "$(shards 2,1 "$plain")")]"
zinc 0 info shown.zarr
has "chunks       4 x 4, 64 B each, 16 in all"
zinc 0 info --json shown.zarr
has '"chunk_shape":[4,4],"shard_shape":[8,8]'
has '"chunk_bytes":64,"chunks":16,"shards":4'
# an inner chunk of a reshaped shard is no box of the array
zinc 0 create shown.zarr --overwrite --shape 16,16 --dtype int32 --chunks 8,8 \
	--codecs "[{\"name\": \"reshape\", \"configuration\": {\"shape\": [64]}}, $(shards 16 "$plain")]"
zinc 0 info shown.zarr
lacks "chunks   "
has "shards       8 x 8, 256 B each, 4 in all"
zinc 0 info --json shown.zarr
has '"chunk_shape":null,"shard_shape":[8,8]'
has '"chunk_bytes":null,"chunks":null,"shards":4'
zinc 0 tree shown.zarr
has "int32 (16, 16)  shards (8, 8)"

finish
