#!/usr/bin/env bash
# explain.sh - golden text and JSON of chunks and explain
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

zinc 0 create a.zarr/x --shape 6,6 --dtype uint8 --chunks 2,3 --codecs none
head -c 24 /dev/zero | tr '\0' '\7' >values
zinc 0 put a.zarr/x -s 0:4 --from values
zinc 0 chunks a.zarr/x -s '1:5, 0'
prints <<'END'
chunk  bytes  key
0,0        6  x/c/0/0
1,0        6  x/c/1/0
2,0        -  x/c/2/0
END
zinc 0 chunks a.zarr/x -s '1:5, 0' --json
is_json
prints <<'END'
{"url":"a.zarr/x","chunks":[{"key":"x/c/0/0","index":[0,0],"present":true,"bytes":6,"offset":null},{"key":"x/c/1/0","index":[1,0],"present":true,"bytes":6,"offset":null},{"key":"x/c/2/0","index":[2,0],"present":false,"bytes":0,"offset":null}]}
END
zinc 0 chunks a.zarr/x -s 0:0 --json
is_json
prints <<<'{"url":"a.zarr/x","chunks":[]}'
zinc 0 explain a.zarr/x -s '1:5, 0'
prints <<'END'
objects      3, 2 of them stored
chunks       3, 2 of them stored
requests     3
read         12 B
decoded      12 B
selected     4 B
wasted       75% of what is decoded
END
zinc 0 explain a.zarr/x -s '0:4, 0'
has 'better       chunks of 4 x 1 would waste 0%:'
has 'zinc cp a.zarr/x NEW --chunks 4,1 --shards auto'
zinc 0 explain a.zarr/x -s '1:5, 0' --json
is_json
has '{"url":"a.zarr/x","selection":"1:5, 0","objects":3,"objects_present":2,"chunks":3,"chunks_present":2,"requests":3,"ranges":0,"bytes_read":12,"bytes_stored":12,"bytes_decoded":12,"bytes_selected":4,"waste":0.7500,"suggestion":'

zinc 0 create s.zarr --shape 6,6 --dtype uint8 --chunks 2,3 --shards 4,6 --codecs none
zinc 0 put s.zarr -s 0:4 --from values
zinc 0 chunks s.zarr -s '1:5, 0'
prints <<'END'
chunk  bytes  offset  key
0,0        6       0  c/0/0
1,0        6      12  c/0/0
2,0        -       -  c/1/0
END
zinc 0 chunks s.zarr -s '3, 0' --json
is_json
prints <<<'{"url":"s.zarr","chunks":[{"key":"c/0/0","index":[1,0],"present":true,"bytes":6,"offset":12}]}'
zinc 0 explain s.zarr
has "objects      2, 1 of them stored"
has "chunks       6, 4 of them stored"

# explain must match the real read: here computed by hand
zinc 0 explain s.zarr -s '3, 0' --json
is_json
has '"requests":2,"ranges":2,"bytes_read":74,' # index of 4 * 16 + 4 bytes, and one chunk

# ---- wrong ----
rule_stores v3 M20-unknown-codec
for command in chunks explain; do
	zinc 2 $command
	zinc 2 $command a.zarr/x -s 9
	zinc 2 $command a.zarr/x -s 'x'
	zinc 3 $command a.zarr
	zinc 3 $command nothing.zarr
	zinc 4 $command M20-unknown-codec
done
truncate -s 10 s.zarr/c/0/0
zinc 5 explain s.zarr
says "c/0/0"
finish
