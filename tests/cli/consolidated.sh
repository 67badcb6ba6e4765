#!/usr/bin/env bash
# consolidated.sh - an edit keeps consolidated metadata, updated; it can be removed at any size
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

# does group $1 of $format have consolidated metadata, and does it match the documents?
consolidated() {
	case $format in
	v2) [ -e "$1/.zmetadata" ] || return 1 ;;
	v3) grep -q consolidated_metadata "$1/zarr.json" || return 1 ;;
	v3-2020) [ "$1" != s.zarr ] || [ -e "$1/meta/root/consolidated/.zmetadata" ] || return 1 ;;
	esac
	zinc 0 validate "$1"
	has "0 errors, 0 warnings"
}
kept() { consolidated s.zarr || bad "$format: $1 dropped the consolidated metadata of the root"; }

document() { # the file of array $1's document
	case $format in
	v2) echo "s.zarr/$1/.zarray" ;;
	v3) echo "s.zarr/$1/zarr.json" ;;
	v3-2020) echo "s.zarr/meta/root/$1.array.json" ;;
	esac
}

zinc 0 create two.zarr --shape 2 --dtype int8
zinc 0 cat two.zarr -o two.npy --as npy
for format in $(some v3 v2 v3-2020); do
	rm -rf s.zarr t.zarr
	zinc 0 create s.zarr --group --format $format
	zinc 0 create s.zarr/g --group
	zinc 0 create s.zarr/g/x --shape 4 --dtype int8
	consolidated s.zarr && bad "$format: nobody asked for it"
	zinc 0 attrs s.zarr/g/x units=1
	consolidated s.zarr && bad "$format: an edit made what was not there"
	zinc 0 consolidate s.zarr
	if [ $format = v3-2020 ]; then # zarr-python's, of the whole hierarchy
		zinc 2 consolidate s.zarr/g
		says "of whole hierarchies only"
	else
		zinc 0 consolidate s.zarr/g
	fi
	zinc 0 attrs s.zarr/g/x 'units="K"' && kept attrs
	[ ! -s err ] || bad "$format: it talks"
	consolidated s.zarr/g || bad "$format: the inner group has lost its own"
	zinc 0 attrs s.zarr/g/x --rm units && kept "attrs --rm"
	zinc 0 attrs s.zarr title=1 && kept "attrs of the root"
	zinc 0 create s.zarr/g/y --shape 4 --dtype int8 && kept create
	zinc 0 resize s.zarr/g/y 6 && kept resize
	zinc 0 append s.zarr/g/y --from two.npy && kept append
	zinc 0 mv s.zarr/g/y /z && kept mv
	zinc 0 mv s.zarr/z g/z
	consolidated s.zarr/g || bad "$format: mv dropped that of the target's group"
	zinc 0 mv s.zarr/g/z /z
	zinc 0 cp s.zarr/z s.zarr/g/w && kept "cp into it"
	zinc 0 attrs s.zarr/g/w 'license={"spdx":"MIT"}'
	zinc 0 conventions s.zarr/g/w --add license && kept "conventions --add"
	zinc 0 rm s.zarr/g/w --yes && kept rm
	zinc 0 rm s.zarr/g --yes && kept "rm of a group that had its own"
	# stale metadata is rewritten
	sed 's/"shape": *\[8\]/"shape": [4]/' "$(document z)" >changed
	cmp -s changed "$(document z)" && bad "nothing was changed"
	cat changed >"$(document z)"
	zinc 1 validate s.zarr
	has "stale"
	zinc 0 validate --repair s.zarr && kept "validate --repair"
	# dry runs and readers change nothing
	zinc 0 attrs s.zarr/z a=1 --dry-run && kept "a dry run"
	# --no-consolidate
	zinc 0 attrs s.zarr/z a=1 --no-consolidate
	consolidated s.zarr && bad "$format: --no-consolidate wrote it"
	# a document below that cannot be copied: the edit is made, and a message says so
	zinc 0 consolidate s.zarr
	zinc 0 create s.zarr/broken --shape 4 --dtype int8
	echo '{' >"$(document broken)"
	zinc 5 attrs s.zarr/z b=2
	says "the change was made, but consolidated metadata could not be rewritten"
	zinc 0 attrs s.zarr/z b
	prints <<<2
done

# ---- zarr-python's of the draft of 2020: it needs no group document, is copied, and can be damaged ----
rm -rf s.zarr t.zarr
copies=meta/root/consolidated/.zmetadata
zinc 0 create s.zarr/g/x --shape 4 --dtype int8 --format v3-2020
zinc 0 consolidate s.zarr
grep -q '"meta/root/g/x.array.json": {' s.zarr/$copies || bad "2020: no copy of the array"
grep -q '"zarr.json": {' s.zarr/$copies || bad "2020: no copy of the entry point"
zinc 0 cp s.zarr t.zarr
cmp s.zarr/$copies t.zarr/$copies
sed -i 's/"shape": \[4\]/"shape": [5]/' s.zarr/$copies
zinc 1 validate s.zarr
has "stale"
echo '{' >s.zarr/$copies
zinc 1 validate s.zarr
has "damaged"
zinc 0 validate --repair s.zarr
cmp s.zarr/$copies t.zarr/$copies
zinc 0 consolidate --remove s.zarr
[ ! -e s.zarr/$copies ] || bad "2020: --remove leaves it"
zinc 0 create l.zarr/x --shape 4 --dtype int8 --format v3-2022
zinc 2 consolidate l.zarr
says "one listing shows all nodes"

# ---- of any size ----
python3 - <<'END'
import json, os
os.makedirs("big.zarr/x")
group = {"zarr_format": 3, "node_type": "group"}
array = {"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "int8", "fill_value": 0,
         "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
         "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes"}]}
json.dump(array, open("big.zarr/x/zarr.json", "w"))
copies = {"n%d" % i: {"attributes": {"a": "x" * 100000}, **group} for i in range(700)}
group["consolidated_metadata"] = {"must_understand": False, "kind": "inline", "metadata": copies}
json.dump(group, open("big.zarr/zarr.json", "w"))
END
cp -r big.zarr also.zarr
zinc 4 info big.zarr
zinc 0 consolidate big.zarr --remove
zinc 0 info big.zarr
zinc 4 validate also.zarr
zinc 0 validate --repair also.zarr
has "repaired consolidated: /: the document was longer than the limit of readers"
zinc 0 validate also.zarr
has "1 group, 1 array"
