#!/usr/bin/env bash
# demo.sh ZINC - show the command on a small generated data set, in a temporary directory
set -euo pipefail

ZINC=$(realpath "${1:?names the command}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

bold='' plain=''
[ ! -t 1 ] || bold=$'\033[1m' plain=$'\033[0m'

step() {
	printf '\n%s# %s%s\n' "$bold" "$1" "$plain"
}

# Show a command, then run it.
zinc() {
	local word line="zinc"
	for word; do
		case $word in *[\ \"\'\;\(\[\<{]* | '') line+=" '$word'" ;; *) line+=" $word" ;; esac
	done
	printf '$ %s\n' "$line"
	"$ZINC" "$@"
}

# A day of temperatures in tenths of a degree: hour, latitude, longitude.  Warm at the equator and in the
# afternoon, which moves west; some weather on top.  Two little-endian bytes each.
weather() {
	awk 'BEGIN {
		pi = atan2(0, -1)
		for (t = 0; t < 24; t++)
			for (y = 0; y < 90; y++)
				for (x = 0; x < 180; x++) {
					lat = (y - 44.5) / 44.5 * pi / 2
					day = cos((t / 24 + x / 180) * 2 * pi)
					noise = sin(x / 7 + t / 5) * cos(y / 9 - t / 11)
					v = int(300 * cos(lat) * cos(lat) - 80 + 60 * day * cos(lat) + 20 * noise + 1000.5) - 1000
					v = v < 0 ? v + 65536 : v
					printf "%c%c", v % 256, v / 256
				}
	}'
}

step "An array of 24 hours x 90 x 180, in chunks of 6 x 30 x 60, all inner chunks of half a day in one shard"
zinc create earth.zarr/surface/temperature --shape 24,90,180 --dtype int16 --chunks 6,30,60 --shards 12,90,180 \
	--codecs zstd:7+crc32c --fill -9999 --dims hour,lat,lon --attrs '{"units": "0.1 degC", "long_name": "temperature at 2 m"}'

step "Write into it: 388 800 values, from a pipe"
LC_ALL=C weather >day.raw
printf '$ zinc put earth.zarr/surface/temperature --from - <day.raw\n'
"$ZINC" put earth.zarr/surface/temperature --from - <day.raw

step "A second array beside it, and an attribute of the group"
zinc create earth.zarr/surface/lat --shape 90 --dtype float32 --dims lat
zinc attrs earth.zarr/surface 'source="made up"' version=2

step "What is there now"
zinc tree earth.zarr
printf '$ find earth.zarr -type f\n'
find earth.zarr -type f -printf '%P  %s bytes\n' | sort

step "One array in detail"
zinc info earth.zarr/surface/temperature --stored

step "A slice: noon, every tenth row, a few columns"
zinc cat earth.zarr/surface/temperature -s '12, ::10, 60:120:10'

step "Part of it as CSV with its indices, and the first hour, summarised"
zinc cat earth.zarr/surface/temperature -s '12, ::30, 60:120:10' --as csv --index
zinc cat earth.zarr/surface/temperature -s 0

step "Every byte that comes back is the byte that went in"
printf '$ zinc cat earth.zarr/surface/temperature --as raw | cmp - day.raw\n'
"$ZINC" cat earth.zarr/surface/temperature --as raw | cmp - day.raw
echo "identical: $(wc -c <day.raw) bytes"

step "The same in another version of Zarr; what it does not have is replaced, and said"
zinc cp earth.zarr earth2.zarr --format v2 --verify
zinc info earth2.zarr/surface/temperature
printf '$ zinc cat earth2.zarr/surface/temperature --as raw | cmp - day.raw\n'
"$ZINC" cat earth2.zarr/surface/temperature --as raw | cmp - day.raw

step "Check everything: metadata against the specification, every chunk decoded"
zinc validate earth.zarr

step "Damage one byte, and check again"
printf '$ printf X | dd of=earth.zarr/surface/temperature/c/1/0/0 bs=1 seek=1000 conv=notrunc\n'
printf X | dd of=earth.zarr/surface/temperature/c/1/0/0 bs=1 seek=1000 conv=notrunc status=none
status=0
zinc validate earth.zarr || status=$?
printf '(exit status %d)\n' "$status"
[ "$status" = 1 ]

step "Other chunks are still read; the damaged one is named, never returned as wrong numbers"
zinc cat earth.zarr/surface/temperature -s '0, 45, 0:10'
status=0
zinc cat earth.zarr/surface/temperature -s '12, 0, 0:10' 2>&1 || status=$?
printf '(exit status %d)\n' "$status"
[ "$status" = 5 ]

step "Done: created, written, shown, read back, converted, checked and broken with $("$ZINC" --version | head -n 1)"
