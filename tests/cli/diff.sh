#!/usr/bin/env bash
# diff.sh - golden text, JSON and exit status of diff
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

zinc 0 create a.zarr/g/x --shape 4,6 --dtype int16 --chunks 2,4 --dims y,x --attrs '{"units": "K"}'
for n in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23; do bytes "$(printf %02x "$n")" 00; done >values
zinc 0 put a.zarr/g/x --from values
zinc 0 create a.zarr/s --shape 3 --dtype string --fill '"a"'

# ---- equal, whatever the storage ----
zinc 0 diff a.zarr a.zarr
[ ! -s out ] && [ ! -s err ] || bad "equal hierarchies make diff talk"
zinc 0 diff --storage a.zarr a.zarr
zinc 0 cp a.zarr b.zarr
zinc 0 diff a.zarr b.zarr --storage
zinc 0 cp a.zarr c.zarr --format v2 --codecs gzip:1
zinc 0 diff a.zarr c.zarr
zinc 0 diff a.zarr c.zarr --json
is_json
prints <<'END'
{"a":"a.zarr","b":"c.zarr","equal":true,"nodes":4,"elements":27,"elements_different":0,"unknown":0,"differences":[]}
END
zinc 1 diff a.zarr/g/x c.zarr/g/x --storage
prints <<'END'
/ format: "v3" | "v2"
/ codecs: [{"name":"bytes","configuration":{"endian":"little"}},{"name":"zstd","configuration":{"level":3,"checksum":false}},{"name":"crc32c"}] | [{"name":"bytes","configuration":{"endian":"little"}},{"name":"gzip","configuration":{"level":1}}]
/ chunk_key_encoding: "default/" | "v2/"
END

# ---- different ----
bytes 63 00 >one
zinc 0 put b.zarr/g/x -s '1, 2:3' --from one
zinc 0 put b.zarr/g/x -s '3, 5:' --from one
zinc 0 attrs b.zarr/g/x 'units="m"' n=1
zinc 0 create b.zarr/new/y --shape 2 --dtype int8
zinc 1 diff a.zarr b.zarr
prints <<'END'
/g/x attributes/units: "K" | "m"
/g/x attributes/n: (none) | 1
/g/x values: 2 of 24 differ, the first at [1, 2]: 8 | 99
/new only in b.zarr: group
END
for threads in 1 2 8; do
	zinc 1 diff -j $threads b.zarr a.zarr
	prints <<'END'
/g/x attributes/units: "m" | "K"
/g/x attributes/n: 1 | (none)
/g/x values: 2 of 24 differ, the first at [1, 2]: 99 | 8
/new only in b.zarr: group
END
done
zinc 1 diff a.zarr b.zarr --json
is_json
prints <<'END'
{"a":"a.zarr","b":"b.zarr","equal":false,"nodes":4,"elements":27,"elements_different":2,"unknown":0,"differences":[{"kind":"metadata","path":"/g/x","what":"attributes/units","a":"K","b":"m"},{"kind":"metadata","path":"/g/x","what":"attributes/n","a":null,"b":1},{"kind":"values","path":"/g/x","what":"values","a":8,"b":99,"count":2,"total":24,"first":[1,2]},{"kind":"tree","path":"/new","what":"node","a":null,"b":"group"}]}
END
zinc 0 attrs b.zarr/g/x 'units="K"' --rm n
zinc 0 diff a.zarr/g/x b.zarr/g/x -s '0'
zinc 1 diff a.zarr/g/x b.zarr/g/x -s '[3,1]'
has "2 of 12 differ, the first at [1, 2]"
zinc 0 diff a.zarr/g/x b.zarr/g/x --atol 91
zinc 1 diff a.zarr/g/x b.zarr/g/x --atol 90
zinc 0 diff a.zarr/g/x b.zarr/g/x --rtol 1
zinc 1 diff a.zarr a.zarr/g
has "/s only in a.zarr: array"
zinc 1 diff a.zarr/g a.zarr/s
prints <<<'/: "group" | "array"'
zinc 0 create w.zarr --shape 4,6 --dtype float64 --dims y,x --attrs '{"units": "K"}'
zinc 0 cat a.zarr/g/x -o x.npy
zinc 0 put w.zarr --from x.npy
zinc 1 diff a.zarr/g/x w.zarr
prints <<'END'
/ data_type: "int16" | "float64"
END

# ---- usage and data that is wrong ----
zinc 2 diff a.zarr
says "usage: zinc diff A B"
zinc 2 diff a.zarr b.zarr -s 0
says "needs two arrays, not groups"
zinc 2 diff a.zarr/g/x b.zarr/g/x -s 99
zinc 2 diff a.zarr b.zarr --rtol -1
says "not a value"
zinc 2 diff a.zarr b.zarr --atol nan
zinc 2 diff a.zarr b.zarr --atol ''
zinc 3 diff a.zarr nothing.zarr
says "nothing.zarr"
zinc 3 diff nothing.zarr a.zarr
rule_stores v3 M17-unknown-type
unknown=M17-unknown-type
zinc 4 diff "$unknown" "$unknown"
has "cannot be compared"
zinc 4 diff --json "$unknown" "$unknown"
is_json
has '"equal":false'
printf x >b.zarr/g/x/c/0/0
zinc 5 diff a.zarr b.zarr
says "g/x/c/0/0"
printf '{' >b.zarr/g/x/zarr.json
zinc 5 diff a.zarr b.zarr
says "b.zarr"
finish
