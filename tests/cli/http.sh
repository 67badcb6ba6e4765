#!/usr/bin/env bash
# http.sh - reading from a web server through the module: ranges, consolidated metadata, TLS, clear errors
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
zinc 0 --version
if ! grep -q 'curl *yes' out; then
	exit 77
fi

# ---- the served files ----
zinc 0 create 'served/d.zarr' --group
zinc 0 create 'served/d.zarr/a b/t' --shape 30,20 --dtype uint16 --chunks 7,6 --codecs zstd:1
zinc 0 create 'served/d.zarr/s' --shape 64,64 --dtype uint8 --chunks 8,8 --shards 32,32 --codecs gzip:1
zinc 0 create 'served/d.zarr/raw' --shape 64,64 --dtype uint8 --chunks 16,16 --codecs none
head -c 1200 /dev/urandom >t.bin
head -c 4096 /dev/urandom >s.bin
zinc 0 put 'served/d.zarr/a b/t' --from t.bin
zinc 0 put served/d.zarr/s --from s.bin
zinc 0 put served/d.zarr/raw --from s.bin

serve plain
base=http://127.0.0.1:$port

same() { # same URL LOCAL [option...]: both print the same
	zinc 0 cat "$1" "${@:3}"
	cp out remote.txt
	zinc 0 cat "$2" "${@:3}"
	cmp out remote.txt
}
for mode in plain noranges chunked nohead cut busy redirect modified notag; do
	url=$base/$mode/d.zarr
	same "$url/a%20b/t" 'served/d.zarr/a b/t'
	same "$url/s" served/d.zarr/s -s '3:40, 17'
	same "$url/raw" served/d.zarr/raw -s '::3, 5:60'
	same "$url?token=1|a%20b/t" 'served/d.zarr/a b/t' -s '2, :'
done
zinc 0 info "$base/plain/d.zarr/s"
has "shards       32 x 32"

# ---- an array is opened by one request for its document ----
zinc 0 cat "$base/plain/d.zarr/raw" -s 0,0 --trace-requests
[ "$(grep -c 'GET .*/raw/zarr.json' err)" = 1 ] || bad "its document is asked for more than once: $(cat err)"

# ---- statistics need no listing; the stored size is unknown ----
for node in s raw 'a%20b/t'; do
	zinc 0 stats "$base/plain/d.zarr/$node"
	grep -v '^stored\|^per object' out >remote.txt
	has "stored       not known: the store cannot list"
	zinc 0 stats "served/d.zarr/${node//%20/ }"
	grep -v '^stored\|^per object' out | cmp - remote.txt || bad "statistics of $node"
done
# A sparse array has too many chunks to request: an error at once; a part can be read.
zinc 0 create served/sparse.zarr --shape 100000,100000 --dtype int8 --chunks 10,10
for command in "stats" "diff served/sparse.zarr"; do
	# shellcheck disable=SC2086
	set -- $command
	zinc 4 "$1" "$base/plain/sparse.zarr" "${@:2}"
	says "too many chunks for a store that cannot list"
done
zinc 0 stats "$base/plain/sparse.zarr" -s '0:30, 0:30'
zinc 0 stats --json "$base/plain/d.zarr/s"
is_json
has '"stored":null}'

# ---- listing: only by consolidated metadata ----
zinc 4 tree "$base/plain/d.zarr"
says "cannot list"
zinc 4 ls "$base/plain/d.zarr"
cat >served/d.zarr/zarr.json <<'END'
{"zarr_format": 3, "node_type": "group", "consolidated_metadata": {"kind": "inline", "must_understand": false, "metadata": {
	"x": {"zarr_format": 3, "node_type": "group"},
	"x/y": {"zarr_format": 3, "node_type": "group", "attributes": {"n": 1}}}}}
END
zinc 0 tree "$base/plain/d.zarr"
has "x"
has "y"
zinc 0 ls -r "$base/plain/d.zarr"
prints <<'END'
x
x/y
END

# ---- no writing ----
zinc 3 create "$base/plain/d.zarr/new" --shape 1 --dtype uint8
zinc 3 rm --yes "$base/plain/d.zarr/s"
zinc 3 attrs "$base/plain/d.zarr/s" a=1

# a dry run reports the same
for command in consolidate "consolidate --remove" "create --group" "attrs a=1" "attrs --rm a" "resize 3,3" "put --from s.bin" \
	"rm --yes" "conventions --add cs" "create --group --overwrite"; do
	# shellcheck disable=SC2086
	set -- $command
	node=s
	[ "$1" != consolidate ] || node=
	zinc 3 "$1" "$base/plain/d.zarr/$node" "${@:2}" --dry-run
	says "this store cannot be written"
	zinc 3 "$1" "$base/plain/d.zarr/$node" "${@:2}"
	has "this store cannot be written" err
done

# ---- failures name the place ----
zinc 3 info "$base/plain/none.zarr"
zinc 3 info "$base/forbidden/d.zarr"
says "403"
says "127.0.0.1:$port"
zinc 2 info "http://"
zinc 3 info "http://127.0.0.1:1/d.zarr"
says "127.0.0.1:1"

# ---- TLS ----
if openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=zinc-test -addext subjectAltName=IP:127.0.0.1 \
	-keyout key.pem -out cert.pem 2>/dev/null; then
	serve tls --tls cert.pem key.pem
	zinc 3 cat "https://127.0.0.1:$port/plain/d.zarr/s"
	says "certificate"
	export SSL_CERT_FILE=$PWD/cert.pem
	same "https://127.0.0.1:$port/plain/d.zarr/s" served/d.zarr/s
	same "HTTPS://127.0.0.1:$port/plain/d.zarr/s" served/d.zarr/s
fi

# ---- nginx, if it is installed ----
if command -v nginx >/dev/null; then
	mkdir -p logs
	cat >nginx.conf <<END
daemon off; pid $PWD/nginx.pid; error_log $PWD/logs/error.log; worker_processes 1;
events {}
http { access_log off; server { listen unix:$PWD/sock; listen 127.0.0.1:18461; root $PWD/served; }
  client_body_temp_path logs; proxy_temp_path logs; fastcgi_temp_path logs; uwsgi_temp_path logs; scgi_temp_path logs; }
END
	chmod o+rx . served 2>/dev/null || true
	nginx -c "$PWD/nginx.conf" -p "$PWD" -g 'user root;' 2>nginx.err &
	server=$!
	for _ in $(seq 100); do
		[ -e nginx.pid ] || ! kill -0 $server 2>/dev/null || { sleep 0.05; continue; }
		break
	done
	if [ -e nginx.pid ]; then
		same http://127.0.0.1:18461/d.zarr/s served/d.zarr/s -s '3:40, 17'
		same http://127.0.0.1:18461/d.zarr/raw served/d.zarr/raw -s '::3, 5:60'
		same 'http://127.0.0.1:18461/d.zarr/a%20b/t' 'served/d.zarr/a b/t'
		kill $server
		wait $server || true
	fi
fi
exec {keep}>&-
echo "http: ok"
