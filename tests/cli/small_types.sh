#!/usr/bin/env bash
# small_types.sh - bfloat16, small floats, 2- and 4-bit integers: create, put, print, copy, compare
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

# array NAME TYPE SHAPE BYTES...: an array of these stored bytes
array() {
	zinc 0 create "a.zarr/$1" --shape "$3" --dtype "$2" --codecs none --overwrite
	bytes "${@:4}" >raw
	zinc 0 put "a.zarr/$1" --from raw
}

# ---- stored bytes are numbers of C ----
array b bfloat16 4 80 3f 20 c0 c0 7f 80 ff
zinc 0 cat a.zarr/b
prints <<<"[ 1.  -2.5  nan -inf]"
zinc 0 cat a.zarr/b --as json
prints <<<'[1.0,-2.5,"NaN","-Infinity"]'
zinc 0 cat a.zarr/b --as raw
bytes 80 3f 20 c0 c0 7f 80 ff >want
cmp want out || bad "other bytes: $last"
zinc 0 cat a.zarr/b --as npy -o b.npy
head -c 70 b.npy | grep -q "'descr': '<f4'" || bad "no float32 in the .npy file"
array i int4 3 0f 78 f7 # the upper bits are ignored
zinc 0 cat a.zarr/i
prints <<<"[-1 -8  7]"
zinc 0 cat a.zarr/i --as raw
bytes ff f8 07 >want
cmp want out || bad "other bytes: $last"
zinc 0 cat a.zarr/i --as npy -o i.npy
head -c 70 i.npy | grep -q "'descr': '|i1'" || bad "no int8 in the .npy file"
array c complex_float8_e5m2 2 3c bc 00 7b
zinc 0 cat a.zarr/c --as csv
prints <<<"1-1j,0+57344j"
zinc 0 stats a.zarr/i --json
has '"min":-8'
has '"max":7'
zinc 0 validate a.zarr

# ---- records: NumPy has no type for them, but raw bytes go in and out; a big-endian machine refuses both ----
field() { printf '{"name":"%s","data_type":%s}' "$1" "$2"; }
record="[$(field n '"int16"'),$(field b '"bfloat16"'),$(field i '"int4"'),$(field u '"uint2"'),$(field c '"complex_float8_e5m2"')"
record+=",$(field f '"float4_e2m1fn"'),$(field s '{"name":"struct","configuration":{"fields":['"$(field x '"int2"'),$(field y '"float32"')"']}}')]"
zinc 0 create a.zarr/record --shape 2 --chunks 1 --dtype "{\"name\":\"struct\",\"configuration\":{\"fields\":$record}}" --endian big
bytes 01 02 80 3f ff 03 3c bc 07 fe 00 00 80 3f \
	ff ff c0 7f 07 00 00 7b 0f 01 00 00 c0 ff >raw
if [ "$(od -An -tx1 -j5 -N1 "$ZINC_BUILD_DIR/zinc")" = " 01" ]; then # of the ELF header: little-endian
	zinc 0 put a.zarr/record --from raw
	zinc 0 cat a.zarr/record --as raw
	cmp raw out || bad "raw bytes of records do not come back"
	zinc 0 cat a.zarr/record --as json
	has '{"n":513,"b":1.0,"i":-1,"u":3,"c":[1.0,-1.0],"f":6.0,"s":{"x":-2,"y":1.0}}'
	zinc 2 put a.zarr/record -s 1 --from - <<<"12 bytes..."
	says "the input ends 2 bytes too early"
	zinc 2 put a.zarr/record -s 1 --from raw
	says "28 bytes of elements, but the selection needs 14"
else
	zinc 4 put a.zarr/record --from raw
	says "NumPy has no type for"
	zinc 4 cat a.zarr/record --as raw
	says "NumPy has no type for"
fi
zinc 0 validate a.zarr/record
zinc 4 cat a.zarr/record --as npy
says "NumPy has no type for"

# ---- numbers that do not fit are refused ----
zinc 0 create a.zarr/small --shape 3 --dtype float4_e2m1fn
zinc 0 cp a.zarr/i a.zarr/j --dtype int8
zinc 0 cat a.zarr/j --as npy -o j.npy
zinc 2 put a.zarr/small --from j.npy
has "the value -8 of type int8 does not fit float4_e2m1fn" err
zinc 2 cp a.zarr/b a.zarr/none --dtype float8_e4m3fnuz
has "does not fit float8_e4m3fnuz" err
zinc 2 cp a.zarr/j a.zarr/none --dtype uint4
has "does not fit uint4" err
zinc 2 create a.zarr/none --shape 1 --dtype float8_e8m0fnu --fill 0
has "fill value 0 does not fit float8_e8m0fnu" err
zinc 2 create a.zarr/none --shape 1 --dtype float6_e2m3fn --fill NaN
has "rule M52" err

# ---- copies ----
zinc 0 cp a.zarr/b a.zarr/wide --dtype float64
zinc 0 cat a.zarr/wide
prints <<<"[ 1.  -2.5  nan -inf]"
zinc 0 cp a.zarr/wide a.zarr/again --dtype bfloat16
zinc 0 diff a.zarr/b a.zarr/again
zinc 2 cp a.zarr/b v2.zarr --format v2
has 'version 2 has no data type "bfloat16"' err
zinc 2 cp a.zarr/i draft.zarr --format v3-2020
has 'cannot hold the data type "int4"' err
zinc 0 cp a.zarr/b v2.zarr --format v2 --dtype float32
zinc 0 cat v2.zarr
prints <<<"[ 1.  -2.5  nan -inf]"

# ---- fill values: small floats have their bits, which all readers know; the names of complex types stay ----
zinc 0 create a.zarr/fill --shape 2 --dtype float8_e5m2 --fill 1.5
grep -q '"fill_value": "0x3e"' a.zarr/fill/zarr.json || bad "the fill value is not in bits"
zinc 0 cat a.zarr/fill
prints <<<"[1.5 1.5]"
zinc 0 create a.zarr/single --shape 1 --dtype complex_float32 --fill '[1,2]'
zinc 0 cp a.zarr/single a.zarr/twin
grep -q '"data_type": "complex_float32"' a.zarr/twin/zarr.json || bad "another name of complex_float32"

# ---- packed numbers ----
array packed int4 4 00 f9 07 08
zinc 0 attrs a.zarr/packed scale_factor=0.5 _FillValue=-7
zinc 0 cat a.zarr/packed --cf
prints <<<"[ 0.   nan  3.5 -4. ]"

# ---- codecs ----
zinc 2 cp a.zarr/i a.zarr/none --codecs bitround:2
has "elements of type int4 cannot be rounded" err
zinc 0 cp a.zarr/b a.zarr/rounded --codecs bitround:1
zinc 0 cat a.zarr/rounded
prints <<<"[  1.  -2.  nan -inf]"
# a fill value that only rounding converts
zinc 0 create seventeen.zarr --shape 2 --dtype int32 --fill 17
zinc 2 cp seventeen.zarr small.zarr --dtype float8_e4m3
has "the fill value cannot be converted to float8_e4m3 exactly; ROUND (--round) takes the nearest" err
zinc 0 cp seventeen.zarr small.zarr --dtype float8_e4m3 --round
zinc 0 cat small.zarr
prints <<<"[16. 16.]"

finish
