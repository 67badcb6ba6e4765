#!/usr/bin/env bash
# cache.sh - a web server behind a cache: the second process asks for less, and sees changes
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
zinc 0 --version
if ! grep -q 'curl *yes' out; then
	exit 77
fi
export ZINC_CACHE_DIR=$PWD/cache

zinc 0 create served/d.zarr --group
zinc 0 create served/d.zarr/a --shape 100,100 --dtype uint16 --chunks 10,10 --codecs none
zinc 0 create served/d.zarr/s --shape 64,64 --dtype uint8 --chunks 8,8 --shards 32,32 --codecs gzip:1
head -c 20000 /dev/urandom >a.bin
head -c 4096 /dev/urandom >s.bin
zinc 0 put served/d.zarr/a --from a.bin
zinc 0 put served/d.zarr/s --from s.bin
serve plain
base=http://127.0.0.1:$port

# requests PATTERN: how many requests of the last command match
requests() { grep -c "$1" err || true; }

# ---- the same elements, and no value is sent twice ----
for node in a s; do
	zinc 0 cat "served/d.zarr/$node"
	cp out local.txt
	zinc 0 cat "$base/plain/d.zarr|cache:$node" --trace-requests
	cmp out local.txt || bad "$node differs when it is read first"
	first=$(requests ' GET ')
	[ "$first" -gt 4 ] || bad "only $first requests: $(cat err)"
	zinc 0 cat "$base/plain/d.zarr|cache:$node" --trace-requests
	cmp out local.txt || bad "$node differs when it is read again"
	[ "$(grep ' GET ' err | grep -vc ' 404 ' || true)" = 0 ] || bad "values are sent again: $(cat err)"
	[ "$(requests ' HEAD ')" -gt 0 ] || bad "nothing is confirmed: $(cat err)"
done

# ---- within the age nothing is asked ----
zinc 0 cat "$base/plain/d.zarr|cache:a?age=1000" --trace-requests
zinc 0 cat "$base/plain/d.zarr|cache:a?age=1000" --trace-requests
[ "$(requests 'plain/d.zarr')" = 0 ] || bad "asked within the age: $(cat err)"
zinc 0 cat served/d.zarr/a
cp out local.txt
ZINC_CACHE_AGE=1000 zinc 0 cat "$base/plain/d.zarr|cache:s" --trace-requests
ZINC_CACHE_AGE=1000 zinc 0 cat "$base/plain/d.zarr|cache:s" --trace-requests
[ "$(requests 'plain/d.zarr')" = 0 ] || bad "ranges are asked for within the age: $(cat err)"

# ---- a change on the server is seen ----
sleep 0.01
head -c 20000 /dev/urandom >a.bin
zinc 0 put served/d.zarr/a --from a.bin
zinc 0 cat served/d.zarr/a
cp out local.txt
zinc 0 cat "$base/plain/d.zarr|cache:a"
cmp out local.txt || bad "the change is not seen"

# ---- an archive: its entries are kept, or the ranges of it that were read ----
zinc 0 cp served/d.zarr/a served/a.zip/a
for url in "$base/plain/a.zip|cache:a" "$base/plain|cache:a.zip|zip:a"; do
	for again in 1 2; do
		zinc 0 cat "$url" --trace-requests
		cmp out local.txt || bad "$url differs"
	done
	[ "$(grep ' GET ' err | grep -vc ' 404 ' || true)" -lt 3 ] || bad "the archive is read again: $(cat err)"
done

# ---- without a directory that can be used there is a warning, and the elements ----
echo x >file
ZINC_CACHE_DIR=$PWD/file zinc 0 cat "$base/plain/d.zarr|cache:a"
cmp out local.txt || bad "without a directory"
says "the cache writes nothing more to disk"
mkdir -p open/v1
chmod 755 open/v1
ZINC_CACHE_DIR=$PWD/open zinc 0 cat "$base/plain/d.zarr|cache:a"
cmp out local.txt || bad "with a directory of others"
says "can be used by other users"
[ -z "$(ls open/v1)" ] || bad "files in it"

# ---- settings ----
zinc 2 cat "$base/plain/d.zarr|cache:a?ages=1"
says 'did you mean "cache.age"?'
zinc 0 cat "$base/plain/d.zarr?token=secret123|cache:a"
! grep -ra secret123 cache || bad "a secret of the URL is in the cache"
