#!/usr/bin/env bash
# bench.sh - the report of zinc bench, not its times
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

zinc 0 create a.zarr --shape 60,40 --dtype float32 --chunks 10,10 --shards 20,20
head -c 9600 /dev/urandom >noise
zinc 0 put a.zarr --from noise
zinc 0 bench a.zarr
for name in full chunks inner random; do grep -q "^$name " out || bad "no line for $name"; done
lacks selection
zinc 0 bench a.zarr --repeat 2 --json -j 1
is_json
grep -qE '^\{"url":"a.zarr","threads":1,"workloads":\[' out || bad "schema"
number='[0-9]+' time='[0-9]+\.[0-9]+'
for name in full chunks inner random; do
	grep -qE "\{\"name\":\"$name\",\"seconds\":\[$time,$time\],\"decoded_bytes\":$number,\"stored_bytes\":$number,\"peak_rss_bytes\":$number\}" out || bad "schema of $name"
done
has '"decoded_bytes":9600'
zinc 0 bench a.zarr --repeat 1 --json -s '0:10, 3'
is_json
has '"workloads":[{"name":"selection"'
has '"decoded_bytes":40,'
lacks '"full"'
zinc 0 create s.zarr --shape "" --dtype int8
zinc 0 bench s.zarr --repeat 1 --json
is_json
zinc 0 create z.zarr --shape 0,5 --dtype int8
zinc 0 bench z.zarr --repeat 1 --json
is_json
zinc 2 bench a.zarr -s 99
zinc 3 bench nothing.zarr
printf x >a.zarr/c/0/0
zinc 5 bench a.zarr --repeat 1
says "c/0/0"
rule_stores v3 M20-unknown-codec
zinc 4 bench M20-unknown-codec
finish
