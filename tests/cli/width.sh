#!/usr/bin/env bash
# width.sh - lines and columns: numbers are those of the promises of cli/width.c and cli/columns.c
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

zinc 0 create d.zarr --group
zinc 0 create d.zarr/气温气温 --shape 4 --dtype uint8 --chunks 2
zinc 0 create $'d.zarr/e\u0301te\u0301' --shape 4 --dtype uint8 --chunks 2
# (1) off a terminal nothing is cut
zinc 0 ls -l d.zarr
lacks … out
# (2), (4) wide characters take two columns, combining ones none
prints <<END
array  $(printf 'e\u0301te\u0301')       uint8 (4,)  chunks (2,)  zstd+crc32c
array  气温气温  uint8 (4,)  chunks (2,)  zstd+crc32c
END
# (3), (5) cut with a mark
COLUMNS=30 run 0 "$ZINC" ls -l d.zarr
prints <<END
array  $(printf 'e\u0301te\u0301')       uint8 (4,)  …
array  气温气温  uint8 (4,)  …
END
for width in 19 x -5 99999999999999999999; do # not a width
	COLUMNS=$width run 0 "$ZINC" ls -l d.zarr
	lacks … out
done
# (6) tables of any length
zinc 0 create long.zarr --shape 5000 --dtype uint8 --chunks 1
zinc 0 chunks long.zarr
[ "$(wc -l <out)" = 5001 ] || bad "5000 chunks and a header"
# (4) wider cells after the rows that decide the widths: cut only where the line ends
zinc 0 create later.zarr --shape 20000 --dtype uint8 --chunks 1
zinc 0 chunks later.zarr
lacks …
has '19999      -  c/19999'
COLUMNS=21 run 0 "$ZINC" chunks later.zarr
lacks …
COLUMNS=20 run 0 "$ZINC" chunks later.zarr
has '19999      -  …19999'
[ "$(LC_ALL=C.UTF-8 wc -L <out)" = 20 ] || bad "wider than 20 columns"
zinc 0 create later_names.zarr --group
mkdir later_names.zarr/{1000..2100}
doc=$(<later_names.zarr/zarr.json)
for node in later_names.zarr/[12]*; do
	echo "$doc" >"$node/zarr.json"
done
zinc 0 create later_names.zarr/zone_with_a_long_name_a --shape 3 --dtype uint8
zinc 0 create later_names.zarr/zone_with_a_long_name_b --shape 3 --dtype uint8
zinc 0 ls -l later_names.zarr
has 'zone_with_a_long_name_a  uint8 (3,)'
has 'zone_with_a_long_name_b  uint8 (3,)'
# stats of a group
zinc 0 stats d.zarr
[ "$(wc -l <out)" = 3 ] || bad "two arrays and a header"
zinc 0 stats d.zarr --json
is_json
zinc 2 stats d.zarr -s nothing=1
# every item of the selection belongs to some array
zinc 0 create e.zarr --group
zinc 0 create e.zarr/time --shape 3 --dtype int32 --dims time --attrs '{"units":"days since 2020-01-01"}'
zinc 0 create e.zarr/t2m --shape 3,4 --dtype uint64 --dims time,lat
zinc 0 stats e.zarr -s 'lat=1, time=0:2'
zinc 0 stats e.zarr -s 'lat=[1,0], time=0:2'
for select in 'time=0, lattitude=1' 'lattitude=1, time=0' 'time=0, lat=[0,1], x@"a,b"'; do
	zinc 2 stats e.zarr -s "$select"
	says "zinc: -s: no array has the dimension of "
	[ ! -s out ] || bad "a table beside the error"
	zinc 2 stats e.zarr -s "$select" --json
	[ ! -s out ] || bad "a document beside the error"
done
# (5) columns that do not fit are left out, and named; times without the end that says nothing
COLUMNS=60 run 0 "$ZINC" stats e.zarr --cf
prints <<END
array  shape         min         max        mean   std  NaN
t2m    3 x 4           0           0           0     0    0
time   3      2020-01-01  2020-01-01  2020-01-01  0 ns    0
type, chunks, ratio: in a wider terminal, or with --json
END
COLUMNS=120 run 0 "$ZINC" stats e.zarr --cf
has ratio
lacks "wider terminal"
COLUMNS=40 run 0 "$ZINC" stats e.zarr --cf
[ "$(LC_ALL=C.UTF-8 wc -L <out)" -le 40 ] || bad "stats is wider than 40 columns"
lacks …
has "mean, std, NaN"
COLUMNS=40 run 0 "$ZINC" stats e.zarr/t2m
[ "$(sed -n '/|#/p' out | LC_ALL=C.UTF-8 wc -L)" -le 40 ] || bad "a histogram is wider than 40 columns"
# a line of progress for each array of a group would hide the table
zinc 0 stats e.zarr --progress always
lacks "in 0." err
# the deviation of times has a unit; the table says where numbers are not those of the elements
zinc 0 create t.zarr --group
zinc 0 create t.zarr/time --shape 3 --dtype uint8 --dims time --attrs '{"units":"hours since 2020-01-01"}'
printf '\0\044\110' | zinc 0 put t.zarr/time --from -
zinc 0 stats t.zarr/time --cf
has "std          1.224744871 days"
zinc 0 stats t.zarr/time --cf --json
is_json
has '"unit":"'
zinc 0 create t.zarr/month --shape 2 --dtype 'M8[M]'
bytes 00 00 00 00 00 00 00 00 04 00 00 00 00 00 00 00 >raw
zinc 0 put t.zarr/month --from raw
zinc 0 create t.zarr/name --shape 2 --dtype string
zinc 0 create t.zarr/wave --shape 2 --dtype complex64
zinc 0 stats t.zarr --cf
for text in "2020-01-02T12:00" "1.225 days" "2 months" "len(string)" "abs(complex64)"; do
	has "$text"
done
# lists and differences continue below their beginning
for line in codecs dtypes formats stores "stores -l" "diff d.zarr e.zarr" "diff e.zarr other.zarr"; do
	[ -e other.zarr ] || { cp -r e.zarr other.zarr && zinc 0 attrs other.zarr/time "long_name=\"$(printf 'word %.0s' {1..50})\""; }
	COLUMNS=60 "$ZINC" $line >out || true
	[ "$(LC_ALL=C.UTF-8 wc -L <out)" -le 60 ] || bad "zinc $line is wider than the terminal"
	[ -s out ] || bad "zinc $line prints nothing"
done
# the command that explain suggests is one that a shell runs, also where it takes two lines
zinc 0 create "far away.zarr" --shape 400,400 --dtype uint8 --chunks 200,200
head -c 160000 /dev/zero | tr '\0' x >raw
zinc 0 put "far away.zarr" --from raw
zinc 0 explain "far away.zarr" -s 0
has "zinc cp 'far away.zarr' NEW --chunks "
COLUMNS=50 run 0 "$ZINC" explain "far away.zarr" -s 0
[ "$(wc -L <out)" -le 50 ] || bad "explain is wider than the terminal"
sed -n '/zinc cp/,$p' out | sed -e 's/zinc cp/"$ZINC" cp/' -e 's/NEW/new.zarr/' >program
. ./program 2>err || bad "the suggested command fails"
zinc 0 info new.zarr
# the region of a damaged chunk, of a shard that of the inner chunk
zinc 0 create s.zarr --shape 10,8 --dtype uint8 --chunks 2,4 --shards 4,8 --codecs crc32c
head -c 80 /dev/zero | tr '\0' x >raw
zinc 0 put s.zarr --from raw
printf Y | dd of=s.zarr/c/1/0 bs=1 seek=14 conv=notrunc status=none
zinc 5 cat s.zarr
says "; elements 4:6, 4:8"
zinc 1 validate s.zarr --json
has '"region":"4:6, 4:8"'
zinc 1 validate s.zarr
has "; elements 4:6, 4:8"
printf Y | dd of=s.zarr/c/2/0 bs=1 conv=notrunc status=none
zinc 5 cat s.zarr -s 8:
says "; elements 8:10, 0:4"
