#!/usr/bin/env bash
# timeout.sh - --timeout ends every command, --trace-requests shows what is asked of a server
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
zinc 0 create served/d.zarr/a --shape 4 --dtype uint8 --chunks 2 --codecs none
zinc 0 create served/d.zarr/s --shape 4 --dtype uint8 --chunks 1 --shards 4
printf abcd >a.bin
zinc 0 put served/d.zarr/s --from a.bin
zinc 0 put served/d.zarr/a --from a.bin --timeout 1000
zinc 0 cat served/d.zarr/a --timeout 1e300 --trace-requests
[ ! -s err ] || bad "a local store has no requests"
zinc 2 cat served/d.zarr/a --timeout soon
zinc 2 cat served/d.zarr/a --timeout -1

# Whoever waits for its own input is ended, too, and nothing is half written.
mkfifo never
exec 8<>never
run 3 "$ZINC" put served/d.zarr/a --from never --timeout 0.1
says "--timeout"
exec 8>&-
zinc 0 cat served/d.zarr/a --as raw
cmp out a.bin

zinc 0 --version
grep -q 'curl *yes' out || { finish; exit 0; }
mkfifo server.in
python3 "$SOURCE/tests/support/http_server.py" served <server.in >server.port &
exec 9>server.in
for _ in $(seq 200); do [ ! -s server.port ] || break && sleep 0.05; done
host=127.0.0.1:$(cat server.port)
for command in info tree cat validate "cp new.zarr" "diff served/d.zarr"; do
	set -- $command
	run 3 "$ZINC" "$1" "http://me:sesame@$host/silent/d.zarr/a" "${@:2}" --timeout 0.1
	says "--timeout"
	lacks sesame err
done
zinc 0 cat "http://me:sesame@$host/plain/d.zarr/a?token=sesame" -s 1 --trace-requests
prints <<'END_OUT'
98
END_OUT
has "zinc: request: GET http://$host/plain/d.zarr/a/zarr.json: 200, " err
has "zinc: request: GET http://$host/plain/d.zarr/a/c/0: 200, 2 bytes, " err
lacks sesame err
zinc 0 cat "http://$host/plain/d.zarr/s" -s 1 --trace-requests
has "/plain/d.zarr/s/c/0 bytes=-" err
has ": 206, " err
zinc 0 cat "http://$host/busy/d.zarr/a" --trace-requests
has ": 503, " err
has " again: 200, " err
zinc 3 cat http://127.0.0.1:1/d.zarr --trace-requests
has "zinc: request: GET http://127.0.0.1:1/d.zarr/zarr.json: Couldn't connect to server" err
exec 9>&-
wait
finish
