#!/usr/bin/env bash
# du.sh - stored bytes of each node; keys that belong to no node; tree --sizes and --attrs
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

zinc 0 create d.zarr --group --attrs '{"title":"x"}'
zinc 0 create d.zarr/a --shape 4 --dtype uint8 --chunks 2 --codecs none --dims x --attrs '{"units":"K"}'
zinc 0 create d.zarr/g --group
zinc 0 create d.zarr/g/b --shape 3,2 --dtype uint8 --chunks 3,2 --codecs none --dims x,y
zinc 0 create d.zarr/g/c --shape 5 --dtype uint8 --codecs none --dims x
printf 'abcd' >raw
zinc 0 put d.zarr/a --from raw
zinc 0 du d.zarr
has "2 groups, 3 arrays; 7 objects, "
lacks foreign out
# the sum of all files is the total
bytes=$(find d.zarr -type f -printf '%s\n' | awk '{ n += $1 } END { print n }')
zinc 0 du d.zarr --json
is_json
has "\"total\":{\"objects\":7,\"bytes\":$bytes,\"chunks\":2,\"chunk_bytes\":4,\"decoded_bytes\":4,\"ratio\":1.0000,\"foreign\":0"
zinc 0 du d.zarr --depth 0 --json
is_json
lacks '"path":"/a"' out
# foreign keys are named, and not counted
echo hello >d.zarr/README
echo x >d.zarr/a/c/7
zinc 0 du d.zarr
has "2 foreign keys, 8 B, not counted above:"
has "README  (belongs to no node)"
has "a/c/7  (a chunk outside the shape)"
zinc 0 du d.zarr --json
has "\"bytes\":$bytes,"
# a node that no listing shows is a finding, a broken one damage
ln -s nowhere d.zarr/link
zinc 1 du d.zarr
has "link: " err
rm d.zarr/link
printf '{' >d.zarr/g/c/zarr.json
zinc 5 du d.zarr
zinc 3 du nothing.zarr
rm d.zarr/g/c/zarr.json d.zarr/README d.zarr/a/c/7
zinc 0 create d.zarr/g/c --shape 5 --dtype uint8 --codecs none --dims x
# the format of tree --attrs
zinc 0 tree d.zarr --attrs
prints <<'END'
group: /  d.zarr
dimensions:
    x = 4
variables:
    uint8 a(x)  chunks (2,)
        units = "K"
attributes:
    title = "x"

group: /g
dimensions:
    x = 3, but 5 in c
    y = 2
variables:
    uint8 b(x, y)  chunks (3, 2)
    uint8 c(x)  chunks (5,)
END
zinc 0 tree d.zarr --attrs --sizes --json
is_json
has '"dimensions":{"x":3,"y":2},"conflicts":[{"dimension":"x","size":5,"array":"c"}]'
has '"stored":{"objects":'
zinc 0 tree d.zarr --sizes
has "node     "
# long attributes are wrapped and cut, with --full only wrapped; escapes reach no terminal
long=$(printf 'word%.0s ' {1..100})
zinc 0 attrs d.zarr "long=\"$long\"" 'evil="\u001b[2J"'
COLUMNS=60 run 0 "$ZINC" tree d.zarr --attrs
has "… (--full)"
COLUMNS=60 run 0 "$ZINC" tree d.zarr --attrs --full
lacks "… (--full)" out
awk 'length($0) > 60 { exit 1 }' out || bad "a line is too wide"
zinc 0 tree d.zarr --attrs
lacks $'\033' out
# the drafts and version 2
for format in v2 v3-2019 v3-2020; do
	zinc 0 create "$format.zarr" --group --format $format
	zinc 0 create "$format.zarr/a" --shape 4 --dtype uint8 --chunks 2 --codecs none
	zinc 0 put "$format.zarr/a" --from raw
	zinc 0 du "$format.zarr" --json
	has '"chunks":2,"chunk_bytes":4,"decoded_bytes":4'
	bytes=$(find "$format.zarr" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }')
	has "\"total\":{\"objects\":$(find "$format.zarr" -type f | wc -l),\"bytes\":$bytes,"
done
