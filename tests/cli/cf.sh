#!/usr/bin/env bash
# cf.sh - cat --cf and stats --cf: packed numbers, missing values, times and durations in every form
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

# A little-endian int16 each.
shorts() {
	local n
	for n; do bytes "$(printf %02x $((n & 255)))" "$(printf %02x $((n >> 8 & 255)))"; done
}

array() { # NAME ATTRIBUTES NUMBER...
	local name=$1 attributes=$2
	shift 2
	zinc 0 create "d.zarr/$name" --shape $# --dtype int16 --attrs "$attributes"
	shorts "$@" >raw
	zinc 0 put "d.zarr/$name" --from raw
}

# packed numbers and missing values
array p '{"scale_factor": 0.5, "add_offset": 100.0, "_FillValue": -1}' 1 -1 3
zinc 0 cat d.zarr/p --cf
prints <<'END'
[100.5   nan 101.5]
END
zinc 0 cat d.zarr/p
prints <<'END'
[ 1 -1  3]
END
zinc 0 cat d.zarr/p --cf --as json
prints <<'END'
[100.5,"NaN",101.5]
END
zinc 0 cat d.zarr/p --cf --as csv
prints <<'END'
100.5,nan,101.5
END
zinc 0 cat d.zarr/p --cf --as raw
[ "$(wc -c <out)" = 24 ] || bad "raw floats"
zinc 0 cat d.zarr/p --cf --as npy
has "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }"
zinc 0 stats d.zarr/p --cf --json
is_json
has '"elements":3,"nan":1,"infinite":0,"min":100.5,"max":101.5,"mean":101.0,"std":0.5'
zinc 0 stats d.zarr/p --json
has '"min":-1,"max":3'

# times
array t '{"units": "days since 2000-02-28", "_FillValue": -1}' 0 1 2 -1
zinc 0 cat d.zarr/t --cf
prints <<'END'
['2000-02-28T00:00:00' '2000-02-29T00:00:00' '2000-03-01T00:00:00'
                 'NaT']
END
zinc 0 cat d.zarr/t --cf --as json
prints <<'END'
["2000-02-28T00:00:00","2000-02-29T00:00:00","2000-03-01T00:00:00","NaT"]
END
zinc 0 cat d.zarr/t --cf --as csv -s 1:
prints <<'END'
2000-02-29T00:00:00,2000-03-01T00:00:00,NaT
END
zinc 0 cat d.zarr/t --cf -s 1
prints <<'END'
2000-02-29T00:00:00
END
zinc 0 cat d.zarr/t --cf --as npy
has "'<M8[ns]'"
zinc 0 stats d.zarr/t --cf --json
is_json
has '"of":"times","elements":4,"nan":1,"infinite":0,"min":"2000-02-28T00:00:00","max":"2000-03-01T00:00:00","mean":"2000-02-29T00:00:00"'
zinc 0 stats d.zarr/t --cf
has "max          2000-03-01T00:00:00"

# a calendar that NumPy does not have
array c '{"units": "days since 2000-02-28", "calendar": "360_day"}' 0 1 2
zinc 0 cat d.zarr/c --cf --as csv
prints <<'END'
2000-02-28T00:00:00,2000-02-29T00:00:00,2000-02-30T00:00:00
END
zinc 0 cat d.zarr/c --cf --as npy
has "'<U32'"
zinc 0 cat d.zarr/c --cf --as raw
[ "$(wc -c <out)" = 384 ] || bad "raw dates"
zinc 0 stats d.zarr/c --cf
has "mean         2000-02-29T00:00:00"

# durations and truth values
array s '{"units": "hours", "dtype": "timedelta64[s]"}' 1 -30
zinc 0 cat d.zarr/s --cf --as json
prints <<'END'
["0 days 01:00:00","-1 days 06:00:00"]
END
zinc 0 cat d.zarr/s --cf --as npy
has "'<m8[s]'"
array b '{"dtype": "bool"}' 0 7
zinc 0 cat d.zarr/b --cf
prints <<'END'
[False  True]
END

# what needs no decoding
array n '{"units": "K"}' 1 2
zinc 0 cat d.zarr/n --cf --as npy
has "'<i2'"
zinc 0 create d.zarr/w --shape 2 --dtype string
zinc 0 cat d.zarr/w --cf
prints <<'END'
['' '']
END

# attributes that are not understood
array x '{"units": "meters since birth"}' 1
zinc 2 cat d.zarr/x --cf
says 'attribute "units"'
zinc 2 stats d.zarr/x --cf
says 'attribute "units"'
zinc 0 cat d.zarr/x
array y '{"scale_factor": "\u001b[31m"}' 1
zinc 2 cat d.zarr/y --cf
says 'attribute "scale_factor"'
