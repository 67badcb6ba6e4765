#!/usr/bin/env bash
# select.sh - selections by name and by coordinate value, in every command that takes -s
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

# ---- 4 days, 5 latitudes from north to south, 3 longitudes ----
zinc 0 create d.zarr --group
zinc 0 create d.zarr/t --shape 4,5,3 --dtype int32 --chunks 2,2,2 --dims time,lat,lon
zinc 0 create d.zarr/time --shape 4 --dtype int32 --dims time --attrs '{"units": "days since 2020-01-30"}'
zinc 0 create d.zarr/lat --shape 5 --dtype float32 --dims lat
zinc 0 create d.zarr/lon --shape 3 --dtype float64 --dims lon
put_numbers() { # put_numbers URL FORMAT NUMBER...
	python3 -c 'import struct, sys; sys.stdout.buffer.write(b"".join(struct.pack("<" + sys.argv[1], eval(x)) for x in sys.argv[2:]))' "${@:2}" >numbers.bin
	zinc 0 put "$1" --from numbers.bin
}
put_numbers d.zarr/time i 0 1 2 3
put_numbers d.zarr/lat f 60.1 50 40 30 20
put_numbers d.zarr/lon d 0 7.5 15
put_numbers d.zarr/t i $(seq 0 59)

csv() { # csv SELECTION WANTED
	zinc 0 cat d.zarr/t -s "$1" --as csv
	[ "$(paste -sd ' ' <out)" = "$2" ] || bad "$1 gives $(paste -sd ' ' <out)"
}
# ---- by name ----
csv 'time=1, lon=2, lat=0' 17
csv 'lat=0,time=0' 0,1,2
csv ' lon = [2,0] , lat = -1, time = 3:' 59,57
csv '"lat"=1:3, time=0, lon=0' 3,6
# ---- by value ----
csv 'time@2020-01-30, lat@60.1, lon@7.5' 1
csv 'time@2020-01, lat@50, lon=0' 3,18
csv 'lat@35..55, time=0, lon@0' 3,6
csv 'lat@55..35, time=0, lon@0' 3,6
csv 'lat@..25, time=0, lon@0' 12
csv 'lat@~44, time@~2020-02-01T13, lon@~11' 52
csv 'time@2020-01-31..2020-02-01, lat=0, lon=0' 15,30
zinc 0 cat d.zarr/t -s 'lat@42..48' --as json
prints <<<'[[],[],[],[]]'

# ---- what is refused, with one line ----
refused() { # refused STATUS SELECTION TEXT
	zinc "$1" cat d.zarr/t -s "$2"
	says "$3"
	says "d.zarr/t"
	[ "$(wc -l <err)" = 1 ] || bad "$2: more than one line"
}
refused 2 'la=3' 'there is no dimension "la"; there are time, lat, lon'
refused 2 'lat=1, lat=2' 'selects twice from the dimension "lat"'
refused 2 'lat=1, 3' "items with and without names do not mix"
refused 2 'lat=9' 'out of bounds'
refused 2 'lat@45' '"lat" has no value 45: it goes from 60.1 to 20'
refused 2 'time@2021-05' '"time" has no value 2021-05: it goes from 2020-01-30 to 2020-02-02'
refused 2 'time@soon' 'is not a date'
refused 2 'lat@' 'a value is missing'
refused 2 'lat@ab' 'is not a number'
zinc 0 create d.zarr/bare --shape 3 --dtype int8
zinc 2 cat d.zarr/bare -s 'x=1'
says 'no names of dimensions'
zinc 0 create d.zarr/alone --shape 3 --dtype int8 --dims depth
zinc 2 cat d.zarr/alone -s 'depth@1'
says 'has no coordinate'
# a name of a dimension never leads out of the hierarchy
zinc 0 create d.zarr/odd --shape 4 --dtype int8 --dims '../time'
zinc 2 cat d.zarr/odd -s '"../time"@2020-01-30'

# ---- a group above has the coordinate ----
zinc 0 create d.zarr/deep/er/u --shape 5 --dtype int8 --dims lat
zinc 0 cat d.zarr/deep/er/u -s 'lat@40..60'
prints <<<'[0 0]'

# ---- every command ----
zinc 0 stats d.zarr/t -s 'lat@50, lon@0' --json
has '"min":3'
zinc 0 chunks d.zarr/t -s 'lat@60.1, lon@0, time@2020-01-30'
zinc 0 explain d.zarr/t -s 'lat@60.1, lon@0'
zinc 0 bench d.zarr/t -s 'lat@60.1' --repeat 1
zinc 0 cp d.zarr/t north.zarr/t --select 'lat@45..'
zinc 0 info north.zarr/t
has "4 x 2 x 3"
zinc 0 diff d.zarr/t d.zarr/t -s 'lat@40'
printf '\7\0\0\0' >seven.bin
zinc 0 put d.zarr/t -s 'time@2020-01-31, lat@20, lon@15' --from seven.bin
csv 'time=1, lat=4, lon=2' 7

# ---- completion ----
offers() {
	local want=$1
	shift
	zinc 0 --complete "$@"
	[ "$(cut -f 1 out | paste -sd '|')" = "$want" ] || bad "offered for '$*': $(cut -f 1 out | paste -sd '|')"
}
offers "time=|time@|lat=|lat@|lon=|lon@" cat d.zarr/t -s ""
offers "time=3, lat=|time=3, lat@" stats d.zarr/t --select "time=3, la"
offers "--select=lat=|--select=lat@" cat d.zarr/t --select=la
offers "lat@60.1|lat@20.0" cat d.zarr/t -s "lat@"
offers "" cat d.zarr/none -s ""
offers "" cat -s ""

# ---- the search for the root of a remote array goes on when coordinates are needed ----
if "$ZINC" --version | grep -q 'curl *yes'; then
	mkdir served && cp -r d.zarr served/
	serve plain
	zinc 0 cat "http://127.0.0.1:$port/plain/d.zarr/t" -s 'lat@35..55, time@2020-01-30, lon@0' --as csv
	prints <<<'3,6'
	zinc 2 cat --no-climb "http://127.0.0.1:$port/plain/d.zarr/t" -s 'lat@35..55'
fi
