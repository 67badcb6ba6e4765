#!/usr/bin/env bash
# demo.sh ZINC - the command at work: a sharded, compressed array on disk, from nothing to validated
set -euo pipefail
zinc=$(realpath "${1:-build/zinc}")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

if [ -t 1 ]; then bold=$'\e[1m' plain=$'\e[0m'; else bold='' plain=''; fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
run() {
	printf '$ zinc'
	printf ' %q' "$@"
	printf '\n'
	"$zinc" "$@"
}

# A day of temperatures on a globe: warm at the equator and at local noon.  Raw float32, C order.
weather() {
	perl -e '
		use strict;
		my $pi = atan2(1, 1) * 4;
		my @east = map { cos(2 * $pi * $_ / 144) } 0 .. 143;
		for my $hour (0 .. 23) {
			for my $row (0 .. 72) {
				my $warm = cos($pi * ($row - 36) / 72);
				my @t = map { 245 + 50 * $warm + 8 * $warm * $east[($_ + 6 * $hour) % 144] } 0 .. 143;
				print pack("f<*", @t);
			}
		}'
}

say "A group, and in it an array: 24 hours x 73 x 144, zstd inside shards of 8 x 8 x 8 chunks"
run create weather.zarr --group --attrs '{"title": "One day of weather"}'
run create weather.zarr/t2m --shape 24,73,144 --dtype float32 --chunks 3,10,18 --shards 24,80,144 \
	--codecs zstd:5 --fill NaN --dims time,lat,lon --attrs '{"units": "K"}'

say "One megabyte of numbers goes in through a pipe"
weather >day.f32
echo '$ zinc put weather.zarr/t2m --from - < day.f32'
"$zinc" put weather.zarr/t2m --from - <day.f32

say "What is there now: plain files that any Zarr library reads"
run tree weather.zarr
run info weather.zarr/t2m --stored
find weather.zarr -type f | sort | xargs ls -l | awk '{ printf "  %8d bytes  %s\n", $5, $NF }'

say "Noon on every 12th parallel and every 24th meridian: one range of one file per chunk needed"
run cat weather.zarr/t2m -s '12, ::12, ::24' --as csv

say "Every byte that came back is the byte that went in"
"$zinc" cat weather.zarr/t2m --as raw -o back.f32
cmp day.f32 back.f32 && echo "identical: $(wc -c <back.f32) bytes"

say "Is it valid?  Documents against the specification, then every chunk decoded"
run validate weather.zarr
say "Done: created, written, shown, read back and checked with $("$zinc" --version | head -n 1)"
