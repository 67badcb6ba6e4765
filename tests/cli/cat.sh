#!/usr/bin/env bash
# cat.sh - elements as text, CSV, JSON, .npy and raw bytes; selections; output files
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

# array NAME TYPE SHAPE BYTES...: an array of these little-endian bytes
array() {
	zinc 0 create "a.zarr/$1" --shape "$3" --dtype "$2" --overwrite
	bytes "${@:4}" >raw
	zinc 0 put "a.zarr/$1" --from raw
}

# ---- text, as NumPy prints it ----
array i int16 2,3 01 00 fe ff 2c 01 04 00 05 00 06 00
zinc 0 cat a.zarr/i
prints <<'END'
[[  1  -2 300]
 [  4   5   6]]
END
array b bool 3 01 00 01
zinc 0 cat a.zarr/b
prints <<<"[ True False  True]"
array f float32 4 00 00 00 3f 00 00 80 bf 00 00 c0 7f cd cc cc 3d # 0.5 -1 nan 0.1
zinc 0 cat a.zarr/f
prints <<<"[ 0.5 -1.   nan  0.1]"
array e float64 2 00 a0 72 4e 18 09 00 00 00 00 00 00 00 00 f0 3f
zinc 0 cat a.zarr/e -s 1
prints <<<"1.0"
array g float64 2 9a 99 99 99 99 99 b9 3f 9c 75 00 88 3c e4 37 7e # 0.1 1e300
zinc 0 cat a.zarr/g
prints <<<"[1.e-001 1.e+300]"
array h float16 3 00 3c 00 c0 ff 7b # 1 -2 65504
zinc 0 cat a.zarr/h
prints <<<"[ 1.00e+00 -2.00e+00  6.55e+04]"
zinc 0 cat a.zarr/h -s :2
prints <<<"[ 1. -2.]"
array c complex64 2 00 00 80 3f 00 00 00 40 00 00 c0 3f 00 00 80 bf # 1+2j 1.5-1j
zinc 0 cat a.zarr/c
prints <<<"[1. +2.j 1.5-1.j]"
zinc 0 cat a.zarr/c -s 0
prints <<<"(1+2j)"
array r r16 2 01 ab 00 ff
zinc 0 cat a.zarr/r
prints <<<"[b'\\x01\\xAB' b'\\x00\\xFF']"
array u uint64 1 ff ff ff ff ff ff ff ff
zinc 0 cat a.zarr/u
prints <<<"[18446744073709551615]"
zinc 0 create a.zarr/zero --shape 0,3 --dtype int8
zinc 0 cat a.zarr/zero
prints <<<"[]"
zinc 0 create a.zarr/scalar --shape "" --dtype float32 --fill 2.5
zinc 0 cat a.zarr/scalar
prints <<<"2.5"
zinc 0 create a.zarr/cube --shape 2,2,2 --dtype int8 --fill 7
zinc 0 cat a.zarr/cube
prints <<'END'
[[[7 7]
  [7 7]]

 [[7 7]
  [7 7]]]
END

# summaries: above 1000 elements, three items at either end
for n in $(seq 0 1999); do printf "\\x$(printf %02x $((n % 256)))\\x$(printf %02x $((n / 256)))"; done >counts
zinc 0 create a.zarr/long --shape 2000 --dtype uint16 --chunks 77
zinc 0 put a.zarr/long --from counts
zinc 0 cat a.zarr/long
prints <<<"[   0    1    2 ... 1997 1998 1999]"
zinc 0 cat a.zarr/long -s :1000
[ "$(wc -l <out)" -gt 50 ] || bad "1000 elements are not summarised"
zinc 0 cat a.zarr/long -s :1001
prints <<<"[   0    1    2 ...  998  999 1000]"
zinc 0 cat a.zarr/long --full
lacks "..."
[ "$(tr -d '[]' <out | wc -w)" = 2000 ] || bad "--full prints all"
[ "$(awk 'length > 75' out | wc -l)" = 0 ] || bad "lines are wrapped at 75 columns"
zinc 0 create a.zarr/square --shape 40,50 --dtype uint16
zinc 0 put a.zarr/square --from counts
zinc 0 cat a.zarr/square
prints <<'END'
[[   0    1    2 ...   47   48   49]
 [  50   51   52 ...   97   98   99]
 [ 100  101  102 ...  147  148  149]
 ...
 [1850 1851 1852 ... 1897 1898 1899]
 [1900 1901 1902 ... 1947 1948 1949]
 [1950 1951 1952 ... 1997 1998 1999]]
END

# a summary of an array larger than any memory reads its edges only
zinc 0 create a.zarr/huge --shape 1000000000,1000000000 --dtype int8 --chunks 1000,1000 --fill 3
zinc 0 cat a.zarr/huge
has "[3 3 3 ... 3 3 3]"

# NumPy itself, if it is installed; its rules for float16 and float32 differ between versions
cat >compare.py <<'END'
import subprocess, sys
import numpy as np

rng = np.random.default_rng(2)
values = {
    "f8": [lambda n: rng.normal(size=n), lambda n: np.round(rng.normal(size=n) * 100, 2), lambda n: 10 ** rng.uniform(-9, 12, n),
           lambda n: np.where(rng.random(n) < 0.1, np.nan, rng.integers(-9, 9, n) / 4), lambda n: np.full(n, -np.inf)],
    "i8": [lambda n: rng.integers(-(2**63), 2**63 - 1, n), lambda n: rng.integers(0, 99, n)],
    "b1": [lambda n: rng.integers(0, 2, n)],
    "c16": [lambda n: rng.normal(size=n) + 1j * rng.normal(size=n), lambda n: rng.integers(-3, 3, n) + 0.5j]}
n = 0
for name, makers in values.items():
    for make in makers:
        for shape in [(), (1,), (13,), (4, 30), (2, 3, 4), (2000,), (50, 60), (7, 8, 9, 10)][::int(sys.argv[2])]:
            a = np.asarray(make(int(np.prod(shape)))).astype(name).reshape(shape)
            np.save("np.npy", a)
            def zinc(*words):
                return subprocess.run([sys.argv[1], *words], check=True, capture_output=True, text=True).stdout
            zinc("create", "np.zarr", "--overwrite", "--shape", ",".join(map(str, shape)), "--dtype", a.dtype.name, "--codecs", "none")
            zinc("put", "np.zarr", "--from", "np.npy")
            want = str(a[()]) + "\n"
            got = zinc("cat", "np.zarr")
            assert got == want, f"{name} {shape}:\n{want}{got}"
            n += 1
print(n, "arrays as NumPy prints them")
END
numpy compare.py "$ZINC" $(sampled && echo 3 || echo 1) || true

# ---- selections ----
zinc 0 cat a.zarr/square -s '3' --as csv
has "150,151,152"
picks() {
	zinc 0 cat a.zarr/square --as json -s "$1"
	prints <<<"$2"
}
picks '1,2' '52'
picks '1, 2:4' '[52,53]'
picks '-1,-1' '1999'
picks '-2:, -2:' '[[1948,1949],[1998,1999]]'
picks '::20, 0' '[0,1000]'
picks '..., 49' "$(seq 49 50 1999 | paste -sd, | sed 's/.*/[&]/')"
picks '[1,3,1], [0,49]' '[[50,99],[150,199],[50,99]]'
picks ' 5 : 6 , : 2 ' '[[250,251]]'
picks '39:1000, 48:1000' '[[1998,1999]]'
picks '5:5, :2' '[]'
picks ':2, 7:3' '[[],[]]'
for selection in 40 '0,50' '-41' '[0,40]' '0,0,0' 'x' '1:2:-1' '::0' '1.5' '[1' '1:2:3:4' '...,...' ','; do
	zinc 2 cat a.zarr/square -s "$selection"
	says "a.zarr/square"
	[ ! -s out ] || bad "something was printed for $selection"
done

# ---- JSON ----
json() {
	zinc 0 cat "a.zarr/$1" --as json
	is_json
	prints <<<"$2"
}
json i '[[1,-2,300],[4,5,6]]'
json b '[true,false,true]'
json f '[0.5,-1.0,"NaN",0.1]'
json c '[[1.0,2.0],[1.5,-1.0]]'
json u '[18446744073709551615]'
json r '["Aas=","AP8="]'
json zero '[]'
json scalar '2.5'
zinc 0 create a.zarr/inf --shape 2 --dtype float64 --fill -Infinity
json inf '["-Infinity","-Infinity"]'
zinc 0 create a.zarr/holes --shape 3,0 --dtype int8
json holes '[[],[],[]]'

# ---- CSV ----
zinc 0 cat a.zarr/i --as csv
prints <<'END'
1,-2,300
4,5,6
END
zinc 0 cat a.zarr/cube --as csv --index
prints <<'END'
0,0,7,7
0,1,7,7
1,0,7,7
1,1,7,7
END
zinc 0 cat a.zarr/square --as csv --index -s '[30,10], 2:4'
prints <<'END'
30,1502,1503
10,502,503
END
zinc 0 cat a.zarr/f --as csv
prints <<<"0.5,-1.0,nan,0.1"
zinc 0 cat a.zarr/c --as csv
prints <<<"1+2j,1.5-1j"
zinc 0 cat a.zarr/r --as csv
prints <<<"01ab,00ff"

# ---- raw, also in pieces ----
zinc 0 cat a.zarr/long --as raw
cmp out counts || bad "raw bytes"
for memory in 400K 1M 8M; do
	zinc 0 cat a.zarr/long --as raw --max-memory $memory
	cmp out counts || bad "raw bytes within $memory"
done
for threads in 1 2 7; do
	zinc 0 cat a.zarr/long --as raw -j $threads --cache-bytes 1M
	cmp out counts || bad "raw bytes with $threads threads"
done
zinc 3 cat a.zarr/long --max-memory 2K
says "memory"

# ---- output files ----
# the suffix of the file selects the form, and a file is never a summary
zinc 0 create a.zarr/many --shape 60,50 --dtype int16 --fill 7
for form in csv json npy raw; do
	zinc 0 cat a.zarr/many -o many.$form
	zinc 0 cat a.zarr/many --as $form
	cmp out many.$form || bad "cat -o many.$form is not --as $form"
done
zinc 0 cat a.zarr/many --full
for file in many.txt many many.csv.d; do
	zinc 0 cat a.zarr/many -o $file
	! grep -qF ... $file || bad "a summary in $file"
	zinc 0 cat a.zarr/many --full
	cmp out $file || bad "cat -o $file is not --full"
done
zinc 0 cat a.zarr/many --as csv -o many.json --overwrite
[ "$(wc -l <many.json)" = 60 ] || bad "--as goes before the suffix"
zinc 0 cat a.zarr/many -o -
has ...
zinc 0 cat a.zarr/i --as raw -o file
cmp file <(bytes 01 00 fe ff 2c 01 04 00 05 00 06 00) || bad "-o"
zinc 3 cat a.zarr/u --as raw -o file
says "--overwrite"
cmp file <(bytes 01 00 fe ff 2c 01 04 00 05 00 06 00) || bad "replaced without --overwrite"
ln -s file link
zinc 0 cat a.zarr/u --as raw -o link --overwrite
[ -L link ] && cmp file <(bytes ff ff ff ff ff ff ff ff) || bad "--overwrite through a link"
[ "$(find . -name 'file.*' | wc -l)" = 0 ] || bad "a temporary file is left"
zinc 0 cat a.zarr/i -o /dev/null
zinc 0 cat a.zarr/b -o -
prints <<<"[ True False  True]"
zinc 3 cat a.zarr/i -o nowhere/file
says "nowhere/file"
zinc 3 cat a.zarr/i -o .
mkfifo pipe
cat pipe >got &
zinc 0 cat a.zarr/i --as csv -o pipe
wait
cmp got <(printf '1,-2,300\n4,5,6\n') || bad "a pipe is written as it is"
[ -p pipe ] || bad "the pipe was replaced"
if [ -e /dev/full ]; then
	zinc 3 cat a.zarr/i -o /dev/full
	says "No space left"
	status=0
	"$ZINC" cat a.zarr/long --as raw >/dev/full 2>err || status=$?
	[ $status = 3 ] || bad "a full device: $status"
fi

# a file that cannot be finished does not remain
cp -r a.zarr damaged.zarr
printf 'xxxxxxxx' >damaged.zarr/long/c/20
zinc 5 cat damaged.zarr/long --as npy -o half.npy
says "c/20"
[ ! -e half.npy ] && [ -z "$(find . -name 'half*')" ] || bad "half a file is left"

# ---- a closed pipe ends quietly ----
zinc 0 create a.zarr/large --shape 3000,1000 --dtype int32 --fill 12345
{ status=0; "$ZINC" cat a.zarr/large --as csv 2>err || status=$?; echo $status >status; } | head -n 1 >/dev/null
[ "$(cat status)" = 0 ] && [ ! -s err ] || bad "a closed pipe: status $(cat status)"

# ---- every chunk decodes? ----
zinc 0 --array_path=a.zarr/long
[ ! -s out ] || bad "--array_path prints"
zinc 0 --array_path a.zarr/scalar
zinc 5 --array_path=damaged.zarr/long
says "c/20"
zinc 3 --array_path=nothing.zarr
zinc 3 --array_path=a.zarr
finish
