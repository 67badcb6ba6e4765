#!/usr/bin/env bash
# types.sh - elements that are not numbers: dates, texts, bytes, records; in the form of NumPy
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

# array NAME TYPE SHAPE BYTES...: an array of these little-endian bytes
array() {
	zinc 0 create "a.zarr/$1" --shape "$3" --dtype "$2" --overwrite
	bytes "${@:4}" >raw
	zinc 0 put "a.zarr/$1" --from raw
	zinc 0 cat "a.zarr/$1" --as raw
	cmp -s raw out || bad "raw bytes of $1 come back"
}

# npy NAME DESCR SHAPE: its .npy file has this header, and can be put back unchanged
npy() {
	zinc 0 cat "a.zarr/$1" -o x.npy --overwrite
	head -c 512 x.npy | tr -d '\0' | grep -qF "{'descr': $2, 'fortran_order': False, 'shape': $3, }" || bad "header of $1"
	zinc 0 put "a.zarr/$1" --from x.npy
	zinc 0 cat "a.zarr/$1" -o y.npy --overwrite
	cmp -s x.npy y.npy || bad "$1 comes back from its .npy file"
}

# ---- dates ----
array date '<M8[D]' 3 00 00 00 00 00 00 00 00 cd 2a 00 00 00 00 00 00 00 00 00 00 00 00 00 80
zinc 0 cat a.zarr/date
prints <<<"['1970-01-01' '2000-01-01'        'NaT']"
zinc 0 cat a.zarr/date --as json
prints <<<'["1970-01-01","2000-01-01","NaT"]'
zinc 0 cat a.zarr/date --as csv
prints <<<"1970-01-01,2000-01-01,NaT"
zinc 0 cat a.zarr/date -s 1
prints <<<"2000-01-01"
npy date "'<M8[D]'" "(3,)"
array last '<M8[ns]' 2 ff ff ff ff ff ff ff 7f 01 00 00 00 00 00 00 80
zinc 0 cat a.zarr/last --as json
prints <<<'["2262-04-11T23:47:16.854775807","1677-09-21T00:12:43.145224193"]'
array span '<m8[10us]' 3 05 00 00 00 00 00 00 00 d4 fe ff ff ff ff ff ff 00 00 00 00 00 00 00 80
zinc 0 cat a.zarr/span
prints <<<"[    5  -300 'NaT']"
zinc 0 cat a.zarr/span --as json
prints <<<'[5,-300,"NaT"]'
zinc 0 cat a.zarr/span --as csv
prints <<<"50 microseconds,-3000 microseconds,NaT"
npy span "'<m8[10us]'" "(3,)"
# another unit: exact, or an error
zinc 0 create a.zarr/ms --shape 3 --dtype 'M8[ms]'
zinc 0 cat a.zarr/date -o x.npy --overwrite
zinc 0 put a.zarr/ms --from x.npy
zinc 0 cat a.zarr/ms --as json
prints <<<'["1970-01-01T00:00:00.000","2000-01-01T00:00:00.000","NaT"]'
zinc 0 create a.zarr/year --shape 3 --dtype 'M8[Y]' --fill '"NaT"'
zinc 0 put a.zarr/year --from x.npy
zinc 0 create a.zarr/week --shape 3 --dtype 'M8[W]'
zinc 2 put a.zarr/week --from x.npy
says "element 1, '2000-01-01', does not fit M8[W]"

# ---- texts ----
array u '<U3' 2,2 61 00 00 00 62 00 00 00 00 00 00 00 e9 00 00 00 0a 00 00 00 00 00 00 00 \
	00 00 00 00 00 00 00 00 00 00 00 00 78 00 00 00 22 00 00 00 79 00 00 00
zinc 0 cat a.zarr/u
prints <<'END'
[['ab' 'é\n']
 ['' 'x"y']]
END
zinc 0 cat a.zarr/u --as json
is_json
prints <<<'[["ab","é\n"],["","x\"y"]]'
zinc 0 cat a.zarr/u --as csv
prints <<'END'
ab,"é
"
,"x""y"
END
npy u "'<U3'" "(2, 2)"
array s '|S3' 3 61 62 00 78 ff 00 00 00 00
zinc 0 cat a.zarr/s
prints <<<"[b'ab' b'x\\xff' b'']"
zinc 0 cat a.zarr/s --as json
prints <<<'["ab","x\udcff",""]'
npy s "'|S3'" "(3,)"
# texts of a longer type fit only if they are short enough
zinc 0 create a.zarr/u9 --shape 2,2 --dtype U9
zinc 0 cat a.zarr/u -o x.npy --overwrite
zinc 0 put a.zarr/u9 --from x.npy
zinc 0 cat a.zarr/u9 --as json
prints <<<'[["ab","é\n"],["","x\"y"]]'
zinc 0 create a.zarr/u1 --shape 2,2 --dtype U1
zinc 2 put a.zarr/u1 --from x.npy
says "does not fit U1"
# beyond Unicode
bytes 00 00 11 00 >raw
zinc 0 create a.zarr/odd --shape 1 --dtype U1
zinc 0 put a.zarr/odd --from raw
zinc 5 cat a.zarr/odd
says "not valid Unicode"
zinc 5 cat a.zarr/odd --as json

# ---- variable length ----
zinc 0 create a.zarr/text --shape 2,2 --dtype string --fill '"-"' --chunks 1,2
zinc 0 cat a.zarr/text
prints <<'END'
[['-' '-']
 ['-' '-']]
END
zinc 0 cat a.zarr/u -o x.npy --overwrite
zinc 0 put a.zarr/text --from x.npy
zinc 0 cat a.zarr/text --as json
prints <<<'[["ab","é\n"],["","x\"y"]]'
npy text "'<U3'" "(2, 2)"
zinc 0 cat a.zarr/text --as json -s "1,1"
prints <<<'"x\"y"'
zinc 2 put a.zarr/text --from raw
says "only be put from a .npy file"
zinc 0 create a.zarr/bytes --shape 3 --dtype bytes
zinc 0 cat a.zarr/s -o x.npy --overwrite
zinc 0 put a.zarr/bytes --from x.npy
zinc 0 cat a.zarr/bytes
prints <<<"[b'ab' b'x\\xff' b'']"
zinc 0 cat a.zarr/bytes --as json
prints <<<'["YWI=","eP8=",""]'
npy bytes "'|S2'" "(3,)"
zinc 0 --array_path=a.zarr/text
zinc 0 bench a.zarr/text --repeat 1

# ---- records ----
record="[('id', '<i4'), ('shape', '|u1'), ('value', '<f8')]"
array rec "$record" 2 01 00 00 00 02 00 00 00 00 00 00 f0 3f fe ff ff ff ff 00 00 00 00 00 00 f8 7f
zinc 0 cat a.zarr/rec
prints <<<"[(1, 2, 1.0) (-2, 255, nan)]"
zinc 0 cat a.zarr/rec --as json
prints <<<'[{"id":1,"shape":2,"value":1.0},{"id":-2,"shape":255,"value":"NaN"}]'
zinc 0 cat a.zarr/rec --as csv
prints <<<'"(1, 2, 1.0)","(-2, 255, nan)"'
npy rec "$record" "(2,)"
zinc 0 cat a.zarr/rec --as raw
bytes 01 00 00 00 02 00 00 00 00 00 00 f0 3f fe ff ff ff ff 00 00 00 00 00 00 f8 7f >want
cmp -s want out || bad "records as raw bytes"
# stored big-endian, shown the same
zinc 0 create a.zarr/big --shape 2 --dtype "$record" --endian big --codecs none
zinc 0 cat a.zarr/rec -o x.npy --overwrite
zinc 0 put a.zarr/big --from x.npy
bytes 00 00 00 01 02 3f f0 00 00 00 00 00 00 ff ff ff fe ff 7f f8 00 00 00 00 00 00 >want
cmp -s want a.zarr/big/c/0 || bad "records are stored in the order asked for"
zinc 0 cat a.zarr/big --as raw
cp out big.raw
zinc 0 cat a.zarr/rec --as raw
cmp -s out big.raw || bad "records in either order are the same"
# a field of a shape, names beyond ASCII
array sub "[('é', '<i2', (2,)), ('n', [('t', '<M8[s]')])]" 1 01 00 02 00 00 00 00 00 00 00 00 00
zinc 0 cat a.zarr/sub --as json
prints <<<'[{"é":[1,2],"n":{"t":"1970-01-01T00:00:00"}}]'
npy sub "[('é', '<i2', (2,)), ('n', [('t', '<M8[s]')])]" "(1,)"
[ "$(head -c 7 x.npy | tail -c 1 | od -An -tu1 | tr -d ' ')" = 3 ] || bad "a header in UTF-8 is version 3"

# ---- the same in version 2 ----
for name in date span u s text bytes rec sub; do
	dtype=$(zinc 0 info a.zarr/$name --json && sed 's/.*"dimension_names":null,"data_type":\(.*\),"byte_order".*/\1/' out)
	shape=$(sed 's/.*"shape":\[\([0-9,]*\)\],"dimension_names".*/\1/' out)
	zinc 0 create b.zarr/$name --format v2 --shape "$shape" --dtype "$dtype"
	zinc 0 cat a.zarr/$name -o x.npy --overwrite
	zinc 0 put b.zarr/$name --from x.npy
	zinc 0 cat a.zarr/$name --as json
	cp out want
	zinc 0 cat b.zarr/$name --as json
	cmp -s want out || bad "$name is the same in version 2"
done
has '"dtype": "<M8[D]"' b.zarr/date/.zarray
has '"dtype": "|O"' b.zarr/text/.zarray
has '"id": "vlen-utf8"' b.zarr/text/.zarray

# ---- invalid headers ----
zinc 0 cat a.zarr/rec -o x.npy --overwrite
for edit in "s/'descr'/'decsr'/" "s/(2,)/(2,x/" "s/'<i4'/'<i4/" "s/'<f8')\]/'<f8')/" "s/{'/['/"; do
	LC_ALL=C sed "$edit" x.npy >z.npy
	zinc 5 put a.zarr/rec --from z.npy
done
LC_ALL=C sed "s/'<i4'/'|O8'/" x.npy >z.npy
zinc 4 put a.zarr/rec --from z.npy
LC_ALL=C sed "s/'id'/'if'/" x.npy >z.npy
zinc 2 put a.zarr/rec --from z.npy
says "cannot be converted"

# ---- bytes without meaning: |V3 is raw_bytes, r24 is another name of the same ----
printf 'abcdef' >raw
zinc 0 create v2.zarr/v --format v2 --shape 4 --chunks 2 --dtype '|V3' --fill '"AQID"'
zinc 0 put v2.zarr/v -s :2 --from raw
zinc 0 info --json v2.zarr/v
has '"data_type":{"name":"raw_bytes","configuration":{"length_bytes":3}}'
has '"fill_value":"AQID"'
zinc 0 cp v2.zarr/v v3.zarr/v --format v3 --verify
has '"name": "raw_bytes"' v3.zarr/v/zarr.json
has '"fill_value": "AQID"' v3.zarr/v/zarr.json
zinc 0 create v3.zarr/r --shape 4 --chunks 2 --dtype r24 --fill '[1, 2, 3]'
zinc 0 put v3.zarr/r -s :2 --from raw
has '"data_type": "r24"' v3.zarr/r/zarr.json
zinc 0 diff v3.zarr/r v2.zarr/v
for form in v2 v3-2020 v3-2022; do
	zinc 0 cp v3.zarr "to-$form.zarr" --format "$form" --verify
	lacks lost err
	zinc 0 diff v3.zarr "to-$form.zarr"
	zinc 0 cp "to-$form.zarr" "from-$form.zarr" --format v3 --verify
	lacks lost err
	zinc 0 diff v3.zarr "from-$form.zarr"
	zinc 0 validate "to-$form.zarr"
done
has '"dtype": "|V3"' to-v2.zarr/r/.zarray
has '"data_type": "r24"' to-v3-2020.zarr/meta/root/v.array.json
has '"data_type": "r24"' to-v3-2022.zarr/meta/v.array.json
has '"data_type": "r24"' from-v3-2022.zarr/v/zarr.json
zinc 0 cat v3.zarr/v -o v.npy --overwrite
zinc 0 cat v3.zarr/r -o r.npy --overwrite
cmp -s v.npy r.npy || bad "both are |V3 in a .npy file"
# other bytes, another length, another fill value are reported
zinc 0 create v3.zarr/w --shape 4 --chunks 2 --dtype '|V3' --fill '"AQIE"'
has '"name": "raw_bytes"' v3.zarr/w/zarr.json
zinc 0 put v3.zarr/w --from v.npy
zinc 1 diff v3.zarr/r v3.zarr/w
has fill_value
lacks data_type
lacks element
zinc 0 create v3.zarr/l --shape 4 --dtype '|V4'
zinc 1 diff v3.zarr/r v3.zarr/l
has data_type

# ---- fields of a fixed shape have no name in version 3: creating one prints a notice ----
shaped='[["a",">f2"],["b",">f8",[2]]]'
zinc 0 create shaped.zarr/x --shape 3 --dtype "$shaped" --format v2
lacks notice err
zinc 0 cp shaped.zarr shaped-v3.zarr --format v3 --verify
has 'notice: /x: only Zinc reads the type zinc.subarray of the field "b" in v3' err
zinc 0 diff shaped.zarr shaped-v3.zarr
zinc 0 cp shaped-v3.zarr again.zarr --codecs gzip # as before
lacks notice err
for form in v2 v3-2020 v3-2022; do
	zinc 0 cp shaped-v3.zarr shaped-$form.zarr --format $form
	lacks 'only Zinc' err
	grep -r zinc.subarray shaped-$form.zarr && bad "$form: a private name in a document"
	zinc 0 diff shaped.zarr shaped-$form.zarr
done
zinc 0 create shaped-v3.zarr/y --shape 3 --dtype "$shaped"
has 'notice: shaped-v3.zarr/y: only Zinc reads the type zinc.subarray' err

zinc 0 validate a.zarr
zinc 0 validate b.zarr
zinc 0 tree a.zarr
has "m8[10us] (3,)"
finish
