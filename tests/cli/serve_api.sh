#!/usr/bin/env bash
# serve_api.sh - api/ of `zinc serve`: every address on every format, odd names, errors, limits, secrets, stopping
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

command -v curl >/dev/null || { echo "skipped: no curl"; exit 77; }
mkdir none
"$ZINC" serve none >out 2>err || [ $? != 4 ] || { echo "skipped: built without the server"; exit 77; }

pid=
trap '[ -z "$pid" ] || kill -KILL $pid 2>/dev/null || true' EXIT

# start URL [option...]: a server until `stop`; its address in $at, its number in $pid
start() {
	: >address
	"$ZINC" serve "$@" >address 2>requests &
	pid=$!
	for _ in $(seq 400); do
		[ -s address ] && break
		kill -0 "$pid" 2>/dev/null || bad "the server has ended: $(cat requests)"
		sleep 0.05
	done
	at=$(cat address)
}
stop() {
	kill -TERM "$pid"
	wait "$pid" || bad "the server ended with $?"
	pid=
}

# get STATUS TYPE NAME [KEY=VALUE...]: ask, with values escaped; the body is in ./out
get() {
	local pair pairs=()
	last="api/$3 ${*:4}"
	for pair in "${@:4}"; do pairs+=(--data-urlencode "$pair"); done
	curl -s --max-time 100 --get "${pairs[@]}" -D head -o out "${at}api/$3" || bad "no answer: $last"
	: >>out
	[ "$(sed -n '1s/HTTP.1.1 \([0-9]*\).*/\1/p' head)" = "$1" ] || bad "$(head -n 1 head) instead of $1: $last"
	contains head "Content-Type: $2" && contains head "Cache-Control: no-store" || bad "headers: $(cat head): $last"
	checks=$((checks + 1))
}
json=application/json plain=text/plain

for n in $(seq 0 23); do bytes "$(printf %02x "$n")" 00; done >numbers

# ---- every address, on every format ----
for format in v2 v3 v3-2019 v3-2020 v3-2022; do
	zinc 0 create "$format.zarr" --group --format "$format"
	zinc 0 create "$format.zarr/g/a" --shape 4,6 --dtype int16 --chunks 2,3 --codecs gzip:1 --attrs '{"units": "K"}'
	zinc 0 put "$format.zarr/g/a" --from numbers
	start "$format.zarr"
	get 200 $json about
	has "\"format\":\"$format\",\"kind\":\"group\",\"remote\":false"
	get 200 $json tree
	is_json
	has '"path":"/g/a"'
	for name in info stats chunks explain validate conventions du plot changed; do
		get 200 $json "$name" path=g/a
		is_json
	done
	get 200 $json slice path=g/a s=1,::2
	has '[6,8,10]'
	get 200 text/csv slice path=g/a s=0 as=csv
	get 200 application/octet-stream slice path=g/a as=raw
	cmp -s out numbers || bad "other bytes than those written: $last"
	get 200 application/octet-stream slice path=g/a as=npy
	[ "$(tail -c 48 out | cmp - numbers 2>&1)" = "" ] || bad "other elements than those written: $last"
	get 200 image/png slice path=g/a as=png
	get 200 $json plot path=g/a kind=hist cells=numbers
	get 200 $json progress job=none
	get 404 $plain info path=g/none
	stop
done

# ---- a node below the root, and an array ----
start v3.zarr/g
get 200 $json info path=a
has '"path":"/g/a"'
get 200 $json about
has '"path":"/g"'
stop
start v3.zarr/g/a
get 200 $json slice s=0,0
has 0
stop

# ---- names that a URL would take apart ----
zinc 0 create odd.zarr --group
zinc 0 create odd.zarr/x --shape 2 --dtype uint8
names=('a b' 'a%20b' 'a?b=c&d' '#' 'a|b' '--json' 'é' '+' "'")
for name in "${names[@]}"; do cp -r odd.zarr/x "odd.zarr/$name"; done
start odd.zarr
for name in "${names[@]}"; do
	get 200 $json info "path=$name"
	get 200 $json slice "path=$name"
	has '[0,0]'
	for command in tree stats chunks explain validate conventions du changed; do get 200 $json $command "path=$name"; done
done
get 400 $plain info path=../odd.zarr
get 400 $plain info 'path=x//y'
get 400 $plain info paht=x
has 'no parameter "paht"'
get 400 $plain slice path=x s=5
get 400 $plain slice path=x as=exe
get 404 $plain nothing
stop

# ---- strings, records and damage ----
zinc 0 create kinds.zarr --group
zinc 0 create kinds.zarr/s --shape 2 --dtype string --fill '"x<y"'
zinc 0 create kinds.zarr/r --shape 2 --dtype '{"name":"struct","configuration":{"fields":[{"name":"a","data_type":"int16"},{"name":"b","data_type":"float32"}]}}' \
	--fill '{"a":1,"b":2.5}'
zinc 0 create kinds.zarr/d --shape 8 --dtype uint8 --chunks 2
head -c 8 numbers >eight
zinc 0 put kinds.zarr/d --from eight
printf damage >kinds.zarr/d/c/1
start kinds.zarr
get 200 $json slice path=s
has '["x<y","x<y"]'
get 200 $json slice path=r
has '[{"a":1,"b":2.5},{"a":1,"b":2.5}]'
get 400 $plain plot path=s
get 500 $plain slice path=d
has 'elements 2:4'
has 'd/c/1'
get 200 $json plot path=d damaged=mark
has '"damaged":[{"key":"d/c/1","chunk":[1],"region":"2:4",'
get 200 $json validate job=check
has '"errors":1'
get 200 $json progress job=check
has '"running":false,"known":true'
# a listing with a damaged node is an answer; the node itself is a failure
printf '{' >kinds.zarr/s/zarr.json
get 200 $json tree
is_json
has '"path":"/s","node_type":"unknown","problem":"JSON'
has '"path":"/r","node_type":"array"'
get 200 $json du
get 500 $plain info path=s
get 404 $plain tree path=nothing
stop

# ---- a limit of the size of files that is lower than that of answers ----
: >address
(ulimit -f 2000 && exec "$ZINC" serve v3.zarr >address 2>requests) &
pid=$!
for _ in $(seq 400); do [ ! -s address ] || break; sleep 0.05; done
at=$(cat address)
get 200 $json tree
stop

# ---- unsupported ----
zinc 0 create other.zarr --shape 2 --dtype uint8
sed -i 's/"name": *"zstd"/"name":"nosuchcodec"/' other.zarr/zarr.json
start other.zarr
get 200 $json info
get 501 $plain slice
stop

# ---- secrets: in no argument of a child, no log line, no answer ----
mkdir served
cp -r v3.zarr served
zinc 0 consolidate served/v3.zarr
serve web
start "http://me:sesame@127.0.0.1:$port/plain/v3.zarr"
get 200 $json about
lacks sesame
has '"remote":true'
for _ in $(seq 20); do
	get 200 $json slice path=g/a s=0 &
	asked=$!
	while kill -0 $asked 2>/dev/null; do
		for child in $(cat "/proc/$pid/task/"*/children 2>/dev/null); do
			{ tr '\0' ' ' <"/proc/$child/cmdline" && echo; } 2>/dev/null >>arguments || true
		done
	done
	wait $asked
done
grep -q -- --node arguments || bad "no child was seen"
# between fork and exec it still has the arguments of the server
grep -e --node arguments >seen
lacks sesame seen
stop
lacks sesame requests

# ---- children end with the server, however it ends; and with their client ----
zinc 0 create served/many.zarr --shape 3000 --dtype uint8 --chunks 1 # each takes 0.3 s
head -c 3000 /dev/zero | tr '\0' 1 >ones
zinc 0 put served/many.zarr --from ones
start "http://127.0.0.1:$port/slow/many.zarr"
slow() {
	curl -s "${at}api/slice?as=raw" >/dev/null 2>&1 &
	asked=$!
	child=
	for _ in $(seq 400); do
		child=$(cat "/proc/$pid/task/"*/children)
		[ -z "$child" ] || break
		sleep 0.02
	done
	[ -n "$child" ] || bad "no child was started"
}
gone() { # it would run for 15 s
	for _ in $(seq 100); do
		kill -0 $child 2>/dev/null || return 0
		sleep 0.05
	done
	bad "a child is left: $1"
}
slow
kill $asked
gone "its client has gone"
slow
kill -KILL "$pid"
wait "$pid" || true
gone "the server was killed"
start "http://127.0.0.1:$port/slow/many.zarr"
slow
stop
gone "the server was stopped"

# ---- the browser: the token is in no argument, but in a file that only its owner can read ----
mkdir bin tmp
printf '#!/bin/sh\necho noise\necho "$@" >opened.new\ncat "$1" >page\nstat -c %%a "$1" >mode\nmv opened.new opened\n' >bin/xdg-open
chmod +x bin/xdg-open
XDG_RUNTIME_DIR=$PWD/tmp PATH=$PWD/bin:$PATH "$ZINC" view v3.zarr --open --token sesame >address 2>requests &
pid=$!
for _ in $(seq 400); do [ ! -e opened ] || break; sleep 0.05; done
lacks sesame opened
has "url=$(cat address)" page
has 600 mode
lacks noise address
stopped() { grep -q 'State:.Z' "/proc/$1/status"; }
for child in $(cat "/proc/$pid/task/"*/children); do
	for _ in $(seq 100); do stopped "$child" 2>/dev/null || break; sleep 0.05; done
	! stopped "$child" 2>/dev/null || bad "the process of the browser is a zombie"
done
stop
[ -z "$(ls tmp)" ] || bad "files are left: $(ls tmp)"

finish
