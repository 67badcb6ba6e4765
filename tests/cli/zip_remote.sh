#!/usr/bin/env bash
# zip_remote.sh - archives on a web server: few requests, odd servers, an archive that is replaced
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
zinc 0 --version
if ! grep -q 'curl *yes' out; then
	exit 77
fi

zinc 0 create d.zarr --group
zinc 0 create d.zarr/t --shape 100,100 --dtype uint16 --chunks 10,10 --codecs none
zinc 0 create d.zarr/s --shape 64,64 --dtype uint8 --chunks 8,8 --shards 32,32 --codecs gzip:1
head -c 20000 /dev/urandom >t.bin
head -c 4096 /dev/urandom >s.bin
zinc 0 put d.zarr/t --from t.bin
zinc 0 put d.zarr/s --from s.bin
mkdir served
zinc 0 cp d.zarr served/a.zip
serve plain
base=http://127.0.0.1:$port

for mode in plain noranges chunked nohead cut busy redirect modified notag; do
	for url in "$base/$mode/a.zip" "$base/$mode/a.zip?token=1|zip:" "zip://::$base/$mode/a.zip"; do
		zinc 0 diff d.zarr "$url"
	done
	zinc 0 cat "$base/$mode/a.zip/t" -s '3:40, 17'
	cp out got
	zinc 0 cat d.zarr/t -s '3:40, 17'
	cmp got out || bad "a part, $mode"
done

# ---- one request for the end of the archive, then ranges; the whole archive is never read ----
zinc 0 cat "$base/plain/a.zip/t" -s '0,0' --trace-requests
requests=$(grep -c 'GET' err)
[ "$requests" -le 4 ] || bad "$requests requests for one chunk: $(cat err)"
zinc 0 tree "$base/plain/a.zip"
has "100, 100"
zinc 0 validate "$base/plain/a.zip"

# ---- not written, not there, no archive ----
zinc 3 create "$base/plain/a.zip/new" --shape 1 --dtype int8
has "cannot be written" err
zinc 3 info "$base/plain/none.zip"
has "does not exist" err
head -c 100 t.bin >served/bad.zip
zinc 5 info "$base/plain/bad.zip"
says "no end record"

# ---- errors say what helps ----
for url in "$base/plain/a.zip/new" "$base/plain/a.zip|zip:new"; do
	zinc 3 create "$url" --shape 4 --dtype uint8
	says "this store cannot be written: write a local copy, and upload that"
done
echo '<html>not found</html>' >served/html.zip
zinc 5 info "$base/plain/html.zip"
says "is a page of HTML or XML, not an archive: check the address"
zinc 3 info "$base/plain/none.zip"
says 'none.zip" does not exist'

finish
