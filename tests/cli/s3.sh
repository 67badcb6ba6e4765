#!/usr/bin/env bash
# s3.sh - what a user does with s3: chunks that become fill values, uploads that were never completed
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
zinc 0 stores
grep -q '^s3 ' out && [ -e "$ZINC_BUILD_DIR/zinc-modules/store_s3.so" ] || { echo "built without the s3 store"; exit 77; }
python3 -c 'import http.server, ssl' 2>/dev/null || { echo "no python3"; exit 77; }

serve_script s3_server.py
for name in $(compgen -e AWS_ || true); do unset "$name"; done
unset http_proxy https_proxy HTTPS_PROXY ZINC_PROFILES
export HOME=$PWD AWS_EC2_METADATA_DISABLED=true AWS_ENDPOINT_URL_S3=$server
export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY
log() { python3 -c 'import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read().decode())' "$AWS_ENDPOINT_URL_S3/_log/$1" >log; }

# ---- a chunk or shard of which a partial write leaves only fill values ----
# "nodelete" has conditional puts and no conditional deletes, like MinIO: such a chunk is put, elsewhere it is deleted.
for bucket in plain-fill nodelete-fill; do
	for shards in "" "--shards 4"; do
		t=s3://$bucket/x${shards:+s}.zarr/t
		# shellcheck disable=SC2086 # no word or two
		zinc 0 create "$t" --shape 8 --dtype uint8 --chunks 2 $shards
		bytes 01 02 03 04 05 06 07 08 >raw
		zinc 0 put "$t" --from raw
		bytes 00 >raw
		for i in 0 1 2 3; do
			zinc 0 put "$t" -s "$i" --from raw
		done
		bytes 00 00 00 >raw
		zinc 0 put "$t" -s 4:7 --from raw
		zinc 0 cat "$t"
		prints <<<"[0 0 0 0 0 0 0 8]"
		log $bucket
		if [ $bucket = plain-fill ]; then
			grep -q "^DELETE x${shards:+s}.zarr/t/c/0?" log || bad "$t: a chunk of fill values was not deleted"
		else
			! grep -q "^DELETE x${shards:+s}.zarr/t/c/0?" log || bad "$t: a chunk was deleted without its condition"
		fi
		zinc 0 validate "s3://$bucket/x${shards:+s}.zarr"
	done
done

# ---- uploads that were never completed ----
# To this server a key that ends in "stale" or "/99" is one of an upload of last week.
begin_upload() { python3 -c 'import sys, urllib.request as u; u.urlopen(u.Request(sys.argv[1], b"", method="POST"))' \
	"$AWS_ENDPOINT_URL_S3/public-up/$1?uploads="; }
zinc 0 create s3://public-up/x.zarr/t --shape 8 --dtype uint8 --chunks 2
begin_upload x.zarr/t/c/0
begin_upload x.zarr/t/c/99
begin_upload x.zarr/other-stale
begin_upload elsewhere.zarr/t/c/99
zinc 0 validate s3://public-up/x.zarr
has "warning leftover: t/c/99: a multipart upload that was never completed; zinc validate --repair removes it"
has "warning leftover: other-stale: a multipart upload that was never completed; no writer of this hierarchy makes"
lacks t/c/0
zinc 0 validate s3://public-up/x.zarr --json
is_json
has '"rule":"leftover"'
zinc 0 validate s3://public-up/x.zarr --repair --dry-run
log public-up
! grep -q '^DELETE .*uploadId' log || bad "--dry-run gave an upload up"
zinc 0 validate s3://public-up/x.zarr --repair
has "repaired leftover: t/c/99"
zinc 0 validate s3://public-up/x.zarr
lacks t/c/99
log public-up
[ "$(grep -c '^DELETE .*uploadId' log)" = 1 ] || bad "not one upload was given up"
grep -q '^DELETE x.zarr/t/c/99?uploadId' log || bad "another upload was given up"
zinc 0 validate 's3://public-up/x.zarr?stale_after=0'
has "warning leftover: t/c/0"

# ---- "b//h" is another object than "b/h" ----
for url in s3://plain-fill//x.zarr s3://plain-fill/x.zarr//t s3://plain-fill/x.zarr/t//; do
	zinc 2 info "$url"
	says '"//" in the path: a name cannot be empty'
	zinc 2 info "$url|"
	says "$url"
done
zinc 0 info s3://plain-fill/x.zarr/t/

# ---- the same URL on another server is another place ----
mkdir second
cd second
serve_script s3_server.py
cd ..
here="?endpoint=$AWS_ENDPOINT_URL_S3" there="?endpoint=$server" x=s3://plain-two/x.zarr
zinc 0 create "$x/t$here" --shape 4 --dtype uint8 --chunks 2
bytes 01 02 03 04 >raw
zinc 0 put "$x/t$here" --from raw
zinc 0 cp "$x$here" "$x$there"
zinc 0 diff "$x$here" "$x$there"
zinc 0 cat "$x/t$there"
prints <<<"[1 2 3 4]"
zinc 2 cp "$x$here" "$x/in$here&retries=1"
says "a node cannot be copied into itself"
zinc 2 cp "$x$here" "$x$there" --overwrite
says "the URLs differ only in settings, so the target may be the source; if it is not, erase it first by zinc rm"
for new in "$x/u$there" "$x/u"; do
	zinc 2 mv "$x/t$here" "$new"
	says "another store"
done
zinc 0 cat "$x/t$there"
zinc 0 mv "$x/t$here" "$x/u$here"
zinc 0 cat "$x/u$here"
prints <<<"[1 2 3 4]"

# ---- a copy that began on one server is not continued from another ----
x=s3://public-two/x.zarr
zinc 0 create "$x/t$here" --shape 4 --dtype uint8 --chunks 2
zinc 0 put "$x/t$here" --from raw
zinc 0 cp "$x$here" "$x$there"
python3 - "$AWS_ENDPOINT_URL_S3/public-two/x.zarr/t/c/1" <<-'END'
	import sys, urllib.request as u
	data = bytearray(u.urlopen(sys.argv[1]).read())
	data[-1] ^= 1
	u.urlopen(u.Request(sys.argv[1], bytes(data), method="PUT"))
END
zinc 5 cp "$x$here" out.zarr --dtype int32
zinc 3 cp "$x$there" out.zarr --dtype int32 --resume
says "a source that has changed"
finish
