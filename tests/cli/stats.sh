#!/usr/bin/env bash
# stats.sh - golden text and JSON of stats, and the same numbers as NumPy
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

zinc 0 create i.zarr --shape 4,4 --dtype int16 --chunks 2,2 --codecs none
for n in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do bytes "$(printf %02x "$n")" 00; done >sixteen
zinc 0 put i.zarr --from sixteen
zinc 0 stats i.zarr -s '0:2'
prints <<'END'
elements     8
min          0
max          7
mean         3.5
std          2.29128784747792
sum          28
stored       4 of 4 objects, 32 B for 32 B (ratio 1.00)
per object   8 B to 8 B, mean 8 B
  0 |######################################## 1
  1 |######################################## 1
  2 |######################################## 1
  3 |######################################## 1
  4 |######################################## 1
  5 |######################################## 1
  6 |######################################## 1
  7 |######################################## 1
END
[ ! -s err ] || bad "stats talks"
zinc 0 stats i.zarr --json
is_json
prints <<'END'
{"url":"i.zarr","of":"values","elements":16,"nan":0,"infinite":0,"min":0,"max":15,"mean":7.5,"std":4.6097722286464435,"sum":120,"histogram":{"edges":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16],"counts":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]},"stored":{"objects":4,"objects_total":4,"bytes":32,"decoded_bytes":32,"smallest":8,"largest":8,"mean":8.0,"ratio":1.0000}}
END
zinc 0 stats i.zarr -s '[3,0], 1' --json
has '"elements":2,"nan":0,"infinite":0,"min":1,"max":13,"mean":7.0,"std":6.0,"sum":14'
zinc 0 stats i.zarr -s '2:2' --json
is_json
has '"elements":0,"nan":0,"infinite":0,"min":null,"max":null,"mean":null,"std":null,"sum":null,"histogram":{"edges":[],"counts":[]}'
zinc 0 stats i.zarr -s '2:2'
has "elements     0"
zinc 2 stats i.zarr -s 9
says "9"
zinc 3 stats nothing.zarr
zinc 0 stats --progress=always i.zarr
has "read 1 piece, 32 B" err

# the same for any number of threads
head -c 200000 /dev/urandom >noise
zinc 0 create n.zarr --shape 500,100 --dtype float32 --chunks 7,11
zinc 0 put n.zarr --from noise
zinc 0 stats -j 1 n.zarr --json
cp out one
for threads in 2 5; do
	zinc 0 stats -j $threads n.zarr --json
	prints <one
done

# ---- values that are not plain numbers ----
zinc 0 create f.zarr --shape 4 --dtype float64 --fill NaN
zinc 0 stats f.zarr
has "elements     4, 4 NaN"
lacks "mean"
zinc 0 create inf.zarr --shape 4 --dtype float64 --fill '"-Infinity"'
zinc 0 stats inf.zarr --json
is_json
has '"infinite":4,"min":"-Infinity","max":"-Infinity","mean":"-Infinity","std":"NaN"'
zinc 0 create t.zarr --shape 4 --dtype 'M8[D]' --fill 18321
zinc 0 stats t.zarr
has "of           times"
has "min          2020-02-29"
has "mean         2020-02-29"
has "  2020-02-29 |"
zinc 0 stats t.zarr --json
is_json
has '"min":"2020-02-29"'
zinc 0 create s.zarr --shape 4 --dtype string --fill '"hello"'
zinc 0 stats s.zarr
has "of           lengths"
has "mean         5.0"
zinc 0 create r.zarr --shape 4 --dtype "[('a', '<i4'), ('b', '<f8')]"
zinc 0 stats r.zarr
has "elements     4"
lacks "min"
zinc 0 stats r.zarr --json
is_json
has '"of":"nothing"'
zinc 0 create u.zarr --shape 2 --dtype uint64 --fill 18446744073709551615
zinc 0 stats u.zarr --json
is_json
has '"min":18446744073709551615,"max":18446744073709551615,"mean":1.8446744073709552e+19,"std":0.0,"sum":36893488147419103230'
has '"edges":[18446744073709551615,18446744073709551616]'

# ---- bad data ----
printf x >i.zarr/c/1/1
zinc 5 stats i.zarr
says "c/1/1"
zinc 0 stats i.zarr -s 0
rule_stores v3 M17-unknown-type
zinc 4 stats M17-unknown-type

# ---- NumPy ----
cat >make.py <<'END'
import numpy as np
rng = np.random.default_rng(3)
np.save("f4.npy", rng.normal(280, 12, (300, 200)).astype("f4"))
np.save("i8.npy", rng.integers(-2**63, 2**63 - 1, (300, 200), dtype="i8"))
np.save("u1.npy", rng.integers(0, 255, (300, 200), dtype="u1"))
np.save("c8.npy", rng.normal(0, 1, (300, 200)).astype("c8"))
END
cat >compare.py <<'END'
import json, sys
import numpy as np
got, a = json.load(open("out")), np.load(sys.argv[1] + ".npy")
a = abs(a.astype("c16")) if a.dtype.kind == "c" else a
exact = [int(x) for x in a.ravel()] if a.dtype.kind in "iu" else a.astype("f8")
assert got["min"] == min(exact) if isinstance(exact, list) else exact.min()
assert got["max"] == max(exact) if isinstance(exact, list) else exact.max()
assert abs(got["mean"] - a.astype("f8").mean()) <= 1e-12 * abs(a.astype("f8")).max()
assert abs(got["std"] - a.astype("f8").std()) <= 1e-12 * got["std"]
if isinstance(exact, list): assert got["sum"] == sum(exact)
edges = np.array(got["histogram"]["edges"], dtype="f8")
assert sum(got["histogram"]["counts"]) == a.size
if a.dtype != np.dtype("i8"):
    want, _ = np.histogram(a.astype("f8"), edges)
    assert list(want) == got["histogram"]["counts"], (want, got)
END
if numpy make.py; then
	for t in f4 i8 u1 c8; do
		zinc 0 create $t.zarr --shape 300,200 --dtype $t --chunks 40,70
		zinc 0 put $t.zarr --from $t.npy
		zinc 0 stats $t.zarr --json
		is_json
		numpy compare.py $t
	done
fi
finish
