#!/usr/bin/env bash
# zip_programs.sh - archives of zip(1) and Python's zipfile, and what unzip(1) and zipfile say of ours
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
if ! command -v zip >/dev/null || ! command -v unzip >/dev/null || ! python3 -c 'import zipfile' 2>/dev/null; then
	exit 77
fi

zinc 0 create d.zarr --group
zinc 0 create 'd.zarr/a b' --shape 300,200 --dtype uint16 --chunks 30,20 --codecs none
head -c 120000 /dev/urandom >r.bin
zinc 0 put 'd.zarr/a b' --from r.bin
zinc 0 create d.zarr/zeros --shape 1000 --dtype float64 --chunks 100 --codecs none --fill 1
head -c 8000 /dev/zero >z.bin
zinc 0 put d.zarr/zeros --from z.bin

# ---- theirs ----
zip -qr deflated.zip d.zarr
zip -q0r stored.zip d.zarr
zip -qr - d.zarr | cat >streamed.zip # with data descriptors
(cd d.zarr && zip -qr -0 ../root.zip .)
cat r.bin root.zip >before.zip # bytes before the archive
python3 - <<'PY'
import os, warnings, zipfile
warnings.simplefilter("ignore")
def files(top):
    for root, _, names in os.walk(top):
        for name in sorted(names):
            yield os.path.join(root, name)
for name, method in (("py0.zip", zipfile.ZIP_STORED), ("py8.zip", zipfile.ZIP_DEFLATED)):
    with zipfile.ZipFile(name, "w", method) as z:
        for path in files("d.zarr"):
            z.writestr(path, b"an older value that does not count")
            z.write(path)
        z.comment = b"a comment"
with zipfile.ZipFile("wide.zip", "w") as z:
    for path in files("d.zarr"):
        with z.open(path, "w", force_zip64=True) as f:
            f.write(open(path, "rb").read())
with zipfile.ZipFile("lzma.zip", "w", zipfile.ZIP_LZMA) as z:
    z.write("d.zarr/zarr.json")
PY
for archive in deflated.zip stored.zip streamed.zip py0.zip py8.zip wide.zip; do
	zinc 0 diff d.zarr "$archive/d.zarr"
	zinc 0 cat "$archive/d.zarr/a b" -s '17:40, ::7'
	cp out got
	zinc 0 cat 'd.zarr/a b' -s '17:40, ::7'
	cmp got out || bad "a part of $archive"
done
zinc 0 diff d.zarr root.zip
zinc 0 diff d.zarr before.zip
zinc 4 info lzma.zip/d.zarr
says "method 14"
if zip -q -P secret crypt.zip d.zarr/zarr.json; then
	zinc 4 info crypt.zip/d.zarr
	says "encrypted"
fi

# ---- ours, and theirs after a change by us ----
zinc 0 cp d.zarr ours.zip
for archive in deflated.zip streamed.zip py8.zip; do
	zinc 0 create "$archive/d.zarr/new" --shape 4 --dtype int8
	zinc 0 put "$archive/d.zarr/new" --from <(bytes 01 02 03 04)
	zinc 0 put "$archive/d.zarr/a b" -s '0,0' --from <(bytes 01 02)
done
zinc 0 put before.zip/zeros --from z.bin
for archive in ours.zip deflated.zip streamed.zip py8.zip before.zip; do
	# 1: a warning of the bytes before the archive
	run "$([ "$archive" = before.zip ] && echo 1 || echo 0)" unzip -t "$archive"
	has "No errors detected"
	run 0 python3 -c 'import sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
names = z.namelist()
assert len(names) == len(set(names)), "a name twice"' "$archive"
	zinc 0 validate "$archive$([ "$archive" = ours.zip ] || [ "$archive" = before.zip ] || echo /d.zarr)"
done
python3 -c 'import zipfile; assert zipfile.ZipFile("py8.zip").comment == b"a comment"' || bad "the comment"
run 0 unzip -q ours.zip -d unpacked.zarr
diff -r d.zarr unpacked.zarr || bad "unpacked by unzip"

# ---- and theirs again, on top of ours ----
echo '{"a": 1}' >extra.json
zip -q ours.zip extra.json
zinc 0 diff d.zarr ours.zip
python3 -c 'import zipfile
with zipfile.ZipFile("ours.zip", "a") as z: z.writestr("more", b"more")'
zinc 0 put 'ours.zip/a b' -s '1,1' --from <(bytes 01 02)
run 0 unzip -p ours.zip extra.json
prints <<<'{"a": 1}'
run 0 unzip -p ours.zip more
has more

# ---- nodes whose names are no keys are findings ----
for name in 'w\\in/zarr.json' 'w\\in\\zarr.json' '../up/zarr.json' 'g//up/zarr.json'; do
	cp root.zip odd.zip
	python3 - "$name" <<'PY'
import sys, zipfile
with zipfile.ZipFile("odd.zip", "a") as z: z.writestr(sys.argv[1], '{"zarr_format":3,"node_type":"group"}')
PY
	for command in tree ls validate; do
		zinc 1 $command odd.zip
	done
	rm -rf odd.zarr
	zinc 1 cp odd.zip odd.zarr
	zinc 1 diff odd.zip d.zarr
done

# ---- chunks under names that are no keys: never fill values without a word ----
run 0 python3 - <<'PY'
import zipfile
doc = '{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"uint8","chunk_grid":{"name":"regular",' \
      '"configuration":{"chunk_shape":[2]}},"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"bytes"}]}'
names = {"dot": "./x/c/1", "back": "x\\c\\1", "double": "x/c//1", "control": "x/c/1\7", "up": "y/../x/c/1"}
for archive, name in names.items():
    with zipfile.ZipFile(f"name_{archive}.zip", "w") as z:
        for n, b in (("x/zarr.json", doc), ("x/c/0", "ab"), (name, "cd")):
            info = zipfile.ZipInfo("n")
            info.filename = n
            z.writestr(info, b)
with zipfile.ZipFile("name_all.zip", "w") as z:
    z.writestr("./zarr.json", '{"zarr_format":3,"node_type":"group"}')
PY
for archive in dot back double; do
	zinc 1 validate name_$archive.zip/x
	has "error hidden: c/1: the archive has it as"
	zinc 5 cat name_$archive.zip/x
	says "which other programs may take for this key"
	says "pack the archive again"
	zinc 1 cp name_$archive.zip/x name_$archive.zarr
	zinc 0 cat name_$archive.zip/x -s 0:2
done
for archive in control up; do
	cp name_$archive.zip whole.zip # at the root of the store
	zinc 0 validate whole.zip/x
	zinc 0 create whole.zip --group
	zinc 0 validate whole.zip
	has "warning foreign: "
done
has "y/../x/c/1"
zinc 5 info name_all.zip
says './zarr.json'

# ---- what a killed writer leaves beside the archive ----
zinc 0 cp d.zarr left.zip
head -c 100000 /dev/zero >left.zip.__lock
zinc 0 validate left.zip
has "warning leftover: left.zip.__lock: unfinished archive of a writer that is gone"
has "zinc validate --repair removes it"
[ -e left.zip.__lock ] || bad "removed without being asked to"
zinc 0 validate left.zip --repair
[ ! -e left.zip.__lock ] || bad "it is still there"
zinc 0 validate left.zip
lacks "leftover"
head -c 100000 /dev/zero >left.zip.__lock
zinc 0 attrs left.zip a=1 # the next writer takes it over
[ ! -e left.zip.__lock ] || bad "the next writer left it"
zinc 0 validate left.zip

# ---- many keys: zip64 counts ----
head -c 70000 /dev/zero >many.bin
zinc 0 create many.zip/x --shape 70000 --dtype int8 --chunks 1 --codecs none --fill 1
zinc 0 put many.zip/x --from many.bin
run 0 python3 -c 'import zipfile
assert len(zipfile.ZipFile("many.zip").namelist()) == 70002'
zinc 0 stats many.zip/x
has "70000"

finish
