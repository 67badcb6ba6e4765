#!/usr/bin/env bash
# consolidated.sh - an edit leaves consolidated metadata as it found it, current; of any size it can be removed
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

# is there consolidated metadata in group $1 of $format, and does it say what the documents say?
consolidated() {
	case $format in
	v2) [ -e "$1/.zmetadata" ] || return 1 ;;
	v3) grep -q consolidated_metadata "$1/zarr.json" || return 1 ;;
	esac
	zinc 0 validate "$1"
	has "0 errors, 0 warnings"
}
kept() { consolidated s.zarr || bad "$format: $1 dropped the consolidated metadata of the root"; }

zinc 0 create two.zarr --shape 2 --dtype int8
zinc 0 cat two.zarr -o two.npy --as npy
for format in v3 v2; do
	rm -rf s.zarr t.zarr
	zinc 0 create s.zarr --group --format $format
	zinc 0 create s.zarr/g --group
	zinc 0 create s.zarr/g/x --shape 4 --dtype int8
	consolidated s.zarr && bad "$format: nobody asked for it"
	zinc 0 attrs s.zarr/g/x units=1
	consolidated s.zarr && bad "$format: an edit made what was not there"
	zinc 0 consolidate s.zarr
	zinc 0 consolidate s.zarr/g
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
	# what is stale is written anew
	sed 's/"shape": *\[8\]/"shape": [4]/' s.zarr/z/$([ $format = v3 ] && echo zarr.json || echo .zarray) >changed
	cmp -s changed s.zarr/z/zarr.json && bad "nothing was changed"
	cat changed >s.zarr/z/$([ $format = v3 ] && echo zarr.json || echo .zarray)
	zinc 1 validate s.zarr
	has "stale"
	zinc 0 validate --repair s.zarr && kept "validate --repair"
	# dry runs and readers change nothing
	zinc 0 attrs s.zarr/z a=1 --dry-run && kept "a dry run"
	# --no-consolidate
	zinc 0 attrs s.zarr/z a=1 --no-consolidate
	consolidated s.zarr && bad "$format: --no-consolidate wrote it"
	# a document below that cannot be copied: the edit is made, and that is said
	zinc 0 consolidate s.zarr
	zinc 0 create s.zarr/broken --shape 4 --dtype int8
	echo '{' >s.zarr/broken/$([ $format = v3 ] && echo zarr.json || echo .zarray)
	zinc 5 attrs s.zarr/z b=2
	says "the change was made, but consolidated metadata could not be written anew"
	zinc 0 attrs s.zarr/z b
	prints <<<2
done

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
has "repaired consolidated: /: the document was longer than readers take"
zinc 0 validate also.zarr
has "1 group, 1 array"
