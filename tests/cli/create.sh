#!/usr/bin/env bash
# create.sh - arrays and groups, attributes, erasing
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

# ---- defaults ----
zinc 0 create a.zarr/x --shape 1000,1000,100 --dtype float32
[ ! -s out ] && [ ! -s err ] || bad "create says something"
zinc 0 info --json a.zarr/x
has '"codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"zstd"'
has '"shard_shape":null'
lacks '"chunk_shape":[1000,1000,100]' # 400 MB are cut into chunks of 1 to 4 MiB
[ -f a.zarr/zarr.json ] || bad "ancestors are groups with documents"
head -n 3 a.zarr/x/zarr.json | tail -n 2 >head
printf '  "zarr_format": 3,\n  "node_type": "array",\n' | cmp - head || bad "indented, in the order of the specification"

# ---- options ----
zinc 0 create a.zarr/o --shape 8,6 --dtype '>i4' --chunks 4,3 --fill -7 --dims ,x --order F --endian big --key-encoding v2/ \
	--attrs '{"a": [1, 2.50]}'
zinc 0 info --json a.zarr/o
has '"dimension_names":[null,"x"]'
has '"byte_order":"big"'
has '"order":"F"'
has '"chunk_key_example":"o/0/0"'
has '"fill_value":-7'
has '"attributes":{"a":[1,2.50]}'
for codecs in zstd:5 blosc:lz4:5:shuffle blosc:zstd:1:bitshuffle gzip:1 none transpose:1,0+zstd:3+crc32c \
	'[{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "gzip", "configuration": {"level": 4}}]'; do
	zinc 0 create a.zarr/c --overwrite --shape 8,6 --dtype int16 --codecs "$codecs"
	head -c 96 /dev/urandom >noise
	zinc 0 put a.zarr/c --from noise
	zinc 0 cat a.zarr/c --as raw
	cmp out noise || bad "round trip with $codecs"
	zinc 0 create a.zarr/c --overwrite --shape 8,6 --dtype int16 --chunks 2,3 --shards 4,6 --codecs "$codecs"
	zinc 0 put a.zarr/c --from noise
	zinc 0 cat a.zarr/c --as raw
	cmp out noise || bad "round trip in shards with $codecs"
	zinc 0 validate a.zarr/c
done
zinc 0 create a.zarr/auto --shape 20000,20000 --dtype float64 --shards auto
zinc 0 info --json a.zarr/auto
lacks '"shard_shape":null'
for fill in NaN Infinity -Infinity 0x7ff8000000000001 1.5 -0.0 '"NaN"'; do
	zinc 0 create a.zarr/f --overwrite --shape 1 --dtype float64 --fill "$fill"
	zinc 0 info a.zarr/f
	has "fill value   $(tr -d '"' <<<"$fill")"
done

# ---- an existing node stays, unless --overwrite ----
zinc 3 create a.zarr/o --shape 3 --dtype int8
says "a.zarr/o"
zinc 3 create a.zarr --group
zinc 0 info --json a.zarr/o
has '"fill_value":-7'
zinc 2 create a.zarr/o/below --shape 3 --dtype int8
says "M28"
zinc 0 create a.zarr/o --shape 3 --dtype int8 --overwrite
zinc 0 cat a.zarr/o
prints <<<"[0 0 0]"

# ---- groups ----
zinc 0 create a.zarr/g/h --group --attrs '{"k": 1}'
zinc 0 ls -r a.zarr/g
prints <<<h
zinc 0 attrs a.zarr/g/h k
prints <<<1

# ---- --dry-run shows the document and makes nothing ----
zinc 0 create d.zarr/x --shape 3 --dtype int8 --dry-run
has "would create d.zarr/x"
has '"shape": [3]'
[ ! -e d.zarr ] || bad "--dry-run made something"
zinc 2 create d.zarr/x --shape 3 --dtype int99 --dry-run
zinc 0 create d.zarr/x --group --dry-run
zinc 3 create a.zarr/o --shape 3 --dtype int8 --dry-run
zinc 0 create a.zarr/o --shape 3 --dtype int8 --dry-run --overwrite

# ---- attributes ----
zinc 2 attrs a.zarr/g/h 'e=a=b'
says "not JSON"
zinc 0 attrs a.zarr/g/h 's="text"' 'n=null' 'list=[1,{"x":2}]' 'big=12345678901234567890' 'f=1.10'
zinc 0 attrs a.zarr/g/h
prints <<'END'
{
  "k": 1,
  "s": "text",
  "n": null,
  "list": [1,{"x":2}],
  "big": 12345678901234567890,
  "f": 1.10
}
END
zinc 0 attrs --json a.zarr/g/h
prints <<<'{"k":1,"s":"text","n":null,"list":[1,{"x":2}],"big":12345678901234567890,"f":1.10}'
zinc 0 attrs a.zarr/g/h s
prints <<<'"text"'
zinc 0 attrs a.zarr/g
prints <<<'{}'
zinc 3 attrs a.zarr/g/h nothing
says "nothing"
zinc 2 attrs a.zarr/g/h s=text
says "'s=\"text\"'"
zinc 2 attrs a.zarr/g/h one two
says "KEY=JSON"
zinc 3 attrs a.zarr/g/h --rm nothing --rm k
zinc 0 attrs a.zarr/g/h k # nothing was removed
zinc 0 attrs a.zarr/g/h --rm n --rm list big=1
zinc 0 attrs --json a.zarr/g/h
prints <<<'{"k":1,"s":"text","big":1,"f":1.10}'
zinc 0 attrs a.zarr/g/h --dry-run k=2 --rm s
has "would set k = 2"
has "would remove s"
zinc 3 attrs a.zarr/g/h --dry-run --rm nothing
zinc 0 attrs --json a.zarr/g/h
prints <<<'{"k":1,"s":"text","big":1,"f":1.10}'

# edits of different keys at the same time lose none
for i in $(seq 1 12); do "$ZINC" attrs a.zarr/g "key$i=$i" & done
wait
zinc 0 attrs --json a.zarr/g
for i in $(seq 1 12); do has "\"key$i\":$i"; done

# ---- attributes of a group of version 2 without its document ----
zinc 0 create w.zarr/x/a --shape 4 --dtype int16 --format v2
rm w.zarr/x/.zgroup
echo '{"k": 1}' >w.zarr/x/.zattrs
zinc 0 create w.zarr/x --group
echo '{"k": 1}' | cmp - w.zarr/x/.zattrs || bad "the attributes stay"
[ -f w.zarr/x/.zgroup ] || bad "the group has its document"

# ---- erasing ----
run 2 sh -c "'$ZINC' rm a.zarr/g </dev/null"
says "--yes"
zinc 0 rm --dry-run a.zarr/g
prints <<'END'
would erase /g
would erase /g/h
END
[ -e a.zarr/g/h/zarr.json ] || bad "--dry-run erased"
if script -qec true /dev/null >/dev/null 2>&1; then # a terminal for the question
	echo n | script -qec "'$ZINC' rm a.zarr/g; echo status \$?" /dev/null >out 2>&1
	has "[y/N]"
	has "status 3"
	[ -e a.zarr/g/h/zarr.json ] || bad "no means no"
	echo y | script -qec "'$ZINC' rm a.zarr/g; echo status \$?" /dev/null >out 2>&1
	has "status 0"
	[ ! -e a.zarr/g ] || bad "yes means yes"
	zinc 0 create a.zarr/g --group
fi
zinc 0 rm a.zarr/g --yes
[ ! -e a.zarr/g ] || bad "erased, directories too"
zinc 3 rm a.zarr/g --yes
zinc 0 rm -y a.zarr/c
zinc 0 rm -y a.zarr
zinc 3 info a.zarr
finish
