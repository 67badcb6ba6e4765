#!/usr/bin/env bash
# zip_errors.sh - archives that are none: each error names the URL, the cause and what helps
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

# refused ARCHIVE STATUS TEXT: by every command, and nothing is changed
refused() {
	local archive=$1 status=$2 text=$3 command before
	before=$(cksum <"$archive")
	for command in info tree ls; do
		zinc "$status" $command "$archive"
		says "$archive: "
		says "$text"
	done
	zinc "$status" cat "$archive/x"
	says "$text"
	zinc "$status" create "$archive/new" --shape 4 --dtype uint8
	says "$text"
	zinc "$status" put "$archive/x" --from raw
	says "$text"
	"$ZINC" validate "$archive" >out 2>err && bad "validate accepts $archive"
	contains out "$text" || contains err "$text" || bad "validate does not say '$text'"
	[ "$before" = "$(cksum <"$archive")" ] || bad "$archive has changed"
}

bytes 01 02 03 04 >raw
zinc 0 create a.zip --group
zinc 0 create a.zip/x --shape 4 --dtype uint8 --chunks 2
zinc 0 put a.zip/x --from raw

: >empty.zip
refused empty.zip 5 '"empty.zip" is empty, not an archive: remove it first'
head -c 100 a.zip >cut.zip
refused cut.zip 5 'the archive "cut.zip" was cut off at 100 bytes'
{ cat a.zip && head -c 200000 /dev/zero; } >long.zip # the beginning is not in the tail
refused long.zip 5 'or bytes were added to its end: copy it again'
echo '<!DOCTYPE html><title>not found</title>' >html.zip
refused html.zip 5 '"html.zip" is a page of HTML or XML, not an archive: check the address'
{ bytes 1f 8b 08 00 && head -c 200000 /dev/zero; } >gz.zip
refused gz.zip 5 '"gz.zip" is not a zip archive, it begins with the bytes 1f 8b 08 00'
printf 'x' >short.zip
refused short.zip 5 'it begins with the bytes 78 00 00 00'

# encrypted, and several disks: flags of each record and header, and numbers of the end record
python3 - <<'PY' || { echo "skipped: no python3" && exit 77; }
import struct
plain = open("a.zip", "rb").read()
b = bytearray(plain)
for mark, at in ((b"PK\1\2", 8), (b"PK\3\4", 6)):
    i = b.find(mark)
    while i >= 0:
        b[i + at] |= 1
        i = b.find(mark, i + 4)
open("crypt.zip", "wb").write(b)
b = bytearray(plain)
struct.pack_into("<HHHH", b, b.rfind(b"PK\5\6") + 4, 1, 1, 1, 2)
open("disks.zip", "wb").write(b)
PY
refused crypt.zip 4 'the entry is encrypted: unpack the archive with its password, and pack it without'
refused disks.zip 4 'the archive has several disks: join them (zip -s 0'

# ---- URLs ----
for command in info tree validate; do
	zinc 2 $command zip://a.zip
	says "zip://path::URL"
done
zinc 0 info 'a.zip|x'
zinc 0 info 'a.zip/x|cache:'
zinc 0 info 'a.zip|cache:x'

# ---- a directory of that name ----
zinc 0 create dir.zip --group
[ -f dir.zip ] || bad "a new x.zip is an archive"
mkdir plain.zip
zinc 0 create plain.zip/x --shape 4 --dtype uint8
[ -f plain.zip/x/zarr.json ] || bad "a directory stays a directory"
zinc 0 info plain.zip/x

finish
