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
# stats of a group
zinc 0 stats d.zarr
[ "$(wc -l <out)" = 3 ] || bad "two arrays and a header"
zinc 0 stats d.zarr --json
is_json
zinc 2 stats d.zarr -s nothing=1
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
