#!/usr/bin/env bash
# put.sh - elements from .npy files and raw bytes into arrays
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

# npy MAJOR DESCR FORTRAN SHAPE BYTES...: a NumPy file
npy() {
	local header length
	header="{'descr': '$2', 'fortran_order': $3, 'shape': $4, }"
	while [ $(((${#header} + 1 + 12) % 64)) != 0 ]; do header+=' '; done
	length=$((${#header} + 1))
	bytes 93 && printf NUMPY
	if [ "$1" = 1 ]; then
		bytes 01 00 "$(printf %02x $((length % 256)))" "$(printf %02x $((length / 256)))"
	else
		bytes "0$1" 00 "$(printf %02x $((length % 256)))" "$(printf %02x $((length / 256)))" 00 00
	fi
	printf '%s\n' "$header"
	bytes "${@:5}"
}

# now URL JSON: the contents of the array
now() {
	zinc 0 cat "$1" --as json
	prints <<<"$2"
}

zinc 0 create a.zarr/i --shape 2,3 --dtype int16 --chunks 2,2

# ---- versions, byte orders, memory orders ----
for version in 1 2 3; do
	npy $version '<i2' False '(2, 3)' 01 00 02 00 03 00 04 00 05 00 0"$version" 00 >x.npy
	zinc 0 put a.zarr/i --from x.npy
	[ ! -s out ] && [ ! -s err ] || bad "put says something"
	now a.zarr/i "[[1,2,3],[4,5,$version]]"
done
npy 1 '>i2' False '(2, 3)' 00 01 00 02 00 03 00 04 00 05 ff fe >x.npy
zinc 0 put a.zarr/i --from x.npy
now a.zarr/i '[[1,2,3],[4,5,-2]]'
npy 1 '<i2' True '(2, 3)' 01 00 04 00 02 00 05 00 03 00 06 00 >x.npy
zinc 0 put a.zarr/i --from x.npy
now a.zarr/i '[[1,2,3],[4,5,6]]'
npy 1 '>u4' True '(2, 3)' 00 00 00 07 00 00 00 0a 00 00 00 08 00 00 00 0b 00 00 00 09 00 00 00 0c >x.npy
zinc 0 put a.zarr/i --from x.npy
now a.zarr/i '[[7,8,9],[10,11,12]]'
npy 1 '>c8' False '(1,)' 3f 80 00 00 40 00 00 00 >c.npy
zinc 0 create a.zarr/c --shape 1 --dtype complex128
zinc 0 put a.zarr/c --from c.npy
now a.zarr/c '[[1.0,2.0]]'
npy 1 '|V3' False '(1,)' 0a 0b 0c >v.npy
zinc 0 create a.zarr/r --shape 1 --dtype r24
zinc 0 put a.zarr/r --from v.npy
now a.zarr/r '["CgsM"]'
npy 1 '<f8' False '()' 00 00 00 00 00 00 04 40 >s.npy
zinc 0 create a.zarr/s --shape "" --dtype float32
zinc 0 put a.zarr/s --from s.npy
now a.zarr/s '2.5'

# ---- raw bytes, from a file and from a pipe ----
bytes 01 00 02 00 03 00 04 00 05 00 06 00 >raw
zinc 0 put a.zarr/i --from raw
now a.zarr/i '[[1,2,3],[4,5,6]]'
run 0 sh -c "head -c 12 /dev/zero | '$ZINC' put a.zarr/i --from -"
now a.zarr/i '[[0,0,0],[0,0,0]]'
run 0 sh -c "'$ZINC' put a.zarr/i --from - <x.npy"
now a.zarr/i '[[7,8,9],[10,11,12]]'
zinc 0 create a.zarr/tiny --shape 2 --dtype int8
run 0 sh -c "printf ab | '$ZINC' put a.zarr/tiny --from -" # shorter than the magic string
now a.zarr/tiny '[97,98]'

# ---- into a selection ----
bytes 63 00 62 00 >two
zinc 0 put a.zarr/i -s '1, ::2' --from two
now a.zarr/i '[[7,8,9],[99,11,98]]'
zinc 0 put a.zarr/i -s '[1,0], 1' --from two
now a.zarr/i '[[7,98,9],[99,99,98]]'
: >nothing
zinc 0 put a.zarr/i -s '0:0' --from nothing

# ---- data that does not fit changes nothing ----
refused() { # STATUS TEXT FILE
	zinc "$1" put a.zarr/i --from "$3"
	says "$2"
	now a.zarr/i '[[7,98,9],[99,99,98]]'
}
npy 1 '<i2' False '(3, 2)' 01 00 02 00 03 00 04 00 05 00 06 00 >shape.npy
refused 2 "its shape is (3, 2), but the shape of the selection is (2, 3)" shape.npy
npy 1 '<i4' False '(2, 3)' 01 00 00 00 01 00 00 00 01 00 00 00 01 00 00 00 01 00 00 00 00 00 01 00 >range.npy
refused 2 "" range.npy
npy 1 '<f4' False '(2, 3)' 00 00 80 3f 00 00 80 3f 00 00 80 3f 00 00 80 3f 00 00 80 3f 00 00 c0 3f >fraction.npy
refused 2 "" fraction.npy
npy 1 '<c8' False '(2, 3)' $(yes 00 | head -n 48) >complex.npy
refused 2 "" complex.npy
head -c 11 raw >short
refused 2 "11 bytes of elements, but the selection needs 12" short
head -c 13 /dev/zero >long
refused 2 "13 bytes" long
head -c -1 x.npy >cut.npy
refused 5 "bytes of elements" cut.npy
head -c 40 x.npy >header.npy
refused 5 "truncated" header.npy
{ bytes 93 && printf NUMPY && bytes 01 00 10 00 && printf '{nonsense      }\n'; } >nonsense.npy
refused 5 "damaged" nonsense.npy
{ bytes 93 && printf NUMPY && bytes 09 00; } >future.npy
refused 4 "version 9.0" future.npy
npy 1 '<U3' False '(2, 3)' $(yes 00 | head -n 72) >text.npy
refused 2 "U3 cannot be converted to i2" text.npy
npy 1 'xxxxxxxxxxxxx' False '(2, 3)' $(yes 00 | head -n 12) >records
LC_ALL=C sed "s/'xxxxxxxxxxxxx'/[('a', '<i2')]/" records >records.npy
refused 2 "struct cannot be converted to i2" records.npy
refused 5 "'xxxxxxxxxxxxx'" records
npy 1 '|O' False '(2, 3)' >objects.npy
refused 4 "'|O'" objects.npy
npy 1 '|V3' False '(2, 3)' $(yes 00 | head -n 18) >bytes.npy
refused 2 "3 bytes, but those of the array have 2" bytes.npy
refused 3 "No such file" missing.npy
run 2 sh -c "head -c 11 raw | '$ZINC' put a.zarr/i --from -"
says "1 bytes too early"
run 2 sh -c "head -c 13 /dev/zero | '$ZINC' put a.zarr/i --from -"
says "continues after"
now a.zarr/i '[[7,98,9],[99,99,98]]'
zinc 2 put a.zarr/i -s 5 --from raw
zinc 3 put a.zarr/none --from raw
zinc 3 put a.zarr --from raw
rule_stores v3 M20-unknown-codec
zinc 4 put M20-unknown-codec --from raw

# ---- --dry-run checks everything and writes nothing ----
zinc 0 put a.zarr/i --from raw --dry-run
has "would write 6 elements, (2, 3), from raw into a.zarr/i"
zinc 2 put a.zarr/i --from short --dry-run
now a.zarr/i '[[7,98,9],[99,99,98]]'

# ---- large, in pieces: C and Fortran order, chunks that do not divide, both from a pipe ----
zinc 0 create a.zarr/big --shape 300,200 --dtype uint16 --chunks 7,30
LC_ALL=C awk 'BEGIN { for (i = 0; i < 60000; i++) printf "%c%c", i % 256, i / 256 }' >ramp
for memory in 512K 1M 64M; do
	run 0 sh -c "'$ZINC' put a.zarr/big --max-memory $memory --from - <ramp"
	zinc 0 cat a.zarr/big --as raw
	cmp out ramp || bad "big, within $memory"
	zinc 0 put a.zarr/big -s ':, :' --from <(head -c 120000 /dev/zero)
	{ npy 1 '<u2' True '(300, 200)' && cat ramp; } >f.npy
	zinc 0 put a.zarr/big --max-memory $memory --from f.npy
	zinc 0 cat a.zarr/big -s '1, :3' --as json
	prints <<<"[1,301,601]"
	zinc 0 cat a.zarr/big -s '299, 199'
	prints <<<"59999"
done

# ---- integers that a float cannot represent ----
npy 1 '<i8' False '(2,)' 01 00 00 00 00 00 00 00 01 00 00 00 00 00 20 00 >odd.npy # 1, 2^53 + 1
zinc 0 create a.zarr/f --shape 2 --dtype float64 --chunks 1
zinc 2 put a.zarr/f --from odd.npy
says 'the value 9007199254740993 of type int64 does not fit float64 exactly; ROUND (--round) takes the nearest'
now a.zarr/f '[0.0,0.0]'
zinc 0 put a.zarr/f --from odd.npy --round
now a.zarr/f '[1.0,9007199254740992.0]'
zinc 2 append a.zarr/f --from odd.npy
now a.zarr/f '[1.0,9007199254740992.0]'
zinc 0 append a.zarr/f --from odd.npy --round
now a.zarr/f '[1.0,9007199254740992.0,1.0,9007199254740992.0]'
zinc 0 create a.zarr/i64 --shape 2 --dtype int64
zinc 0 put a.zarr/i64 --from odd.npy
zinc 2 cp a.zarr/i64 a.zarr/to --dtype float64
says 'the value 9007199254740993 of type int64 does not fit float64 exactly'
zinc 0 cp a.zarr/i64 a.zarr/rounded --dtype complex128 --round --verify
now a.zarr/rounded '[[1.0,0.0],[9007199254740992.0,0.0]]'
zinc 1 diff a.zarr/i64 a.zarr/f -s :2
zinc 1 diff a.zarr/i64 a.zarr/rounded
npy 1 "[('a', '<i8')]" False '(1,)' 01 00 00 00 00 00 20 00 | sed "s/'\[/ [/;s/\]'/] /" >odd.npy
zinc 0 create a.zarr/record --shape 1 --dtype '[["a","<f8"]]'
zinc 2 put a.zarr/record --from odd.npy
says 'element 0, (9007199254740993,), does not fit struct exactly; ROUND (--round)'
zinc 0 put a.zarr/record --from odd.npy --round
now a.zarr/record '[{"a":9007199254740992.0}]'

# ---- NumPy itself, if it is installed ----
cat >compare.py <<'END'
import itertools, subprocess, sys
import numpy as np

def zinc(*words):
    subprocess.run([sys.argv[1], *words], check=True)

rng = np.random.default_rng(1)
types = "b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16 V5".split()
n = 0
for name, shape in list(itertools.product(types, [(), (7,), (4, 5), (2, 3, 4), (0, 3)]))[::int(sys.argv[2])]:
    count = int(np.prod(shape, dtype=int)) * np.dtype(name).itemsize
    data = rng.integers(0, 2, count, dtype="u1") if name == "b1" else np.frombuffer(rng.bytes(count), "u1")
    a = data.view(name).reshape(shape) if count else np.zeros(shape, name)
    v3 = "r40" if name == "V5" else np.dtype(name).name
    zinc("create", "n.zarr/x", "--overwrite", "--shape", ",".join(map(str, shape)), "--dtype", v3)
    for order, endian in itertools.product("CF", "<>"):
        b = np.array(a.astype(np.dtype(name).newbyteorder(endian)), order=order)
        np.save("n.npy", b)
        zinc("put", "n.zarr/x", "--from", "n.npy")
        zinc("cat", "n.zarr/x", "-o", "m.npy", "--overwrite")
        m = np.load("m.npy")
        assert m.dtype == np.dtype(name).newbyteorder("<") and m.shape == a.shape and m.tobytes() == a.tobytes(), (name, shape)
        n += 1
print(n, "arrays through NumPy")
END
numpy compare.py "$ZINC" $(sampled && echo 4 || echo 1) || true
finish
