#!/usr/bin/env bash
# zip_random.sh - random archives of Python's zipfile: the same bytes, or a refusal; and after a change by us zipfile reads
# all of them
#
# Order, older values of the same name, zip64, data descriptors, bytes before the archive, comments with the mark of an end
# record, names in code page 437 and UTF-8, archives in archives.  ZIP_RANDOM="SEED COUNT" for others.
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
python3 -c 'import zipfile, random; random.randbytes(1)' 2>/dev/null || exit 77
read -r seed count <<<"${ZIP_RANDOM:-1 100}"

mkdir served
python3 "$ZINC_SOURCE_DIR/tests/support/zip_random.py" "$seed" "$count" served >list || bad "no archives"
web=
zinc 0 --version
if grep -q 'curl *yes' out; then
	serve plain
	web=http://127.0.0.1:$port
fi

# same NAME URL MUST: the elements are those of NAME.want, or it is refused if it may be
same() {
	local status=0
	"$ZINC" cat "$2" --as raw >got 2>err || status=$?
	if [ $status = 0 ]; then
		cmp -s got "served/$1.want" || [ "$3" = any ] || bad "seed $seed: other bytes in $2"
	else
		[ "$3" = any ] || bad "seed $seed: $2 is refused"
		[ $status -lt 128 ] || bad "seed $seed: $2 ended by a signal"
	fi
	checks=$((checks + 1))
}

while IFS=$'\t' read -r url must _; do
	name=${url%%.zip*}
	same "$name" "served/$url" "$must"
	if [ -n "$web" ] && [ $((name % 5)) = 0 ]; then
		for mode in plain noranges; do
			same "$name" "$web/$mode/$url" "$must"
		done
	fi
	[ "$must" = read ] || continue
	zinc 0 attrs "served/$url" changed=1 # a new archive of the old entries
	same "$name" "served/$url" read
done <list
run 0 python3 - <<'PY'
import pathlib, warnings, zipfile
warnings.simplefilter("ignore")
for line in open("list"):
    url, must, opens = line.rstrip("\n").split("\t")
    if must == "read" and opens == "zipfile":
        name = pathlib.Path("served", url.split("/")[0])
        bad = zipfile.ZipFile(name).testzip()
        assert bad is None, f"{name}: {bad}"
        assert b'"changed"' in zipfile.ZipFile(name).read((url.partition("/")[2] + "/zarr.json").lstrip("/"))
PY

finish
