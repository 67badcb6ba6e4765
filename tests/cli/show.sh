#!/usr/bin/env bash
# show.sh - info, tree, ls, attrs: golden text and JSON
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

zinc 0 create d.zarr --group --attrs '{"title": "demo"}'
zinc 0 create d.zarr/t --shape 100,20 --dtype '<f8' --chunks 30,7 --codecs gzip:1 --fill NaN --dims y,x \
	--attrs '{"spam": "ham", "big": 18446744073709551615, "f": 1.50}'
zinc 0 create d.zarr/sub/s --shape 64,64 --dtype uint8 --chunks 8,8 --shards 32,32 --codecs transpose:1,0+zstd:5
zinc 0 create d.zarr/sub/n --shape "" --dtype bool --codecs none --key-encoding v2

# ---- info ----
zinc 0 info d.zarr/t
prints <<'END'
/t  array, v3
shape        100 x 20
dimensions   y, x
elements     2000
data type    float64
chunks       30 x 7, 1.64 KiB each, 12 in all
codecs       bytes(endian=little) + gzip(level=1)
fill value   NaN
attribute    spam = "ham"
attribute    big = 18446744073709551615
attribute    f = 1.50
END
# values with brackets and commas in strings, and names with escapes, stay whole
zinc 0 create odd.zarr --group --attrs '{"a": "x]},{", "b": ["]", {"c": ","}, []], "e": {}}'
zinc 0 info odd.zarr
prints <<'END'
/  group, v3
attribute    a = "x]},{"
attribute    b = ["]",{"c":","},[]]
attribute    e = {}
END
zinc 0 attrs odd.zarr 'q"r="\",]"'
zinc 0 info odd.zarr
has 'attribute    b = ["]",{"c":","},[]]'
has 'attribute    q"r = "\",]"'
zinc 0 info --json d.zarr/t
is_json
prints <<'END'
{"path":"/t","node_type":"array","format":"v3","shape":[100,20],"dimension_names":["y","x"],"data_type":"float64","byte_order":"little","chunk_shape":[30,7],"shard_shape":null,"order":"C","codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"gzip","configuration":{"level":1}}],"fill_value":"NaN","attributes":{"spam":"ham","big":18446744073709551615,"f":1.50},"chunk_grid":{"name":"regular"},"chunk_key_example":"t/c/0/0","metadata_key":"t/zarr.json","type":"float64","elements":2000,"chunk_bytes":1680,"chunks":12,"shards":null}
END
zinc 0 info --json d.zarr
is_json
prints <<'END'
{"path":"/","node_type":"group","format":"v3","attributes":{"title":"demo"},"metadata_key":"zarr.json","implicit":false}
END
zinc 0 info d.zarr/sub/s
has "shards       32 x 32"
has "chunks       8 x 8"
has "sharding_indexed("
zinc 0 info --json d.zarr/sub/s
is_json
has '"chunk_shape":[8,8],"shard_shape":[32,32]'
zinc 0 info --json d.zarr/sub/n
is_json
has '"shape":[]'
has '"chunk_key_example":"sub/n/0"'

# ---- info --stored ----
head -c 4096 /dev/zero | tr '\0' '\7' >sevens
zinc 0 put d.zarr/sub/s --from sevens
zinc 0 info --stored d.zarr/sub/s
has "4 of 4 objects"
zinc 0 info --stored --json d.zarr/sub/s
is_json
has '"stored":{"objects":4,"objects_total":4,"bytes":'
has '"decoded_bytes":4096'
zinc 0 info --stored --json d.zarr/t
has '"stored":{"objects":0,"objects_total":12,"bytes":0,"decoded_bytes":0,"ratio":null}'

# ---- tree ----
zinc 0 tree d.zarr
prints <<'END'
d.zarr
├── sub
│   ├── n  bool ()  chunks ()
│   └── s  uint8 (64, 64)  chunks (8, 8) in shards (32, 32)  transpose+zstd
└── t  float64 (100, 20)  chunks (30, 7)  gzip
END
zinc 0 tree d.zarr --depth 1
prints <<'END'
d.zarr
├── sub
└── t  float64 (100, 20)  chunks (30, 7)  gzip
END
zinc 0 tree d.zarr --depth 0
prints <<<"d.zarr"
zinc 0 tree d.zarr/t
prints <<<"d.zarr/t  float64 (100, 20)  chunks (30, 7)  gzip"
zinc 0 tree --json d.zarr
is_json
has '{"path":"/","node_type":"group","children":[{"path":"/sub","node_type":"group","children":[{"path":"/sub/n","node_type":"array",'
has '"chunks":12,"shards":null,"children":[]}]}'

# ---- ls ----
zinc 0 ls d.zarr
prints <<'END'
sub
t
END
zinc 0 ls -r d.zarr
prints <<'END'
sub
sub/n
sub/s
t
END
zinc 0 ls -l d.zarr
prints <<'END'
group  sub
array  t    float64 (100, 20)  chunks (30, 7)  gzip
END
zinc 0 ls -lr d.zarr/sub
prints <<'END'
array  n  bool ()  chunks ()
array  s  uint8 (64, 64)  chunks (8, 8) in shards (32, 32)  transpose+zstd
END
zinc 0 ls d.zarr/t
prints <<<"/t"
zinc 0 ls --json d.zarr
is_json
has '{"path":"/","node_type":"group","children":[{"path":"/sub","node_type":"group","format":"v3",'
zinc 0 ls --json d.zarr/t
prints <<<'{"path":"/t","node_type":"array","children":[]}'

# ---- a damaged document: the rest is shown, with the reason for status 5 ----
zinc 0 create broken.zarr/a --shape 4 --dtype int8
echo '{' >broken.zarr/a/zarr.json
for how in tree "ls" "ls -r" "tree --json"; do
	# shellcheck disable=SC2086
	zinc 5 $how broken.zarr
	says "zinc: broken.zarr: a/zarr.json: JSON, line 2, column 1: a name in quotes expected, but the text ends (rule M2)"
done

# ---- an implicit group is marked ----
mkdir -p i.zarr/a/b
cp d.zarr/zarr.json i.zarr/
cp d.zarr/zarr.json i.zarr/a/b/
zinc 0 tree i.zarr
has "a  (implicit)"
zinc 0 tree --json i.zarr
has '"implicit":true'
zinc 5 tree --strict i.zarr

# ---- nodes with unknown parts are shown, with status 0; their elements are status 4 ----
unknown="M16-array-member M17-unknown-type M18-unknown-grid M19-unknown-encoding M20-unknown-codec M21-unknown-transformer"
rule_stores v3 $unknown M16-group-member M15-object
for url in $unknown; do
	zinc 0 info "$url"
	has "unsupported"
	zinc 0 info --json "$url"
	is_json
	has '"unsupported":'
	zinc 0 tree "$url"
	has "unsupported"
	zinc 0 ls -l "$url"
	zinc 0 attrs "$url"
	zinc 4 cat "$url"
	says ""
	zinc 4 --array_path="$url"
done
zinc 0 info M16-group-member
has "unsupported"
zinc 0 info --json M16-group-member
is_json
has '"implicit":false,"unsupported":"'

# ---- missing, damaged ----
zinc 3 info nothing.zarr
says "nothing.zarr"
zinc 3 info d.zarr/nothing
says "d.zarr/nothing"
zinc 3 tree nothing.zarr
zinc 3 ls nothing.zarr
zinc 3 attrs nothing.zarr
zinc 3 cat d.zarr
says "group"
mkdir -p e.zarr/x
cp d.zarr/zarr.json e.zarr/
echo '{"zarr_format": 3,' >e.zarr/x/zarr.json
for command in info attrs cat tree ls; do zinc 5 $command e.zarr/x; done
zinc 5 tree e.zarr
has "x  ("
zinc 5 tree --json e.zarr
is_json
has '"problem":'
zinc 5 ls -l e.zarr
zinc 0 info e.zarr

# ---- lenient: read with a warning, refused if strict ----
zinc 0 info M15-object
grep -q "^zinc: warning: .*M15" err || bad "no warning"
zinc 5 info --strict M15-object
says "M15"

# ---- lists ----
zinc 0 codecs
for codec in bytes transpose gzip blosc zstd crc32c sharding_indexed; do grep -q "^$codec " out || bad "no $codec"; done
zinc 0 dtypes
for type in bool int8 uint64 float16 complex128 'r\*'; do grep -q "^$type " out || bad "no $type"; done
zinc 0 stores
for store in fs memory; do grep -q "^$store " out || bad "no $store"; done
has "can: read range suffix-range list write erase atomic-put durable cas"
[ "$(grep -cE '^ +(can|missing): ' out)" = "$(grep -c '^[a-z]' out)" ] || bad "a store without capabilities"
zinc 0 stores --json
has '"schemes":["memory"],"adapters":[],"endings":[],"caps":["read","range",'
has '"missing":null}'
zinc 0 formats
grep -q "^v3 " out || bad "no v3"
for list in codecs dtypes stores formats; do
	zinc 0 $list --json
	is_json
	has "{\"$list\":[{\"name\":\""
done
finish
