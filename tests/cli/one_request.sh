#!/usr/bin/env bash
# one_request.sh - a hierarchy of 100 arrays with consolidated metadata opens with one request, over http and S3
#
# Counted twice: by --trace-requests and by the server.
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
zinc 0 stores --json
grep -qE '"name":"s3",[^}]*"missing":null' out || { echo "this build has no s3 store"; exit 77; }

mkdir -p served
zinc 0 create served/h.zarr/a0 --shape 4 --dtype uint8 --chunks 2 --codecs none
printf abcd >a.bin
zinc 0 put served/h.zarr/a0 --from a.bin
for i in $(seq 99); do
	cp -r served/h.zarr/a0 "served/h.zarr/a$i"
done
zinc 0 consolidate served/h.zarr

# counted N URL: `tree` finds all arrays with N requests
counted() {
	zinc 0 tree "$2" --trace-requests
	[ "$(grep -c 'a[0-9]* .*uint8' out)" = 100 ] || bad "$2: not 100 arrays"
	[ "$(wc -l <err)" = "$1" ] || bad "$2: $(wc -l <err) requests instead of $1: $(cat err)"
}

serve web
counted 1 "http://127.0.0.1:$port/plain/h.zarr"
[ "$(grep -c h.zarr web.log)" = 1 ] || bad "the web server counts: $(cat web.log)"

serve_script s3_server.py
export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY AWS_REGION=us-east-1
export AWS_ENDPOINT_URL_S3=$server
zinc 0 cp served/h.zarr s3://plain-1/h.zarr
count() { python3 -c 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())' "$AWS_ENDPOINT_URL_S3/_count/plain-1"; }
before=$(count)
counted 1 s3://plain-1/h.zarr
[ "$(($(count) - before))" = 1 ] || bad "S3 counts $(($(count) - before)) requests"

# A copy from bucket to bucket arrives whole.
zinc 0 cp s3://plain-1/h.zarr s3://plain-2/h.zarr
zinc 0 diff served/h.zarr s3://plain-2/h.zarr
finish
