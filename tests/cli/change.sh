#!/usr/bin/env bash
# change.sh - resize, append, consolidate
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

# npy FILE SHAPE DESCR BYTES...: a NumPy file
npy() {
	local header="{'descr': '$3', 'fortran_order': ${ORDER:-False}, 'shape': $2, }"
	while [ $(((10 + ${#header} + 1) % 64)) != 0 ]; do header="$header "; done
	{
		bytes 93
		printf 'NUMPY'
		bytes 01 00 "$(printf %02x $((${#header} + 1)))" 00
		printf '%s\n' "$header"
		bytes "${@:4}"
	} >"$1"
}

# ---- resize ----
zinc 0 create r.zarr --shape 4,4 --dtype uint8 --chunks 2,2 --fill 9
head -c 16 /dev/zero | tr '\0' '\1' >ones
zinc 0 put r.zarr --from ones
zinc 0 resize r.zarr 5,3 --dry-run
prints <<<"would change the shape of r.zarr from (4, 4) to (5, 3)"
zinc 0 resize r.zarr 6,4
[ ! -s out ] && [ ! -s err ] || bad "resize talks"
zinc 0 cat r.zarr --as csv
prints <<'END'
1,1,1,1
1,1,1,1
1,1,1,1
1,1,1,1
9,9,9,9
9,9,9,9
END
zinc 0 resize r.zarr 2,4
[ ! -e r.zarr/c/1 ] || bad "chunks outside the array were left"
zinc 0 validate r.zarr
has "2 objects"
zinc 2 resize r.zarr 2
says "has 1 dimensions"
zinc 2 resize r.zarr 2,x
says "not a list of lengths"
zinc 2 resize r.zarr
says "usage: zinc resize URL N,M"
zinc 3 resize nothing.zarr 2,2
zinc 0 create g.zarr --group
zinc 3 resize g.zarr 2,2

# ---- a dry run refuses what would be refused ----
for document in '"chunk_grid": {"name": "zarrs.regular_bounded", "configuration": {"chunk_shape": [4]}}' \
	'"chunk_grid": {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[10, 99999999999]]}}'; do
	rm -rf n.zarr
	mkdir n.zarr
	echo '{"zarr_format": 3, "node_type": "array", "shape": [10], "data_type": "uint8", "fill_value": 0, "attributes": {},
		"chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes"}], '"$document}" >n.zarr/zarr.json
	cp n.zarr/zarr.json before.json
	npy more.npy "(2,)" '|u1' 01 02
	for command in 'resize n.zarr 12' 'append n.zarr --from more.npy'; do
		zinc 4 $command
		mv err refused
		zinc 4 $command --dry-run
		[ "$(sed 's/.*: //' err)" = "$(sed 's/.*: //' refused)" ] || bad "another reason in a dry run"
		[ ! -s out ] || bad "a promise of what is refused"
	done
	cmp before.json n.zarr/zarr.json || bad "the document changed"
done

# ---- append ----
zinc 0 create a.zarr --shape 0,2 --dtype int16 --chunks 2,2
npy one.npy "(1, 2)" '<i2' 01 00 02 00
npy two.npy "(2, 2)" '>i4' 00 00 00 03 00 00 00 04 00 00 00 05 00 00 00 06
zinc 0 append a.zarr --from one.npy --dry-run
prints <<<"would add 1 along dimension 0 of a.zarr, from one.npy"
zinc 0 append a.zarr --from one.npy
zinc 0 append a.zarr --axis 0 --from two.npy
zinc 0 cat a.zarr --as csv
prints <<'END'
1,2
3,4
5,6
END
npy column.npy "(3, 1)" '|i1' 07 08 09
zinc 0 append a.zarr --axis 1 --from - <column.npy
zinc 0 cat a.zarr --as csv
prints <<'END'
1,2,7
3,4,8
5,6,9
END
ORDER=True npy fortran.npy "(2, 3)" '|i1' 01 04 02 05 03 06
zinc 0 append a.zarr --from fortran.npy
zinc 0 cat a.zarr --as csv -s 3:
prints <<'END'
1,2,3
4,5,6
END
# larger than its memory limit: a range is reserved, then filled piece by piece
zinc 0 create big.zarr --shape 0,1000 --dtype uint8 --chunks 64,1000
zinc 0 create from.zarr --shape 3000,1000 --dtype uint8 --fill 3
zinc 0 cat from.zarr -o big.npy
zinc 0 append big.zarr --from big.npy --max-memory 2M
zinc 0 append big.zarr --from big.npy --max-memory 2M
zinc 0 cat big.zarr --as raw -o raw
[ "$(tr -d '\3' <raw | wc -c)" = 0 ] && [ "$(wc -c <raw)" = 6000000 ] || bad "a large append lost something"

# wrong input changes nothing
zinc 0 info --json a.zarr
cp out before
npy wide.npy "(1, 9)" '|i1' 01 02 03 04 05 06 07 08 09
zinc 2 append a.zarr --from wide.npy
says "only dimension 0 may differ"
npy line.npy "(3,)" '|i1' 01 02 03
zinc 2 append a.zarr --from line.npy
npy large.npy "(1, 3)" '<i4' 00 00 00 00 00 00 01 00 00 00 00 00
zinc 2 append a.zarr --from large.npy
says "does not fit"
npy short.npy "(2, 3)" '|i1' 01 02 03
zinc 5 append a.zarr --from short.npy
zinc 2 append a.zarr --from ones
says "not a .npy file"
zinc 2 append a.zarr --axis 2 --from one.npy
zinc 2 append a.zarr
says "--from"
zinc 3 append a.zarr --from missing.npy
zinc 3 append nothing.zarr --from one.npy
zinc 0 info --json a.zarr
prints <before

# ---- consolidate ----
zinc 0 create c.zarr/x --shape 4 --dtype int8
zinc 0 create c.zarr/g/y --shape 4 --dtype int8
zinc 0 consolidate c.zarr --dry-run
prints <<<"would write the consolidated metadata of c.zarr"
! grep -q consolidated c.zarr/zarr.json || bad "--dry-run wrote"
zinc 0 consolidate c.zarr
grep -q '"consolidated_metadata"' c.zarr/zarr.json || bad "no consolidated metadata"
grep -q '"g/y"' c.zarr/zarr.json || bad "a node is missing in consolidated metadata"
zinc 0 validate c.zarr
has "0 errors, 0 warnings"
zinc 0 consolidate c.zarr --remove --dry-run
prints <<<"would remove the consolidated metadata of c.zarr"
zinc 0 consolidate c.zarr --remove
! grep -q consolidated c.zarr/zarr.json || bad "--remove did not"
zinc 2 consolidate c.zarr/x
says "not a group"
zinc 3 consolidate nothing.zarr
zinc 0 create v2.zarr/x --format v2 --shape 4 --dtype int8
zinc 0 consolidate v2.zarr
[ -s v2.zarr/.zmetadata ] || bad "no .zmetadata"
zinc 0 consolidate v2.zarr --remove
[ ! -e v2.zarr/.zmetadata ] || bad ".zmetadata was left"
finish
