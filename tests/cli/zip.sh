#!/usr/bin/env bash
# zip.sh - arrays in zip archives: create, put, cp, resize, attributes, hierarchies, errors
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

now() { # now URL JSON: the contents of the array
	zinc 0 cat "$1" --as json
	prints <<<"$2"
}
same() { # same A B
	zinc 0 diff "$1" "$2"
}

# ---- a new archive, by its ending and by the adapter ----
bytes 01 00 02 00 03 00 04 00 05 00 06 00 >raw
zinc 0 create a.zip/t --shape 2,3 --dtype int16 --chunks 2,2
zinc 0 put a.zip/t --from raw
zinc 0 tree a.zip # the archive is the hierarchy
has "t  int16 (2, 3)"
now a.zip/t '[[1,2,3],[4,5,6]]'
now 'a.zip|zip:t' '[[1,2,3],[4,5,6]]'
now 'zip://t::a.zip' '[[1,2,3],[4,5,6]]'
now "zip://t::file://$PWD/a.zip" '[[1,2,3],[4,5,6]]'
[ -f a.zip ] && [ ! -e a.zip.__lock ] || bad "something else than one file: $(ls)"
bytes 09 00 >one
zinc 0 put a.zip/t -s '1,1' --from one # part of a chunk
now a.zip/t '[[1,2,3],[4,9,6]]'
bytes 00 00 00 00 00 00 00 00 00 00 00 00 >zeros
zinc 0 put a.zip/t --from zeros # a chunk of fill value cannot be erased, so it is stored
now a.zip/t '[[0,0,0],[0,0,0]]'
zinc 0 validate a.zip/t
zinc 0 attrs a.zip/t a=1
zinc 0 attrs a.zip/t
has '"a"'
zinc 0 resize a.zip/t 4,3
zinc 0 put a.zip/t -s '2:4, :' --from raw
now a.zip/t '[[0,0,0],[0,0,0],[1,2,3],[4,5,6]]'

# ---- hierarchies, shards, versions ----
zinc 0 create d.zarr --group
zinc 0 create d.zarr/g/s --shape 64,64 --dtype uint8 --chunks 8,8 --shards 32,32 --codecs gzip:1
zinc 0 create d.zarr/raw --shape 64,64 --dtype uint8 --chunks 16,16 --codecs none
head -c 4096 /dev/urandom >s.bin
zinc 0 put d.zarr/g/s --from s.bin
zinc 0 put d.zarr/raw --from s.bin
zinc 0 cp d.zarr h.zip
same d.zarr h.zip
zinc 0 validate h.zip
zinc 0 tree h.zip
has "64, 64"
zinc 0 ls h.zip/g
zinc 0 cp h.zip back.zarr
diff -r d.zarr back.zarr || bad "there and back"
zinc 0 put h.zip/g/s -s '3,5' --from <(bytes 07)
zinc 0 put d.zarr/g/s -s '3,5' --from <(bytes 07)
same d.zarr h.zip
zinc 0 cp d.zarr two.zip/in/side --format v2
zinc 0 cp d.zarr two.zip/again
same d.zarr two.zip/in/side
same d.zarr two.zip/again
zinc 0 cp two.zip/again 'nested.zip|zip:inner.zip|zip:x' # an archive in an archive
same d.zarr 'nested.zip|zip:inner.zip|zip:x'
same d.zarr 'zip://x::zip://inner.zip::nested.zip'

# ---- the same values give the same archive ----
zinc 0 cp d.zarr h1.zip -j 1
zinc 0 cp d.zarr h2.zip -j 1
cmp h1.zip h2.zip || bad "two archives of the same values"

# ---- a new file has the permissions of the old one, and takes the place of no link ----
for mode in 600 640 664; do
	chmod $mode h2.zip
	zinc 0 attrs h2.zip/raw mode=$mode
	[ "$(stat -c %a h2.zip)" = $mode ] || bad "mode $mode became $(stat -c %a h2.zip)"
done
ln -s h2.zip link.zip
zinc 0 attrs link.zip/raw
has 664
zinc 3 attrs link.zip/raw mode=0
says "name the file that it leads to"
[ -L link.zip ] && [ ! -e link.zip.__lock ] || bad "a link was replaced: $(ls)"
chmod 400 h2.zip
if [ "$(id -u)" != 0 ]; then
	zinc 3 attrs h2.zip/raw mode=0
	says "cannot be written"
fi

# ---- an archive without a node at its top is no file in the way ----
zinc 0 create deep.zip/t --shape 2 --dtype int8 --no-climb
zinc 3 tree deep.zip
says "there is no Zarr node at this path"

# ---- consolidated metadata of v2 is a key that cannot be erased: it is written again instead ----
zinc 0 create v2.zarr --group --format v2
zinc 0 create v2.zarr/a --shape 4 --dtype int8 --format v2
zinc 0 consolidate v2.zarr
zinc 0 cp v2.zarr v2.zip
zinc 0 diff v2.zarr v2.zip
zinc 0 create v2.zip/later --shape 4 --dtype int8
python3 -c '
import json, zipfile
keys = json.loads(zipfile.ZipFile("v2.zip").read(".zmetadata"))["metadata"]
assert "later/.zarray" in keys and "a/.zarray" in keys, keys' || bad "consolidated metadata of an archive is stale"

# ---- what cannot be done ----
zinc 3 rm --yes h.zip/raw
says "cannot be erased"
cp h.zip before.zip
zinc 4 resize h.zip/raw 32,64 # a larger shape would show the old chunks again
says "this store cannot erase the chunks that would be outside the smaller shape"
cmp h.zip before.zip || bad "an array that was not resized has changed the archive"
zinc 3 mv h.zip/raw /other
says "cannot be erased"
zinc 3 create h.zip/raw --shape 4 --dtype int8 --overwrite
says "cannot be erased"
zinc 3 cp d.zarr/raw h.zip/raw --overwrite
cmp h.zip before.zip || bad "a copy that failed has changed the archive"
head -c 200 h.zip >cut.zip
zinc 5 info cut.zip
says "no end record"
zinc 5 create cut.zip/x --shape 1 --dtype int8
[ "$(wc -c <cut.zip)" = 200 ] || bad "something that is no archive was written"
mkdir directory.zip
zinc 0 create directory.zip/x --shape 1 --dtype int8
[ -f directory.zip/x/zarr.json ] || bad "a directory that ends in .zip is a directory"
zinc 3 info none.zip
[ ! -e none.zip ] || bad "reading made an archive"

finish
