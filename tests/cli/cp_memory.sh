#!/usr/bin/env bash
# cp_memory.sh - a rechunk of orthogonal chunks, the source 8 times --max-memory: peak memory of the process
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
command -v python3 >/dev/null || exit 77
[ -z "${ZINC_EMULATED-}" ] || exit 77
case $(nm -D "$ZINC_BUILD_DIR/libzinc.so.0" 2>/dev/null) in *__asan_* | *__tsan_*) exit 77 ;; esac # not with sanitizers

if [ -d /dev/shm ] && [ -w /dev/shm ]; then
	place=$(mktemp -d -p /dev/shm)
	trap 'rm -rf "$place"' EXIT
	cd "$place"
fi

limit=32 # MiB
"$ZINC" create a.zarr --shape 512,512,512 --dtype int16 --chunks 1,512,512 --codecs zstd:1
head -c 65536 /dev/urandom >block
for _ in $(seq 4096); do cat block; done | "$ZINC" put a.zarr --from - # 256 MiB

peak() { # peak memory of `zinc cp ARGS` in MiB
	python3 - "$ZINC" "$@" <<'END'
import resource, subprocess, sys
subprocess.run([sys.argv[1], "cp", *sys.argv[2:]], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
END
}

zinc 0 cp a.zarr b.zarr --chunks 512,8,8 --codecs zstd:1 --max-memory ${limit}M --dry-run
has "two passes"
has "each chunk is read 1.0 times"
has "within $limit MiB"
got=$(peak a.zarr b.zarr --chunks 512,8,8 --codecs zstd:1 --max-memory ${limit}M)
echo "two passes: $got MiB, $((limit + 64)) allowed"
[ "$got" -le $((limit + 64)) ] || bad "$got MiB"
"$ZINC" cat a.zarr --as raw -s '::7, ::5, ::3' >a.raw
"$ZINC" cat b.zarr --as raw -s '::7, ::5, ::3' | cmp - a.raw || bad "elements differ"
[ ! -e b.zarr/__zinc_cp_pass ] || bad "the temporary array is left"
got=$(peak a.zarr b.zarr --chunks 512,16,16 --codecs zstd:1 --max-memory ${limit}M --overwrite)
echo "over an old target: $got MiB, $((limit + 64)) allowed"
[ "$got" -le $((limit + 64)) ] || bad "$got MiB"
got=$(peak a.zarr c.zarr --max-memory ${limit}M)
echo "as they are: $got MiB, $((limit + 64)) allowed"
[ "$got" -le $((limit + 64)) ] || bad "$got MiB"
finish
