#!/usr/bin/env bash
# cp_cut.sh - copies of parts of a data set: selections from groups, patterns, options of single arrays
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

# t2m(time, lat), u(time), mask(lat), their coordinates and bounds; g/deep(time, z) uses the time above it
make() {
	local dir=$1 format=$2 a
	"$ZINC" create $dir --group --attrs '{"title": "all"}' --format $format
	"$ZINC" create $dir/time --shape 6 --dtype int32 --chunks 4 --dims time --attrs '{"bounds": "time_bnds"}'
	"$ZINC" create $dir/lat --shape 4 --dtype float64 --chunks 4 --dims lat
	"$ZINC" create $dir/time_bnds --shape 6,2 --dtype int32 --chunks 6,2 --dims time,nv
	"$ZINC" create $dir/t2m --shape 6,4 --dtype int32 --chunks 2,2 --dims time,lat
	"$ZINC" create $dir/u --shape 6 --dtype int32 --chunks 2 --dims time --attrs '{"grid_mapping": "crs"}'
	"$ZINC" create $dir/mask --shape 4 --dtype int8 --chunks 4 --dims lat
	"$ZINC" create $dir/crs --shape '' --dtype int32
	"$ZINC" create $dir/g/deep --shape 6,3 --dtype int32 --chunks 3,3 --dims time,z
	"$ZINC" create $dir/g/raw --shape 3 --dtype int8 --chunks 3 --dims z
	for a in time:6:i4 lat:4:f8 time_bnds:12:i4 t2m:24:i4 u:6:i4 mask:4:i1 crs:1:i4 g/deep:18:i4 g/raw:3:i1; do
		fill $dir $a
	done
}

# Elements 10, 11, 12 ... (lat: 40, 30, 20, 10), little-endian.
fill() {
	local name=${2%%:*} rest=${2#*:} i
	for ((i = 0; i < ${rest%:*}; i++)); do
		case ${rest#*:} in
		i1) printf "\\x$(printf %02x $((10 + i)))" ;;
		i4) printf "\\x$(printf %02x $((10 + i)))\\0\\0\\0" ;;
		f8) printf '\0\0\0\0\0\0\x'"$(printf '44 3e 34 24' | cut -d' ' -f$((i + 1)))"'\x40' ;;
		esac
	done | "$ZINC" put $1/$name --from -
}

# values URL WANTED: the elements as JSON
values() {
	zinc 0 cat "$1" --as json
	prints <<<"$2"
}

make a.zarr v3
make b.zarr v2
cp -r a.zarr before

for from in a.zarr b.zarr; do
	for format in v3 v2; do
		# ---- by index: every array with the dimension is cut, the others are whole ----
		rm -rf c.zarr
		zinc 0 cp $from c.zarr --format $format -s 'time=1:4, lat=::2' --verify
		values c.zarr/time '[11,12,13]'
		values c.zarr/lat '[40.0,20.0]'
		values c.zarr/time_bnds '[[12,13],[14,15],[16,17]]'
		values c.zarr/t2m '[[14,16],[18,20],[22,24]]'
		values c.zarr/u '[11,12,13]'
		values c.zarr/mask '[10,12]'
		values c.zarr/g/deep '[[13,14,15],[16,17,18],[19,20,21]]'
		zinc 0 diff $from/g/raw c.zarr/g/raw
		zinc 0 validate c.zarr

		# ---- by value: both ends, from high to low; an exact value drops the dimension ----
		rm -rf c.zarr
		zinc 0 cp $from c.zarr --format $format -s 'lat@20..30, time@12'
		values c.zarr/lat '[30.0,20.0]'
		values c.zarr/time 12
		values c.zarr/t2m '[19,20]'
		values c.zarr/time_bnds '[14,15]'
		values c.zarr/u 12
		values c.zarr/g/deep '[16,17,18]'
		zinc 0 info --json c.zarr/t2m
		has '"dimension_names":["lat"]'
	done
done

# ---- refused before anything is written ----
for bad in '0' '1:2, ::2' 'time=1, nix=2' 'time=99' 'time@99' 'lat@35' 'time='; do
	zinc 2 cp a.zarr d.zarr -s "$bad"
	[ ! -e d.zarr ] || bad "$bad has written something"
done
zinc 2 cp a.zarr d.zarr -s 'time=1, nix=2'
says 'no array has the dimension of "nix=2"'
zinc 2 cp a.zarr d.zarr -s 0
says 'names of dimensions'

# ---- patterns ----
names() {
	zinc 0 ls -r "$1"
	prints
}
echo foreign >a.zarr/g/README
rm -rf d.zarr
zinc 0 cp a.zarr d.zarr --include u
names d.zarr <<'EOF'
crs
time
time_bnds
u
EOF
[ ! -e d.zarr/g ] || bad "an empty group is left"
zinc 0 attrs d.zarr title
prints <<<'"all"'
rm -rf d.zarr
zinc 0 cp a.zarr d.zarr --include '*/deep' --exclude time_bnds
names d.zarr <<'EOF'
g
g/deep
time
EOF
[ ! -e d.zarr/g/README ] || bad "a key that was not asked for is copied"
rm -rf d.zarr
zinc 0 cp a.zarr d.zarr --exclude 't*' --exclude '**/raw' --exclude mask
names d.zarr <<'EOF'
crs
g
g/deep
lat
u
EOF
[ -e d.zarr/g/README ] || bad "a key that belongs to no node is lost"
rm -rf d.zarr
zinc 0 cp b.zarr d.zarr --exclude g
[ ! -e d.zarr/g ] || bad "the group is copied"
zinc 2 cp a.zarr e.zarr --include nix
says 'nothing matches the pattern "nix"'
zinc 2 cp a.zarr e.zarr --exclude '**/nix'
zinc 2 cp a.zarr e.zarr --exclude '**'
says 'nothing is left'
zinc 2 cp a.zarr e.zarr --include ''
[ ! -e e.zarr ] || bad "something is written"

# What is excluded need not be readable, and what is not excluded must be.
cp -r a.zarr broken.zarr
echo '{' >broken.zarr/mask/zarr.json
rm -rf d.zarr
zinc 5 cp broken.zarr d.zarr
zinc 5 cp broken.zarr d.zarr --include u
zinc 0 cp broken.zarr d.zarr --exclude mask
[ ! -e d.zarr/mask ] || bad "an excluded array is copied"
zinc 0 validate d.zarr

# Consolidated metadata has only what was copied.
"$ZINC" consolidate b.zarr
rm -rf d.zarr
zinc 0 cp b.zarr d.zarr --include mask
lacks t2m d.zarr/.zmetadata
has mask d.zarr/.zmetadata

# ---- options of single arrays: the path, then its group, then a pattern; the last one ----
chunks() {
	zinc 0 info --json "$1"
	has "\"chunk_shape\":[$2]"
}
rm -rf d.zarr
zinc 0 cp a.zarr d.zarr --chunks 'g=2,1' --chunks t2m=9,9 --chunks '*=1,1' --chunks t2m=3,4 --chunks 5 --codecs 'u=gzip:1' \
	--codecs zstd:1 --dtype 't2m=float32' --shards mask=4 --chunks mask=2 --verify
chunks d.zarr/t2m 3,4
chunks d.zarr/time_bnds 1,1
chunks d.zarr/g/deep 2,1
chunks d.zarr/u 5
has '"gzip"'
chunks d.zarr/mask 2
has '"shard_shape":[4]'
values d.zarr/t2m '[[10.0,11.0,12.0,13.0],[14.0,15.0,16.0,17.0],[18.0,19.0,20.0,21.0],[22.0,23.0,24.0,25.0],[26.0,27.0,28.0,29.0],[30.0,31.0,32.0,33.0]]'
zinc 0 diff a.zarr/u d.zarr/u
for bad in '--chunks nix=3' '--codecs crs/nix=zstd' '--chunks t2m=3' '--chunks t2m=x' '--dtype u=nonsense' \
	'--shards t2m=3,3' '--include u --chunks t2m=1,1'; do
	zinc 2 cp a.zarr e.zarr $bad
	[ ! -e e.zarr ] || bad "$bad has written something"
done

# ---- together ----
zinc 0 cp a.zarr e.zarr -s 'time=2:' --include t2m --chunks t2m=2,4 --dry-run --json
is_json
has '"arrays":4'
[ ! -e e.zarr ] || bad "a dry run has written something"
zinc 0 cp a.zarr e.zarr -s 'time=2:' --include t2m --chunks t2m=2,4
zinc 3 cp a.zarr e.zarr -s 'time=1:' --include t2m
zinc 0 cp a.zarr e.zarr -s 'time=1:3' --include t2m --overwrite
values e.zarr/t2m '[[14,15,16,17],[18,19,20,21]]'
rm a.zarr/g/README
zinc 0 diff before a.zarr
finish
