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

finish
