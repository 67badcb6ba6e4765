#!/usr/bin/env bash
# conventions.sh - zinc conventions: the table, JSON, adding and removing, external schemas, a new convention
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
export XDG_CACHE_HOME=$PWD/cache
"$ZINC" --version | grep -q 'pcre2.*yes' || exit 77 # schemas have patterns

# ---- nothing declared ----
zinc 0 create d.zarr --group
zinc 0 create d.zarr/0 --shape 100,200 --dtype uint8 --dims y,x
zinc 0 create d.zarr/1 --shape 50,100 --dtype uint8 --dims y,x
zinc 0 conventions d.zarr
prints <<'END'
no conventions are declared
END
zinc 0 conventions d.zarr --json
is_json
prints <<'END'
{"nodes":[{"path":"/","conventions":[]}]}
END

# ---- declaring: by name, uuid, URL ----
zinc 0 conventions d.zarr --add multiscales --dry-run
prints <<'END'
would declare multiscales
END
zinc 0 conventions d.zarr --add multiscales
zinc 0 conventions d.zarr --add f17cb550-5864-4468-aeb7-f3180cfb622f
zinc 0 conventions d.zarr --add https://example.com/mine/v2/schema.json
zinc 3 conventions d.zarr --add proj
says "already"
zinc 2 conventions d.zarr --add unheard-of
says "or built-in convention"
zinc 2 conventions d.zarr --remove unheard-of
zinc 3 conventions d.zarr --remove license
zinc 3 conventions none.zarr
zinc 2 conventions
zinc 0 attrs d.zarr 'multiscales={"layout": [{"asset": "0"}, {"asset": "1", "derived_from": "0", "transform": {"scale": [2, 2]}}]}' \
	'proj:code="EPSG:32633"'

# ---- the table ----
zinc 0 conventions d.zarr
prints <<'END'
node  convention                               version  declared at                     verdict
/     multiscales                              v0.1     /attributes/zarr_conventions/0  valid
        level 0  /0  100 x 200
        level 1  /1  50 x 100
/     proj:                                    v0.1     /attributes/zarr_conventions/1  valid
/     https://example.com/mine/v2/schema.json  v2       /attributes/zarr_conventions/2  unknown, 2 warnings
        warning C6: /attributes/zarr_conventions/2: a human-readable name is missing
        warning C15: not checked: no schema is available; --fetch gets it, --schemas says where it is
END
zinc 0 conventions d.zarr --json
is_json
has '{"id":"d35379db-88df-4056-af3a-620245f8e347","name":"multiscales","version":"v0.1","known":true,"valid":true,"findings":[]'
has '"levels":[{"path":"/0","shape":[100,200],"scale":[],"translation":[]},{"path":"/1","shape":[50,100],"scale":[2.0,2.0],"translation":[0.0,0.0]}]'
has '{"id":"https://example.com/mine/v2/schema.json","name":null,"version":"v2","known":false,"valid":null,"findings":[{"severity":"warning","rule":"C6"'
zinc 0 tree d.zarr
has "d.zarr  [multiscales, proj:, https://example.com/mine/v2/schema.json]"

# ---- errors: exit status 1, with pointers; validate reports the same ----
zinc 0 attrs d.zarr 'proj:code="nonsense"'
zinc 1 conventions d.zarr
has 'error schema: /attributes/proj:code: "nonsense" does not match'
zinc 1 conventions d.zarr --json
is_json
has '"valid":false,"findings":[{"severity":"error","rule":"schema","path":"/","key":"","pointer":"/attributes/proj:code"'
zinc 1 validate --fast d.zarr
has 'error schema: zarr.json /attributes/proj:code:'
zinc 0 resize d.zarr/1 51,100
zinc 1 conventions d.zarr
zinc 0 resize d.zarr/1 60,100
zinc 1 conventions d.zarr
has 'dimension 0 has 60 elements'
zinc 0 resize d.zarr/1 50,100

# ---- -r: nodes that declare something ----
zinc 0 attrs d.zarr 'proj:code="EPSG:4326"'
zinc 0 conventions d.zarr/0 --add license --shape seed
has_attr=$("$ZINC" attrs d.zarr/0 zarr_conventions)
case $has_attr in *'"schema":'*) ;; *) bad "not the seed's shape: $has_attr" ;; esac
zinc 1 conventions -r d.zarr
has '/0    license'
has '"license" is missing'
zinc 1 conventions -r d.zarr --json
is_json
has '{"nodes":[{"path":"/","conventions":['
has ',{"path":"/0","conventions":['
zinc 0 conventions d.zarr/0 --remove license
zinc 0 attrs d.zarr/0
prints <<'END'
{
  "zarr_conventions": []
}
END

# ---- schemas in a directory and in the cache (C17+) ----
zinc 3 conventions d.zarr --schemas nowhere
says "there are no schemas in nowhere"
mkdir -p schemas/example.com/mine/v2
echo '{"type": "object", "required": ["mine:x"]}' >schemas/example.com/mine/v2/schema.json
zinc 1 conventions d.zarr --schemas schemas
has '"mine:x" is missing'
mkdir -p cache/zinc
mv schemas cache/zinc/schemas
zinc 1 conventions d.zarr
has '"mine:x" is missing'
zinc 0 attrs d.zarr 'mine:x=1'
zinc 0 conventions d.zarr
has "v2       /attributes/zarr_conventions/2  valid"
rm -r cache

# ---- a schema that cannot be fetched is a warning (C15-) ----
zinc 0 conventions d.zarr --remove https://example.com/mine/v2/schema.json
zinc 0 conventions d.zarr --add http://127.0.0.1:9/schema.json
zinc 0 conventions d.zarr --fetch
has "unknown"
has "warning C15"
zinc 0 conventions d.zarr --remove http://127.0.0.1:9/schema.json

# ---- a fetched schema is kept, if it is JSON and not too long ----
if "$ZINC" --version | grep -q 'curl *yes' && command -v python3 >/dev/null; then
	mkdir served
	echo '{"required": ["web:x"]}' >served/good.json
	echo 'not found' >served/page.json
	{ printf '"' && head -c 2000000 /dev/zero | tr '\0' x && printf '"'; } >served/long.json
	serve server
	web=http://127.0.0.1:$port/plain
	for name in good page long none; do
		zinc 0 create "web-$name.zarr" --group
		zinc 0 conventions "web-$name.zarr" --add "$web/$name.json"
	done
	zinc 0 conventions web-good.zarr
	has "no schema is available"
	zinc 1 conventions web-good.zarr --fetch
	has '"web:x" is missing'
	zinc 0 conventions web-page.zarr --fetch
	zinc 0 conventions web-long.zarr --fetch
	has "unknown"
	zinc 0 conventions web-none.zarr --fetch
	has "/none.json"
	exec {keep}>&- # now no server answers: the cached schema is used (C17+)
	wait
	zinc 1 conventions web-good.zarr --fetch
	zinc 1 conventions web-good.zarr
	[ "$(find cache -type f | wc -l)" = 1 ] || bad "the cache holds $(find cache -type f)"
fi

# ---- declared by many at once, none is lost ----
zinc 0 create many.zarr --group
for i in 1 2 3 4 5 6 7 8; do
	"$ZINC" conventions many.zarr --add "https://example.com/$i.json" &
done
wait
zinc 0 conventions many.zarr --json
[ "$(grep -o '"id":"https://example.com/' out | wc -l)" = 8 ] || bad "a declaration was lost"

# ---- versions of Zarr with attributes ----
zinc 0 create v2.zarr --group --format v2
zinc 0 conventions v2.zarr --add license
zinc 0 attrs v2.zarr 'license={"spdx": "CC0-1.0"}'
zinc 0 conventions v2.zarr
has "valid"

# ---- copies between versions of Zarr keep conventions unchanged ----
"$ZINC" attrs d.zarr --json >attributes
from=d.zarr
for format in $("$ZINC" formats | awk '{print $1}'); do
	zinc 0 cp "$from" "copy-$format.zarr" --format "$format"
	"$ZINC" attrs "copy-$format.zarr" --json | cmp - attributes || bad "$format has other attributes"
	zinc 0 conventions "copy-$format.zarr"
	has "multiscales  v0.1"
	has "level 1"
	zinc 0 conventions "copy-$format.zarr" --add license
	zinc 0 conventions "copy-$format.zarr" --remove license
	from=copy-$format.zarr
done

# ---- groups without documents declare nothing, and count as assets ----
zinc 0 create draft.zarr/g/a --shape 4 --dtype uint8 --format v3-2020
zinc 0 conventions draft.zarr
prints <<'END'
no conventions are declared
END
zinc 0 conventions -r draft.zarr --json
prints <<'END'
{"nodes":[]}
END

# ---- a scale beyond the range of numbers ----
zinc 0 create inf.zarr --group --attrs '{"zarr_conventions": [{"uuid": "d35379db-88df-4056-af3a-620245f8e347", "name": "m"}], "multiscales": {"layout": [{"asset": "0", "transform": {"scale": [1e999]}}]}}'
zinc 1 conventions inf.zarr --json
is_json
has '"scale":[null]'

# ---- OME-Zarr has its own key ----
zinc 0 create ome.zarr --group --attrs '{"ome": {"version": "0.5", "multiscales": [{"datasets": [{"path": "0"}, {"path": "9"}]}]}}'
zinc 0 create ome.zarr/0 --shape 7,8 --dtype uint8
zinc 0 conventions ome.zarr
has "OME-Zarr"
has "level 0  /0  7 x 8"
has 'the dataset "9" is missing'
zinc 0 create ome4.zarr --format v2 --group --attrs '{"multiscales": [{"version": "0.4", "datasets": [{"path": "0"}, {"path": "9"}]}]}'
zinc 0 create ome4.zarr/0 --shape 7,8 --dtype uint8
zinc 0 conventions ome4.zarr
has "OME-Zarr    0.4      /attributes/multiscales"
has "level 0  /0  7 x 8"
has 'the dataset "9" is missing'
zinc 0 create ome0.zarr --group --attrs '{"multiscales": [{"version": "0.4"}]}'
zinc 0 conventions ome0.zarr
has "no conventions are declared"

# ---- a new convention ----
zinc 2 conventions --new mine
zinc 2 conventions --new mine --prefix 'Bad Name:'
zinc 0 conventions --new mine --prefix weather: --dry-run
[ ! -e mine ] || bad "--dry-run wrote"
zinc 0 conventions --new mine --prefix weather:
[ -s mine/README.md ] && [ -s mine/schema.json ] || bad "files are missing"
zinc 0 conventions mine/example.zarr --schemas mine
has "weather:    v0.1     /attributes/zarr_conventions/0  valid"
zinc 0 attrs mine/example.zarr 'weather:value=5'
zinc 1 conventions mine/example.zarr --schemas mine
has "must be of type string, not number"
zinc 3 conventions --new mine --prefix weather:
zinc 0 conventions --new mine --prefix weather: --overwrite

# ---- bad input: an error at once; nothing of it is printed to the terminal ----
zinc 0 create odd.zarr --group --attrs '{"zarr_conventions": [{"uuid": "f17cb550-5864-4468-aeb7-f3180cfb622f", "name": "a\u001b[31m\nb"}], "proj:code": "\u0007"}'
zinc 1 conventions odd.zarr
has 'a\x1b[31m\x0ab'
has '"\x07" does not match'
zinc 0 create bad.zarr --group --attrs '{"zarr_conventions": [{"schema_url": "https://example.com/loop.json", "name": "l"}], "v": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"}'
mkdir loop
echo '{"$id": "https://example.com/loop.json", "$ref": "#"}' >loop/a.json
zinc 1 conventions bad.zarr --schemas loop
has "does it refer to itself?"
echo '{"$id": "https://example.com/loop.json", "properties": {"v": {"pattern": "^(a+)+$"}}}' >loop/a.json
zinc 1 conventions bad.zarr --schemas loop
has "takes too long"
