#!/usr/bin/env bash
# bad_data.sh - damaged, hostile and unreachable data: one clear error each, never a wrong number
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

# corrupt URL TEXT: cat names the place, with status 5; validate finds it
corrupt() {
	zinc 5 cat "$1" --full
	says "$2"
	zinc 1 validate "$1"
	zinc 5 --array_path="$1"
	zinc 0 info "$1"
}

# ---- truncated and altered chunks, every codec ----
head -c 4000 /dev/urandom | tr '\200-\377' '\0-\177' >noise
for codecs in none zstd gzip:6 blosc:lz4:5:shuffle blosc:zlib:5:noshuffle zstd+crc32c transpose:1,0+gzip:1; do
	if quick 3; then continue; fi
	rm -rf a.zarr
	zinc 0 create a.zarr --shape 40,50 --dtype int16 --chunks 20,50 --codecs "$codecs"
	zinc 0 put a.zarr --from noise
	cp a.zarr/c/1/0 good
	size=$(stat -c %s good)
	for length in 0 1 $((size / 2)) $((size - 1)); do
		head -c $length good >a.zarr/c/1/0
		corrupt a.zarr "c/1/0"
	done
	{ cat good && printf x; } >a.zarr/c/1/0 # bytes behind the end
	corrupt a.zarr "c/1/0"
	zinc 0 cat a.zarr -s :20 --as raw # the other chunk is still valid
	head -c 2000 noise | cmp - out || bad "the good chunk with $codecs"
done
for offset in 0 100 1999; do # a wrong checksum: crc32c finds any change
	zinc 0 create a.zarr --shape 40,50 --dtype int16 --chunks 20,50 --codecs crc32c --overwrite
	zinc 0 put a.zarr --from noise
	printf '\377' | dd of=a.zarr/c/1/0 bs=1 seek=$offset conv=notrunc status=none
	zinc 5 cat a.zarr --full
	says "checksum"
done

# ---- shards: index entries by hand (2 inner chunks of 2 bytes; u64 offset, u64 length; no checksum) ----
zinc 0 create s.zarr --shape 4 --dtype uint8 --codecs '[{"name": "sharding_indexed", "configuration": {"chunk_shape": [2],
	"codecs": [{"name": "bytes"}], "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}}]' --chunks 4
mkdir -p s.zarr/c
all="ff ff ff ff ff ff ff ff"
shard() { bytes 01 02 03 04 "$@" >s.zarr/c/0; }
n() { echo "$1 00 00 00 00 00 00 00"; }
shard $(n 00) $(n 02) $(n 02) $(n 02)
zinc 0 cat s.zarr
prints <<<"[1 2 3 4]"
shard $(n 02) $(n 02) $(n 00) $(n 02) # any order
zinc 0 cat s.zarr
prints <<<"[3 4 1 2]"
shard $(n 00) $(n 02) $all $all # absent
zinc 0 cat s.zarr
prints <<<"[1 2 0 0]"
shard $(n 00) $(n 02) $all $(n 02) # half a sentinel
corrupt s.zarr "c/0"
shard $(n 00) $(n 02) $(n 02) $all # the other half
corrupt s.zarr "c/0"
shard $(n 00) $(n 02) $(n 23) $(n 02) # past the end
corrupt s.zarr "c/0"
shard $(n 00) $(n 02) $(n 03) $(n 02) # over the index
corrupt s.zarr "c/0"
shard $(n 00) $(n 02) fe ff ff ff ff ff ff ff $(n 04) # overflow
corrupt s.zarr "c/0"
shard $(n 00) $(n 01) $(n 02) $(n 02) # an inner chunk too short
corrupt s.zarr "c/0"
bytes 01 02 03 >s.zarr/c/0 # too short for an index
corrupt s.zarr "c/0"

# ---- metadata with sizes that are too large ----
document() { # SHAPE CHUNKS DTYPE CODECS
	mkdir -p m.zarr/c
	cat >m.zarr/zarr.json <<END
{"zarr_format": 3, "node_type": "array", "shape": [$1], "data_type": "$3",
 "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [$2]}},
 "chunk_key_encoding": {"name": "default"}, "fill_value": 0,
 "codecs": [$4]}
END
}
raw='{"name": "bytes", "configuration": {"endian": "little"}}'
document 18446744073709551615 18446744073709551615 int64 "$raw"
zinc 4 cat m.zarr -s 0
zinc 4 info m.zarr
document 4611686018427387904,4611686018427387904,16 4611686018427387904,4611686018427387904,16 int32 "$raw"
zinc 4 cat m.zarr -s 0,0,0
document 1000000000000 1000 int8 "$raw" # 10^9 chunks, none stored
zinc 0 cat m.zarr -s -3:
prints <<<"[0 0 0]"
zinc 0 info --stored --json m.zarr
has '"objects":0,"objects_total":1000000000'
zinc 0 validate m.zarr
document "$(yes 1, | head -n 64 | tr -d '\n')1" "$(yes 1, | head -n 64 | tr -d '\n')1" int8 "$raw" # 65 dimensions
zinc 4 info m.zarr
says ""
document 18446744073709551616 1 int8 "$raw"
zinc 5 info m.zarr
document -1 1 int8 "$raw"
zinc 5 info m.zarr

# ---- decompression bombs: refused within a second of CPU time and 64 MiB ----
small() { # COMMAND...: in little memory, if memory can be limited
	if instrumented; then "$@"; else (ulimit -v 400000 && exec "$@"); fi
}
bomb() { # CODEC FILE
	document 1000 1000 int8 "$raw, $1"
	cp "$2" m.zarr/c/0
	run 5 small "$ZINC" cat m.zarr -j 2
	says "c/0"
	run 1 small "$ZINC" validate m.zarr -j 2
}
much=100000000
[ -z "${ZINC_QUICK:-}" ] || much=3000000
if command -v gzip >/dev/null; then
	head -c $much /dev/zero | gzip -9 >bomb.gz
	bomb '{"name": "gzip", "configuration": {"level": 9}}' bomb.gz
	gzip -9 <bomb.gz >twice.gz
	bomb '{"name": "gzip", "configuration": {"level": 9}}, {"name": "gzip", "configuration": {"level": 9}}' twice.gz
fi
zinc 0 create big.zarr --shape $much --dtype int8 --chunks $much --codecs zstd:1 --fill 1
head -c $much /dev/zero | "$ZINC" put big.zarr --from -
bomb '{"name": "zstd", "configuration": {"level": 1}}' big.zarr/c/0
zinc 0 create big.zarr --shape $much --dtype int8 --chunks $much --codecs blosc:zstd:1:noshuffle --fill 1 --overwrite
head -c $much /dev/zero | "$ZINC" put big.zarr --from -
bomb '{"name": "blosc", "configuration": {"cname": "zstd", "clevel": 1, "shuffle": "noshuffle", "blocksize": 0}}' big.zarr/c/0
rm -rf big.zarr

# ---- documents that are deep, long or many ----
mkdir deep.zarr
head -c 1000000 /dev/zero | tr '\0' '[' >deep.zarr/zarr.json
run 4 small "$ZINC" info deep.zarr
says "deep.zarr"
run 4 small "$ZINC" validate deep.zarr
{ printf '{"zarr_format": 3, "node_type": "group", "attributes": {"n": ' && head -c 1000000 /dev/zero | tr '\0' 9 && printf '}}'; } >deep.zarr/zarr.json
status=0
"$ZINC" info deep.zarr >out 2>err || status=$?
[ $status = 4 ] || [ $status = 5 ] || bad "a number of 10^6 digits: $status"
printf '\0\1\2' >deep.zarr/zarr.json
zinc 5 info deep.zarr
: >deep.zarr/zarr.json
zinc 5 info deep.zarr
rm deep.zarr/zarr.json
mkdir deep.zarr/zarr.json # a directory where a document should be
for command in info cat validate; do
	status=0
	"$ZINC" $command deep.zarr >out 2>err || status=$?
	[ $status -ge 3 ] || bad "a directory in place of a document: $command gives $status"
	[ "$(wc -l <err)" = 1 ] || bad "one line: $command"
done

# ---- links out of the hierarchy are followed by default ----
zinc 0 create l.zarr --shape 4 --dtype int8 --chunks 4 --codecs none
printf abcd >secret
mkdir l.zarr/c
ln -s ../../secret l.zarr/c/0
zinc 0 cat l.zarr
zinc 3 cat l.zarr --links refuse
zinc 3 cat l.zarr --links beneath
has "leads out of the store" err
zinc 2 cat l.zarr --links maybe

# ---- files without read permission, as a user who is not root ----
place=$(mktemp -d)
chmod 755 "$place"
trap 'umount "$place/full" 2>/dev/null || true; rm -rf "$place"' EXIT
"$ZINC" create "$place/p.zarr" --shape 4 --dtype int8 --chunks 2 --codecs none
printf abcd | "$ZINC" put "$place/p.zarr" --from -
chmod 000 "$place/p.zarr/c/0"
if [ "$(id -u)" = 0 ]; then
	other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
else
	other=()
fi
if "${other[@]}" "$ZINC" --version >/dev/null 2>&1; then
	run 3 "${other[@]}" "$ZINC" cat "$place/p.zarr"
	says "Permission denied"
	run 0 "${other[@]}" "$ZINC" cat "$place/p.zarr" -s 2:
	prints <<<"[ 99 100]"
	run 1 "${other[@]}" "$ZINC" validate "$place/p.zarr"
	has "error read: c/0"
	if [ "$(id -u)" = 0 ]; then # a directory of another user
		run 3 "${other[@]}" "$ZINC" put "$place/p.zarr" -s 3: --from <(printf x)
		run 3 "${other[@]}" "$ZINC" create "$place/q.zarr" --group
	fi
	chmod 000 "$place/p.zarr/zarr.json"
	run 3 "${other[@]}" "$ZINC" info "$place/p.zarr"
	says "Permission denied"
fi

# ---- chunks of another size than the document says: an error for every part of them ----
for codecs in zstd:1 blosc:lz4:5:shuffle:1024 numcodecs.lz4 gzip:1 none zstd:1+crc32c; do
	rm -rf size.zarr
	"$ZINC" create size.zarr --shape 64,64 --dtype int32 --chunks 64,64 --codecs "$codecs"
	head -c 16384 /dev/zero | tr '\0' x | "$ZINC" put size.zarr --from -
	sed -i 's/"int32"/"int64"/' size.zarr/zarr.json
	for part in : 0 0,0 3:5 63; do
		zinc 5 cat size.zarr -s "$part"
		says "size.zarr: c/0/0"
	done
	zinc 1 validate size.zarr
done

# ---- a full disk: the old value stays, and writing works again when there is space ----
mkdir "$place/full"
if mount -t tmpfs -o size=256k tmpfs "$place/full" 2>/dev/null; then
	"$ZINC" create "$place/full/f.zarr" --shape 100000 --dtype int8 --chunks 100000 --codecs none
	head -c 100000 /dev/zero | tr '\0' a | "$ZINC" put "$place/full/f.zarr" --from -
	head -c 100000 /dev/zero | tr '\0' b >new
	dd if=/dev/zero of="$place/full/ballast" bs=1k count=120 status=none
	zinc 3 put "$place/full/f.zarr" --from new
	says "No space left"
	zinc 0 cat "$place/full/f.zarr" -s :2 --as json
	prints <<<"[97,97]"
	zinc 0 validate "$place/full/f.zarr"
	has "0 errors, 0 warnings"
	rm "$place/full/ballast"
	zinc 0 put "$place/full/f.zarr" --from new
	zinc 0 cat "$place/full/f.zarr" -s :2 --as json
	prints <<<"[98,98]"
	umount "$place/full"
fi
finish
