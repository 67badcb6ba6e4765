#!/usr/bin/env bash
# draft_2022.sh - what a reader of the draft of 2022 must not open, and fallbacks for unknown types
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

# ---- unknown members: shown, and nothing else (22-87-, 22-89-) ----
zinc 0 create d.zarr/a --shape 4 --dtype int16 --codecs none --attrs '{"note":1}' --format v3-2022
zinc 0 create d.zarr/g --group --attrs '{"note":1}'
zinc 0 create d.zarr/g/b --shape 4 --dtype int16 --codecs none
cp -r d.zarr same.zarr
sed -i 's/^{/{"colour": "red",/' d.zarr/meta/a.array.json d.zarr/meta/g.group.json
for node in a g; do
	document=$(echo d.zarr/meta/$node.*.json)
	cp "$document" before
	zinc 0 info d.zarr/$node
	has colour
	zinc 0 tree d.zarr
	has "── $node"
	has colour
	zinc 0 ls -l d.zarr
	has "$node"
	zinc 0 attrs d.zarr/$node
	has '"note": 1'
	for edit in 'attrs N x=1' 'attrs N --rm note' 'conventions N --add proj' 'cp N copy.zarr' 'cp N copy.zarr --format v3' \
		'mv N d.zarr/moved' 'validate N'; do
		# shellcheck disable=SC2086
		zinc 4 ${edit//N/d.zarr/$node}
		cmp -s before "$document" || bad "$edit changed $document"
		[ ! -e copy.zarr/zarr.json ] || bad "$edit made a copy"
	done
	zinc 4 diff d.zarr/$node same.zarr/$node
	has colour
done

# ---- nothing is created in such a group or removed from it, and it is not an array (22-89-) ----
cp -r d.zarr was.zarr
for edit in 'create N/new --shape 1 --dtype int8' 'create N/new --group' 'create N/new/m --group' \
	'create N/b --shape 1 --dtype int8 --overwrite' 'cp same.zarr/a N/new' 'cp same.zarr/a N/b --overwrite' \
	'cp same.zarr/a N/b --overwrite --force' 'mv d.zarr/a N/a' 'mv N/b d.zarr/b' 'mv N/b N/c' 'rm N/b --yes'; do
	for option in "" --dry-run; do
		# shellcheck disable=SC2086
		zinc 4 ${edit//N/d.zarr/g} $option
		says colour
		diff -r was.zarr d.zarr || bad "$edit changed something"
	done
done
for command in stats chunks explain cat; do
	zinc 4 $command d.zarr/g
	says colour
done
zinc 0 cat d.zarr/g/b
zinc 0 rm d.zarr/g/b --yes --force
rm -r d.zarr
mv was.zarr d.zarr
zinc 4 cp d.zarr all.zarr
zinc 0 cp d.zarr some.zarr --lossy
zinc 0 ls some.zarr
lacks a

# ---- unknown members of the entry point: a warning (22-41+) ----
sed -i 's/^{/{"colour": "red",/' same.zarr/zarr.json
zinc 0 cat same.zarr/a
says 'member "colour" is not defined'
zinc 0 validate same.zarr
has 'warning 22-41'

# ---- an unknown type of a known extension (22-58+) ----
type() { # NAME URI-VERSION TYPE FALLBACK
	cat >same.zarr/meta/"$1".array.json <<-END
		{"shape": [2], "chunk_grid": {"type": "regular", "chunk_shape": [2], "separator": "/"}, "chunk_memory_layout": "C",
		 "data_type": {"extension": "https://purl.org/zarr/spec/extensions/data-types/datetime/$2", "type": "$3", "fallback": $4},
		 "fill_value": 0, "extensions": [], "attributes": {}}
	END
	mkdir -p same.zarr/data/"$1"
	printf '\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0' >same.zarr/data/"$1"/c0
}
type major 2.0 '<M8[ns]' '"int64"'
type other 1.0 '<X8[ns]' '["int64"]'
type list 1.0 '<X8[ns]' '["posit64", "int64", "r64"]'
type size 1.0 '<M9[ns]' '"int64"'
type unit 1.0 '<M8[x]' '"int64"'
struct() { # NAME FIELD-TYPE
	type "$1" 1.0 '<M8[ns]' '["int64"]'
	sed -i "s|datetime/1.0|struct/1.0|; s|\"<M8\[ns\]\"|[[\"a\", \"<i4\"], [\"b\", $2]]|" same.zarr/meta/"$1".array.json
}
struct field '"<q9"'
struct inner '[["c", "<q9"]]'
struct extension '{"extension": "https://example.org/x/1.0", "type": "<i4"}'
for name in major other list size unit field inner extension; do
	zinc 0 info same.zarr/$name
	has unsupported
	zinc 4 cat same.zarr/$name
	zinc 0 cat same.zarr/$name --as json --fallback any
	prints <<<'[1,2]'
	has 'read as int64' err
	zinc 4 validate same.zarr/$name
done
zinc 0 tree same.zarr
zinc 4 cat same.zarr/list --fallback posit64

finish
