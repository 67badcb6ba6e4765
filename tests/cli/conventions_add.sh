#!/usr/bin/env bash
# conventions_add.sh - the shape in which a convention is declared; `validate` and `conventions` give the same result
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
export XDG_CACHE_HOME=$PWD/cache
S=https://example.com/mine/v1/schema.json
P=https://example.com/mine/v1/README.md
U=12345678-1234-4234-8234-123456789abc

fresh() { zinc 0 create g.zarr --group --overwrite --attrs "${1:-{\}}"; }
declares() { # declares JSON: the attribute zarr_conventions is exactly that
	zinc 0 attrs g.zarr zarr_conventions --json
	[ "$(tr -d ' \n' <out)" = "$(printf %s "$1" | tr -d ' \n')" ] || bad "not $1: $last"
}

# ---- a URL: the shape of seed 004 (C4+, C5+, C6+, C7+) ----
fresh
zinc 0 conventions g.zarr --add $S
declares "[{\"schema\":\"$S\"}]"
fresh
zinc 0 conventions g.zarr --add $P
declares "[{\"spec\":\"$P\"}]"
fresh
zinc 0 conventions g.zarr --add $S --spec $P --name mine: --description 'Whatitisfor'
declares "[{\"schema\":\"$S\",\"spec\":\"$P\",\"name\":\"mine:\",\"description\":\"Whatitisfor\"}]"
zinc 0 conventions g.zarr --json
has "\"id\":\"$S\",\"name\":\"mine:\""
lacks '"severity":"error"'
fresh
zinc 0 conventions g.zarr --add $P --schema $S
declares "[{\"schema\":\"$S\",\"spec\":\"$P\"}]"
fresh
zinc 0 conventions g.zarr --add https://raw.githubusercontent.com/zarr-conventions/proj/refs/tags/v0.1/schema.json
zinc 0 attrs g.zarr zarr_conventions --json
has '"schema":'
lacks schema_url
lacks uuid
zinc 1 conventions g.zarr --json
has '"known":true'

# ---- registered conventions: the live shape, by name or uuid ----
for id in proj f17cb550-5864-4468-aeb7-f3180cfb622f; do
	fresh
	zinc 0 conventions g.zarr --add $id
	zinc 0 attrs g.zarr zarr_conventions --json
	has '"uuid":"f17cb550-5864-4468-aeb7-f3180cfb622f"'
	has '"schema_url":'
	has '"spec_url":'
	has '"name":"proj:"'
	lacks '"schema":'
done
zinc 0 conventions g.zarr --add $S # in addition: entries may differ in shape
zinc 0 attrs g.zarr zarr_conventions --json
has "{\"schema\":\"$S\"}"
fresh
zinc 0 conventions g.zarr --add $U --name mine
declares "[{\"uuid\":\"$U\",\"name\":\"mine\"}]"

# ---- --shape decides ----
fresh
zinc 0 conventions g.zarr --add $S --shape live --spec $P
declares "[{\"schema_url\":\"$S\",\"spec_url\":\"$P\"}]"
fresh
zinc 0 conventions g.zarr --add license --shape seed --name other
zinc 0 attrs g.zarr zarr_conventions --json
has '"schema":'
has '"name":"other"'
lacks uuid
fresh
zinc 2 conventions g.zarr --add $U --shape seed
says "cannot have a uuid"
zinc 2 conventions g.zarr --add $S --shape other
zinc 2 conventions g.zarr --add $S --spec README.md
says "URL"
zinc 2 conventions g.zarr --name x
says "--add"
fresh "{\"zarr_conventions\": {\"version\": \"1\", \"$U\": {\"version\": \"1\"}}}"
zinc 2 conventions g.zarr --add $S
says "is by uuid"
zinc 2 conventions g.zarr --add license --shape live
says "is by uuid"
zinc 0 conventions g.zarr --add license

# ---- --new in both ----
for shape in live seed; do
	zinc 0 conventions --new new-$shape --prefix weather: --shape $shape
	zinc 0 conventions new-$shape/example.zarr --schemas new-$shape --json
	has '"valid":true,"findings":[]'
	zinc 0 validate new-$shape/example.zarr --schemas new-$shape --json
	has '"errors":0,"warnings":0'
	zinc 0 attrs new-$shape/example.zarr 'weather:value=1' # its own schema forbids it
	zinc 1 conventions new-$shape/example.zarr --schemas new-$shape
done
has UUID new-live/README.md
has '"uuid"' new-live/schema.json
lacks UUID new-seed/README.md
lacks uuid new-seed/schema.json
has '"schema": {"const": "https://example.org/weather/v0.1/schema.json"}' new-seed/schema.json

# ---- validate and conventions find the same, by the same schemas, cache and options ----
rm -rf g.zarr
zinc 0 create g.zarr --group
for i in 1 2 3 4; do
	zinc 0 create g.zarr/$i --group
	zinc 0 conventions g.zarr/$i --add $S --name mine:
done
zinc 0 attrs g.zarr/4 'mine:x=1'
mkdir -p schemas/example.com/mine/v1
echo '{"type": "object", "required": ["mine:x"]}' >schemas/example.com/mine/v1/schema.json
same() { # same STATUS [option...]: rule, severity and message of all findings
	zinc "$1" conventions -r g.zarr --json "${@:2}"
	is_json
	cp out conventions.json
	zinc "$1" validate g.zarr --json "${@:2}"
	is_json
	python3 - <<'END_PY' || bad "they differ: $*"
import json

a = [f for n in json.load(open("conventions.json"))["nodes"] for c in n["conventions"] for f in c["findings"]]
b = json.load(open("out"))["findings"]
keys = ("rule", "severity", "path", "pointer", "message")
assert sorted([f[k] for k in keys] for f in a) == sorted([f[k] for k in keys] for f in b), (a, b)
END_PY
}
if command -v python3 >/dev/null; then
	same 0
	has "no schema is available"
	same 1 --schemas schemas
	has '"mine:x\" is missing'
	mkdir -p cache/zinc
	mv schemas cache/zinc/
	same 1
	has '"mine:x\" is missing'
	rm -r cache
fi
: >file # a cache that cannot be opened is ignored
XDG_CACHE_HOME=$PWD/file zinc 0 validate g.zarr
XDG_CACHE_HOME=$PWD/file zinc 0 conventions -r g.zarr
zinc 3 validate g.zarr --schemas nowhere
says "nowhere"
zinc 3 conventions g.zarr --schemas nowhere
says "nowhere"

# ---- a schema is read once in a run, and fetched into one cache for both ----
if "$ZINC" --version | grep -q 'curl *yes' && command -v python3 >/dev/null; then
	mkdir served
	echo '{"required": ["web:x"]}' >served/good.json
	serve server
	web=http://127.0.0.1:$port/plain/good.json
	for i in 1 2 3; do
		zinc 0 create w.zarr/$i --shape 1 --dtype int8
		zinc 0 conventions w.zarr/$i --add "$web"
	done
	for command in "validate" "conventions -r"; do
		rm -rf cache server.log
		zinc 1 $command w.zarr --fetch
		has '"web:x" is missing'
		[ "$(grep -c GET server.log)" = 1 ] || bad "$command has fetched $(grep -c GET server.log) times"
		zinc 1 conventions -r w.zarr --fetch
		zinc 1 validate w.zarr --fetch
		zinc 1 validate w.zarr
		[ "$(grep -c GET server.log)" = 1 ] || bad "what $command has fetched is not in the cache"
	done
	exec {keep}>&-
	wait
fi
finish
