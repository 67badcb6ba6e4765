#!/usr/bin/env bash
# checksum.sh - new arrays of version 3 detect damage; arrays without a checksum are reported
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

codecs() { # URL WANT: the chain as tree shows it
	zinc 0 tree "$1"
	grep -q " $2\$" out || bad "codecs of $1 are not $2"
}

# ---- the chain of new arrays ----
zinc 0 create a.zarr --shape 40,50 --dtype int16 --chunks 20,50
codecs a.zarr zstd+crc32c
zinc 0 create s.zarr --shape 40,50 --dtype int16 --chunks 10,50 --shards 20,50
zinc 0 info --json s.zarr
has '"codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"zstd","configuration":{"level":3,"checksum":false}},{"name":"crc32c"}],"index_codecs"'
zinc 0 create given.zarr --shape 40,50 --dtype int16 --chunks 20,50 --codecs zstd
codecs given.zarr zstd
zinc 0 create old.zarr --shape 40,50 --dtype int16 --chunks 20,50 --format v2
codecs old.zarr zstd
for year in 2019 2020 2022; do
	zinc 0 create d$year.zarr --shape 40,50 --dtype int16 --chunks 20,50 --format v3-$year
	codecs d$year.zarr blosc
done

# ---- some flipped bits (test_read_damaged has all): found by full and partial reads, and by validate ----
seq 1 2000 | awk '{ printf "%c%c", 65 + $1 % 7, 66 + int($1 / 100) }' >x.raw
flip() { # FILE OFFSET BIT
	local byte

	byte=$(od -An -tu1 -j "$2" -N 1 "$1")
	printf '%b' "\\x$(printf %x $((byte ^ 1 << $3)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
for store in a s; do
	zinc 0 put $store.zarr --from x.raw
	object=$store.zarr/c/0/0
	size=$(stat -c %s $object)
	cp $object whole
	for ((at = 0; at < size; at += 1 + size / 20)); do
		flip $object $at $((at % 8))
		zinc 5 cat $store.zarr --as raw
		grep -q "c/0/0" err || bad "the chunk is not named"
		zinc 1 validate $store.zarr
		if [ $store = a ]; then
			zinc 5 cat $store.zarr -s 0,0
		fi
		cp whole $object
	done
	zinc 0 cat $store.zarr --as raw
	cmp out x.raw || bad "elements"
done

# ---- arrays without one are reported, but not as a finding ----
zinc 0 validate a.zarr
! grep -q "no checksum" out || bad "a.zarr has one"
zinc 0 validate s.zarr
! grep -q "no checksum" out || bad "s.zarr has one"
zinc 0 validate --json a.zarr
prints <<<'{"url":"a.zarr","errors":0,"warnings":0,"findings":[]}'
zinc 0 create g.zarr --group
for chain in zstd none blosc numcodecs.lz4 zstd:1:checksum gzip:1 numcodecs.zlib numcodecs.bz2 crc32c numcodecs.lzma zstd+crc32c; do
	zinc 0 create "g.zarr/${chain//[:+]/-}" --shape 4 --dtype int8 --codecs $chain
done
zinc 0 create g.zarr/shard --shape 4 --dtype int8 --chunks 2 --shards 4 --codecs zstd
zinc 0 create g.zarr/sound --shape 4 --dtype int8 --chunks 2 --shards 4
for fast in "" --fast; do
	zinc 0 validate g.zarr $fast
	has "no checksum: /blosc, /none, /numcodecs.lz4, /shard, /zstd"
	has "0 errors, 0 warnings"
	zinc 0 validate --json g.zarr $fast
	prints <<<'{"url":"g.zarr","errors":0,"warnings":0,"findings":[],"no_checksum":["/blosc","/none","/numcodecs.lz4","/shard","/zstd"]}'
done
zinc 0 create g.zarr/more --shape 4 --dtype int8 --codecs none
zinc 0 validate g.zarr
has "no checksum: /blosc, /more, /none, /numcodecs.lz4, /shard and 1 more (--json names all)"

# ---- copies keep the chain; version 2 does not get a checksum that few of its readers support ----
zinc 0 cp given.zarr b.zarr
codecs b.zarr zstd
zinc 0 cp old.zarr c.zarr --format v3
codecs c.zarr zstd
for from in a s; do
	zinc 0 cp $from.zarr $from-v2.zarr --format v2 --verify
	grep -qF "zinc: replaced: /: codec crc32c is left out" err || bad "not said"
	codecs $from-v2.zarr zstd
	zinc 0 cat $from-v2.zarr --as raw
	cmp out x.raw || bad "elements of $from-v2.zarr"
done
zinc 0 cp a.zarr asked.zarr --format v2 --codecs zstd+crc32c
codecs asked.zarr zstd+crc32c
zinc 0 cp asked.zarr again.zarr
codecs again.zarr zstd+crc32c
finish
