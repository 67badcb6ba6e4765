#!/usr/bin/env bash
# http_put.sh - writing to a web server: refused by default; elements and attributes changed by PUT
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
zinc 0 --version
if ! grep -q 'curl *yes' out; then
	exit 77
fi
mkdir served
head -c 4096 /dev/urandom >s.bin

everything() { # everything BASE: the URL of a server whose files are below served/
	local url=$1/d.zarr
	zinc 0 create served/d.zarr --group
	zinc 0 create served/d.zarr/s --shape 64,64 --dtype uint8 --chunks 16,16 --codecs gzip:1
	zinc 3 put "$url/s" --from s.bin
	says "this store cannot be written"
	zinc 3 create "$url/w" --shape 4 --dtype uint8
	says "or if it is a web server that takes PUT add ?write=yes"
	zinc 3 put "$url/s?write=no" --from s.bin
	ZINC_HTTP_WRITE=yes zinc 0 put "$url/s" --from s.bin
	zinc 0 cat served/d.zarr/s --as raw
	cmp out s.bin || bad "the elements that were put"
	zinc 0 cat "$url/s" --as raw
	cmp out s.bin || bad "the elements that are read"
	zinc 3 attrs "$url/s?write=yes" a=1
	says "has neither locks nor conditional puts"
	# Creating needs no listing: a document that exists is not replaced.
	zinc 0 create "$url/new?write=yes" --shape 4 --dtype uint8
	zinc 3 create "$url/new?write=yes" --shape 4 --dtype uint8
	says "already exists"
	# A copy has consolidated metadata, by which it can be listed, also if its source has none; an array needs no listing.
	zinc 0 create v3.zarr --group --overwrite
	zinc 0 create v3.zarr/g/a --shape 4 --dtype uint8
	for format in v3 v2; do
		zinc 0 cp v3.zarr "$1/v3.zarr?write=yes" --format "$format"
		zinc 0 tree "$1/v3.zarr"
		has "a  uint8 (4,)"
		zinc 0 diff v3.zarr "$1/v3.zarr"
		zinc 0 cp "$1/v3.zarr" back.zarr --format v3 --overwrite
		zinc 0 diff v3.zarr back.zarr
		rm -r served/v3.zarr
	done
	zinc 0 create v2.zarr --group --format v2 --overwrite
	zinc 0 create v2.zarr/g/a --shape 4 --dtype uint8 --format v2
	zinc 0 consolidate v2.zarr
	zinc 0 cp v2.zarr "$1/v2.zarr?write=yes"
	zinc 0 diff v2.zarr "$1/v2.zarr"
	zinc 0 create served/draft.zarr/g/a --shape 4 --dtype uint8 --format v3-2022
	zinc 0 diff "$1/draft.zarr/g/a" served/draft.zarr/g/a
	zinc 4 tree "$1/draft.zarr"
	rm -rf served/v2.zarr served/draft.zarr
	zinc 4 tree "$url"
	says "consolidated"
	zinc 4 rm --yes "$url?write=yes"
	says "through a store that can"
	rm -r served/d.zarr
}

# ---- our test server ----
serve server
base=http://127.0.0.1:$port
everything "$base/plain"
zinc 0 create served/c.zarr --group
zinc 0 attrs "$base/plain/c.zarr?write=yes&conditions=yes" a=1
zinc 0 attrs served/c.zarr a
prints <<<"1"
zinc 4 attrs "$base/ignores/c.zarr?write=yes&conditions=yes" a=2
says "ignores If-Match"
zinc 0 attrs served/c.zarr a
prints <<<"1"
rm -r served/c.zarr

# ---- consolidated metadata above: an edit removes it and says so, a read does not request it ----
zinc 0 create served/k.zarr --group
zinc 0 create served/k.zarr/t --shape 4 --dtype uint8
zinc 0 consolidate served/k.zarr
zinc 0 info "$base/plain/k.zarr/t?write=yes" --trace-requests
has "k.zarr/t/zarr.json" err
lacks "k.zarr/zarr.json" err
zinc 0 attrs "$base/plain/k.zarr/t?write=yes&conditions=yes" a=1
says "to write it again: zinc consolidate $base/plain/k.zarr"
lacks consolidated_metadata served/k.zarr/zarr.json
zinc 0 attrs served/k.zarr/t a
prints <<<"1"
rm -r served/k.zarr

# ---- nginx with WebDAV, if it is installed ----
if command -v nginx >/dev/null && nginx -V 2>&1 | grep -q http_dav_module; then
	mkdir -p logs
	cat >nginx.conf <<END
daemon off; pid $PWD/nginx.pid; error_log $PWD/logs/error.log; worker_processes 1;
events {}
http { access_log off; server { listen 127.0.0.1:18462; root $PWD/served;
    location / { dav_methods PUT DELETE; create_full_put_path on; client_max_body_size 0; } }
  client_body_temp_path $PWD/logs; proxy_temp_path logs; fastcgi_temp_path logs; uwsgi_temp_path logs; scgi_temp_path logs; }
END
	chmod o+rx . served 2>/dev/null || true
	nginx -c "$PWD/nginx.conf" -p "$PWD" -g 'user root;' 2>nginx.err &
	server=$!
	for _ in $(seq 100); do
		[ -e nginx.pid ] || ! kill -0 $server 2>/dev/null || { sleep 0.05; continue; }
		break
	done
	if [ -e nginx.pid ]; then
		everything http://127.0.0.1:18462
		# It ignores conditions of a PUT: detected by a test request that leaves nothing behind.
		zinc 0 create served/c.zarr --group
		zinc 4 attrs "http://127.0.0.1:18462/c.zarr?write=yes&conditions=yes" a=1
		says "ignores If-Match"
		[ -z "$(find served -name '*zinc-condition*')" ] || bad "the trial is left over"
		kill $server
		wait $server || true
	fi
fi
exec {keep}>&-
echo "http_put: ok"
