#!/usr/bin/env bash
# validate.sh - damage, orphans, leftovers, consolidated metadata; repair
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

# ---- a valid hierarchy ----
zinc 0 create a.zarr/g/x --shape 10,10 --dtype int16 --chunks 4,4 --codecs zstd+crc32c
head -c 200 /dev/urandom >noise
zinc 0 put a.zarr/g/x --from noise
zinc 0 create a.zarr/g/y --shape 6 --dtype uint8 --chunks 1 --shards 3
printf '\1\2\3\4\5\6' >six # none is fill value
zinc 0 put a.zarr/g/y --from six
zinc 0 validate a.zarr
has "2 groups, 2 arrays, 11 objects of"
has ": 0 errors, 0 warnings"
[ ! -s err ] || bad "validate talks"
zinc 0 validate --json a.zarr
is_json
prints <<<'{"url":"a.zarr","errors":0,"warnings":0,"findings":[]}'
zinc 0 validate a.zarr/g/x
has "0 groups, 1 array, 9 objects"
zinc 0 validate --fast a.zarr
has "not decoded"
zinc 0 validate --strict --progress=always a.zarr
grep -q "checking" err || true # may be too fast to be shown
for threads in 1 2 8; do zinc 0 validate -j $threads a.zarr; done

# missing objects are fill value: reported, not a finding
rm a.zarr/g/x/c/1/1
zinc 0 validate a.zarr
has "1 not stored (fill value): 0 errors, 0 warnings"

# missing shards, and missing chunks of a stored shard, are counted separately
zinc 0 create sparse.zarr --shape 12 --dtype uint8 --chunks 1 --shards 4
printf '\1\2' >two
zinc 0 put sparse.zarr -s 1:3 --from two
zinc 0 validate sparse.zarr
has "1 object of"
has "2 not stored (fill value), 2 inner chunks of shards empty: 0 errors, 0 warnings"

# two versions in one place: a warning each, and nothing is erased, not even on request
zinc 0 create both.zarr/x --shape 4 --dtype int8
zinc 0 create other.zarr/x --shape 4 --dtype int8 --format v2
cp other.zarr/.zgroup both.zarr
cp other.zarr/x/.zarray both.zarr/x
zinc 0 validate both.zarr --repair --orphans
has "warning M1: .zgroup: a document of another version of Zarr"
has "warning M1: x/.zarray: a document of another version of Zarr"
[ -e both.zarr/.zgroup ] && [ -e both.zarr/x/.zarray ] || bad "a document of another version was erased"
zinc 0 validate both.zarr --format v2
has "warning V2-1: zarr.json: a document of another version of Zarr"
has "warning V2-1: x/zarr.json: a document of another version of Zarr"

# an unreadable document of another version is reported, and possible chunks of it stay
zinc 0 create unread.zarr/x --shape 4 --chunks 2 --dtype int8
mkdir -p unread.zarr/x/c
printf ab >unread.zarr/x/c/9
ln -s .zarray unread.zarr/x/.zarray
zinc 1 validate unread.zarr --repair --orphans
has "error M1: x/.zarray: cannot open"
has "warning M41: x/c/9: a chunk outside the shape of the array"
lacks "of another version"
[ -e unread.zarr/x/c/9 ] || bad "a chunk that may be another array's was erased"

# ---- damage: every object is checked, with the same findings for any number of threads ----
cp -r a.zarr b.zarr
for chunk in 0/0 0/2 2/1; do printf x >>b.zarr/g/x/c/$chunk; done
truncate -s 5 b.zarr/g/y/c/1
zinc 1 validate b.zarr
has "4 errors"
has "error M84: g/x/c/0/2: chunk 0,2: crc32c:"
has "error M91: g/y/c/1:"
cp out first
for threads in 1 2 8; do
	zinc 1 validate -j $threads b.zarr
	prints <first
done
zinc 0 validate --fast b.zarr
zinc 1 validate b.zarr/g/y
has "1 error"
zinc 1 validate --json b.zarr/g/y
is_json
has '{"url":"b.zarr/g/y","errors":1,"warnings":0,"findings":[{"severity":"error","rule":"M91","path":"/g/y","key":"g/y/c/1","pointer":"","message":"'

# one damaged document hides nothing else
echo '{' >b.zarr/g/y/zarr.json
zinc 1 validate b.zarr
has "error M2: g/y/zarr.json"
has "error M84: g/x/c/0/2"

# ---- orphans: found, and erased only on request ----
cp -r a.zarr c.zarr
echo >c.zarr/README.txt
echo >c.zarr/g/x/c/9
echo >c.zarr/g/x/note
mkdir -p c.zarr/g/z/c c.zarr/g/__extension
echo >c.zarr/g/z/c/0
echo >c.zarr/g/__extension/own # names of extensions are theirs
cp c.zarr/g/x/c/0/0 c.zarr/g/x/c/0/7
echo >c.zarr/g/.zgroup
zinc 1 validate c.zarr
for finding in "M1: README.txt" "M43: g/x/c/9" "M43: g/x/note" "M41: g/x/c/0/7" "M1: g/.zgroup"; do has "warning $finding"; done
has "error M26: g/z/c/0" # an array that has lost its document: no advice to erase it
has "5 warnings"
[ "$(grep -c "orphans erases it" out)" = 1 ] || bad "advice to erase what is no orphan"
zinc 1 validate --repair c.zarr
has "5 warnings"
[ -e c.zarr/g/x/c/0/7 ] || bad "--repair alone erases no orphan"
zinc 1 validate --repair --orphans --dry-run c.zarr
[ -e c.zarr/g/x/c/0/7 ] || bad "--dry-run erases nothing"
find c.zarr -type f ! -path c.zarr/g/x/c/0/7 | sort >before
zinc 1 validate --repair --orphans c.zarr
has "1 repaired"
find c.zarr -type f | sort | cmp - before || bad "--orphans erased something else, or nothing"
rm -r c.zarr/g/.zgroup c.zarr/g/z c.zarr/g/x/note c.zarr/g/x/c/9 c.zarr/README.txt
zinc 0 validate c.zarr
has "0 warnings"

# ---- leftovers of a killed writer ----
cp -r a.zarr l.zarr
echo half >l.zarr/g/x/c/0/0.__lock
mkdir -p l.zarr/g/x/c/7/7
zinc 0 validate l.zarr
has "warning leftover: g/x/c/0/0.__lock"
has "warning leftover: g/x/c/7"
zinc 0 validate --repair --dry-run l.zarr
[ -e l.zarr/g/x/c/0/0.__lock ] || bad "--dry-run removes nothing"
zinc 0 validate --repair l.zarr
has "repaired leftover"
[ ! -e l.zarr/g/x/c/0/0.__lock ] && [ ! -e l.zarr/g/x/c/7 ] || bad "leftovers are removed"
zinc 0 validate l.zarr
has "0 warnings"
# A foreign file with a lock's name, in the hierarchy and in an array's directory, is reported and stays.
echo precious | tee l.zarr/diary.__lock >l.zarr/g/x/c/notes.__lock
zinc 0 validate --repair l.zarr
has "warning leftover: diary.__lock: has the name of a lock file"
has "warning leftover: g/x/c/notes.__lock: has the name of a lock file"
has "2 warnings"
[ -s l.zarr/diary.__lock ] && [ -s l.zarr/g/x/c/notes.__lock ] || bad "--repair removed a stranger's file"

# ---- a copy that was not finished: one finding in every format; it can be resumed or discarded ----
for format in $(some v3 v2 v3-2022 v3-2020 v3-2019); do
	rm -rf i.zarr half.zarr damaged.zarr
	zinc 0 create i.zarr/x --shape 9 --dtype int16 --chunks 3 --codecs none --format $format
	seq 0 8 | awk '{ printf "%c%c", $1, $1 / 8 }' | "$ZINC" put i.zarr/x --from -
	cp -r i.zarr damaged.zarr
	echo >>"$(find damaged.zarr -type f | grep -v -e meta/ -e 'z[a-z]*$' -e json | sort | tail -n 1)"
	zinc 5 cp damaged.zarr/x i.zarr/y --dtype int32
	journal=$(cd i.zarr && find . -name __zinc_cp.json | cut -c 3-)
	mkdir "i.zarr/${journal%.json}_pass"
	echo >"i.zarr/${journal%.json}_pass/zarr.json"
	echo >"i.zarr/${journal%__*}0" # what it has put
	zinc 0 validate i.zarr
	has "warning leftover: $journal: an unfinished copy to this place"
	has "zinc cp --resume continues it"
	[ "$(grep -c leftover out)" = 1 ] && [ "$(grep -c _pass out)" = 0 ] || bad "$format: one finding"
	zinc 0 validate --repair i.zarr
	[ -e "i.zarr/$journal" ] || bad "$format: a repair alone gave a copy up"
	zinc 5 cp damaged.zarr/x i.zarr/y --dtype int32 --resume
	zinc 0 validate --repair --orphans i.zarr
	has "repaired leftover: $journal"
	[ ! -e "i.zarr/${journal%__*}" ] || bad "$format: it was not given up"
	zinc 0 validate i.zarr
	has "0 warnings"
	zinc 0 cp i.zarr/x i.zarr/y --dtype int32
done
zinc 5 cp damaged.zarr/x half.zarr --dtype int32
zinc 3 validate half.zarr
says "an unfinished copy: zinc cp --resume continues it"

# ---- the tree ----
mkdir -p t.zarr/a/b t.zarr/x
cp a.zarr/zarr.json t.zarr/a/b/ # no document at t.zarr and t.zarr/a
zinc 0 validate t.zarr
has "warning M25: /: a group without a document"
has "warning M25: /a: a group without a document"
zinc 1 validate --strict t.zarr
cp -r a.zarr n.zarr
cp n.zarr/zarr.json n.zarr/g/x/c/
zinc 1 validate n.zarr
has "error M28: g/x/c/zarr.json"

# ---- consolidated metadata ----
consolidated() { # the document of a group with copies of these: "NAME": DOCUMENT, ...
	printf '{"zarr_format": 3, "node_type": "group", "consolidated_metadata": {"must_understand": false, "kind": "inline", "metadata": {%s}}}' "$1"
}
mkdir k.zarr
cp -r a.zarr/g/y k.zarr/
y=$(tr -d '\n' <k.zarr/y/zarr.json)
consolidated "\"y\": $y" >k.zarr/zarr.json
zinc 0 validate k.zarr
has "0 errors, 0 warnings"
consolidated "\"y\": $(sed "s/\"shape\": .6./\"shape\": [5]/" <<<"$y")" >k.zarr/zarr.json
zinc 1 validate k.zarr
has 'error consolidated: / /consolidated_metadata: the consolidated metadata is stale: its copy of "y" differs'
consolidated "" >k.zarr/zarr.json
zinc 1 validate k.zarr
has "nodes are missing from it"
# two spellings of one node are not two nodes; readers remove one slash
cp -r k.zarr s.zarr
cp -r s.zarr/y s.zarr/z
consolidated "\"y\": $y, \"/y\": $y" >s.zarr/zarr.json
zinc 1 validate s.zarr
has "nodes are missing from it"
consolidated "\"/y\": $y, \"z\": $y" >s.zarr/zarr.json
zinc 0 validate s.zarr
consolidated "\"//y\": $y, \"z\": $y" >s.zarr/zarr.json
zinc 1 validate s.zarr
has 'a copy of "/y", which is not a valid node name'
consolidated "\"y\": $y, \"z\": $y" >k.zarr/zarr.json
zinc 1 validate k.zarr
has 'a copy of "z", which does not exist'
zinc 1 validate --repair --dry-run k.zarr
zinc 0 validate --repair k.zarr
has "repaired consolidated"
zinc 0 validate --strict k.zarr
has "0 errors, 0 warnings"
has "1 group, 1 array"
grep -q consolidated_metadata k.zarr/zarr.json || bad "refreshed, not dropped"

# ---- missing ----
zinc 3 validate nothing.zarr
says "nothing.zarr"
mkdir empty
zinc 3 validate empty
echo >empty/file
zinc 3 validate empty # never 0 for something unknown
zinc 3 validate a.zarr/nothing
finish
