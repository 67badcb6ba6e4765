#!/usr/bin/env bash
# http_redirect.sh - targets of redirections, what other hosts receive, and that nothing shows a secret
# Four servers that log their requests: 127.0.0.1 and 127.0.0.2, each plain and with TLS.
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
zinc 0 --version
grep -q 'curl *yes' out || { echo "built without the http store"; exit 77; }
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=zinc-test -addext subjectAltName=IP:127.0.0.1,IP:127.0.0.2 \
	-keyout key.pem -out cert.pem 2>/dev/null || { echo "no openssl"; exit 77; }
export SSL_CERT_FILE=$PWD/cert.pem

zinc 0 create served/d.zarr/t --shape 6 --dtype uint8 --chunks 3 --codecs none
printf 'abcdef' >t.bin
zinc 0 put served/d.zarr/t --from t.bin

serve http1
http1=http://127.0.0.1:$port
serve http2 --host 127.0.0.2
http2=http://127.0.0.2:$port
serve https1 --tls cert.pem key.pem
https1=https://127.0.0.1:$port
serve https2 --tls cert.pem key.pem --host 127.0.0.2
https2=https://127.0.0.2:$port

via() { # via URL...: each redirects to the next
	local to=$1 i
	shift
	for i; do
		to="$i/hop/$(printf %s "$to" | base64 -w 0 | tr '+/' '-_' | tr -d =)"
	done
	echo "$to"
}
forget() { for i in http1 http2 https1 https2; do : >$i.log; done; }
user() { # user URL: the same with a user and a password
	echo "${1%%://*}://me:sesame@${1#*://}"
}
reads() { # reads URL
	zinc 0 cat "$1/d.zarr/t" --as raw
	cmp out t.bin
}

# ---- no step from https to http ----
reads "$(via "$http2/plain" "$http1")"
reads "$(via "$https2/plain" "$http1")"
reads "$(via "$https2/plain" "$https1")"
reads "$(via "$https1/plain" "$https2" "$https1" "$http1")"
for chain in "$(via "$http1/plain" "$https1")" "$(via "$http1/plain" "$https1" "$http2")" \
	"$(via "$http1/plain" "$https1" "$https2")" "$(via "$https2/plain" "$http1" "$https1" "$http2")" \
	"$(via "$https1/plain" "$http1" "$https1")"; do
	forget
	zinc 3 cat "$chain/d.zarr/t"
	says "a redirection from https to http, which is not followed"
	lacks plain http1.log
	lacks plain https1.log
	lacks plain https2.log
done
zinc 3 cat "$(via "$http1/plain" "$http1" "$http1" "$http1" "$http1" "$http1" "$http1")/d.zarr/t"
says "too many redirections"
reads "$(via "$http1/plain" "$http1" "$http1" "$http1" "$http1" "$http1")"
zinc 3 cat "$(via "file://$PWD/served" "$http1")/d.zarr/t"
says "other than a web server"
zinc 3 cat "$(via "http://127.0.0.1:1x" "$http1")/d.zarr/t"
zinc 3 cat "$http1/nowhere/d.zarr/t"
says "HTTP 302"

# ---- what the second server receives ----
basic="Basic $(printf me:sesame | base64)"
knows() { # knows NAME: it got requests, each with user and password
	[ -s "$1.log" ] || bad "$1 was not asked: $last"
	! grep -v "$basic" "$1.log" || bad "$1 does not know the user: $last"
}
ignorant() { # ignorant NAME: it got requests without user and password
	[ -s "$1.log" ] || bad "$1 was not asked: $last"
	! grep -v ' -$' "$1.log" || bad "$1 was told a secret: $last"
}
forget
reads "$(user "$http1")/plain"
knows http1
forget
reads "$(user "$(via "$http1/plain" "$http1")")" # the same server
knows http1
for pair in "$http2/plain http1 http2" "$https1/plain http1 https1" "$https2/plain http1 https2"; do
	set -- $pair
	forget
	reads "$(user "$(via "$1" "${!2}")")"
	knows "$2"
	ignorant "$3"
done
forget
reads "$(user "$(via "$https2/plain" "$https1")")"
knows https1
ignorant https2
forget
reads "$(user "$(via "$http1/plain" "$http2" "$http1")")" # there and back: only the first request has them
knows http1
ignorant http2
forget
reads "$(via "$(user "$http2")/plain" "$http1")" # credentials that the first server sends for the second
ignorant http2

# ---- proxies, as in the manual ----
forget
http_proxy=$http2 reads http://zinc.invalid/plain
has "GET http://zinc.invalid/plain/d.zarr/t/zarr.json" http2.log
forget
http_proxy=$http2 no_proxy=127.0.0.1 reads "$http1/plain"
[ ! -s http2.log ] || bad "the proxy was asked though no_proxy says not to"
all_proxy=$http2 reads http://zinc.invalid/plain
HTTP_PROXY=$http2 zinc 3 info http://zinc.invalid/plain/d.zarr # a CGI program's header, not a variable

# ---- nothing shows a secret ----
quiet() { # quiet STATUS COMMAND...: neither output has it
	zinc "$@"
	lacks sesame out
	lacks sesame err
	lacks token= out
	lacks token= err
}
malformed="http://me:sesame@127.0.0.1:1x/y http://me:sesame@/x http://me:ses/sesame@h/x http://me:sesame
	http://me:s@sesame@127.0.0.1:1/x http://me:s?sesame@127.0.0.1:1/x http://me:sesame@127.0.0.1:1/%zz ftp://me:sesame@h/x"
for url in $malformed; do
	quiet 2 info "$url"
	says "://"
done
for url in "$(user "$http1")/forbidden/x?token=sesame" "$(user "$http1")/plain/none?token=sesame" http:/me:sesame@h/x \
	'http://me:sesame@127.0.0.1:1/a#b' http://me:ses/sesame@h/x "$http1/forbidden/x?token=sesame|y"; do
	for command in "info --json" tree "ls --json" attrs validate "stats --json" "explain --json" "conventions --json" \
		"bench --json" "rm --yes" "create --group" "put --from t.bin" "diff served/d.zarr/t" "cp new.zarr"; do
		set -- $command
		"$ZINC" "$1" "$url" "${@:2}" >out 2>err || true
		last="$*"
		! grep -E 'sesame|token=' out err || bad "a secret is shown: $* $url"
		checks=$((checks + 1))
	done
	"$ZINC" cp served/d.zarr/t "$url" >out 2>err || true
	! grep -E 'sesame|token=' out err || bad "a secret is shown: cp to $url"
done
url="$(user "$http1")/plain/d.zarr/t?token=sesame"
quiet 0 cat "$url"
for command in info explain chunks bench; do
	quiet 0 $command "$url" --json
done
quiet 0 diff "$url" served/d.zarr/t --json
quiet 2 "$url"
exec {keep}>&-
finish
