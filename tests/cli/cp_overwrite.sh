#!/usr/bin/env bash
# cp_overwrite.sh - a copy that fails leaves the old target unchanged, in every version of Zarr
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

stays() { # STATUS ARGS...: cp --overwrite is refused, and the target is unchanged
	local status=$1
	shift
	rm -rf was.zarr
	cp -r old.zarr was.zarr
	zinc "$status" cp "$@" --overwrite
	diff -r was.zarr old.zarr || bad "the old target has changed: $*"
}

# A source whose last chunk has a number beyond int8.
head -c 4096 /dev/zero | tr '\0' '\1' >x.raw
zinc 0 create a.zarr/x --shape 32,64 --dtype int16 --chunks 4,64 --codecs zstd+crc32c
zinc 0 put a.zarr/x --from x.raw # 257
zinc 0 cp a.zarr/x n.zarr/x --dtype int32
tr '\1' '\0' <x.raw | head -c 4094 >y.raw
printf '\5\5' >>y.raw
zinc 0 create a.zarr/y --shape 32,64 --dtype int16 --chunks 4,64 --codecs zstd+crc32c
zinc 0 put a.zarr/y --from y.raw

for format in $(some v3 v2 v3-2019 v3-2020 v3-2022); do
	rm -rf old.zarr
	zinc 0 create old.zarr/g/b --shape 4 --dtype int16 --format $format # a document alone: no chunk is stored
	stays 2 a.zarr/y old.zarr/g/b --dtype int8
	says int8
	printf '\1\0\2\0\3\0\4\0' >values
	zinc 0 put old.zarr/g/b --from values
	stays 2 a.zarr/y old.zarr/g/b --dtype int8
	stays 2 a.zarr/y old.zarr/g --dtype int8
	stays 2 a.zarr/y old.zarr --dtype int8
	# a chunk that does not decode, in boxes and in two passes
	cp -r a.zarr d.zarr
	printf damaged >d.zarr/x/c/7/0
	stays 5 d.zarr/x old.zarr/g/b --chunks 8,8
	stays 5 d.zarr old.zarr/g --chunks 32,1 --max-memory 2k
	# an unknown codec
	sed -i 's/"name": "zstd"/"name": "example.unheard-of"/' d.zarr/x/zarr.json
	stays 4 d.zarr/x old.zarr/g/b --chunks 8,8
	stays 4 d.zarr/x old.zarr/g/b --dtype int32
	rm -r d.zarr
	# and a copy that succeeds replaces it
	zinc 0 cp a.zarr/y old.zarr/g/b --chunks 8,8 --overwrite --verify
	zinc 0 cat old.zarr/g/b --as raw
	cmp out y.raw || bad "$format: elements"
	zinc 0 cp a.zarr/x old.zarr/g --overwrite
	zinc 0 cat old.zarr/g --as raw
	cmp out x.raw || bad "$format: elements"
done

# ---- another version in the place of the old one ----
for format in v2 v3-2022; do
	rm -rf old.zarr
	zinc 0 cp n.zarr old.zarr
	stays 2 a.zarr/y old.zarr --dtype int8 --format $format
	zinc 0 cp a.zarr/y old.zarr --format $format --overwrite
	zinc 0 cat old.zarr --as raw
	cmp out y.raw || bad "$format: elements"
done

# ---- a codec of the target that refuses an element ----
astype='[{"name":"numcodecs.astype","configuration":{"decode_dtype":"<i2","encode_dtype":"|i1"}},{"name":"bytes"}]'
rm -rf old.zarr
zinc 0 cp n.zarr old.zarr
stays 2 a.zarr/y old.zarr/x --codecs "$astype"
stays 2 a.zarr/y old.zarr/x --codecs "$astype" --chunks 32,1 --max-memory 16k

# ---- names that exclude each other in the target's version: neither old nor new is changed ----
zinc 0 create c.zarr/a --shape 4 --dtype int8
zinc 0 create c.zarr/A --shape 4 --dtype int8
rm -rf old.zarr
zinc 0 create old.zarr/a --shape 4 --dtype int8 --format v3-2019
stays 2 c.zarr old.zarr
grep -q 'old.zarr: .*differs from the name of a sibling only in case' err || bad "the reason"
zinc 2 cp c.zarr old.zarr --overwrite --dry-run
zinc 2 cp c.zarr new.zarr --format v3-2019
[ ! -e new.zarr ] || bad "something was written"

# ---- the rest of an interrupted copy is also an old target ----
rm -rf old.zarr
mkdir -p old.zarr/c
echo '{"zinc_cp": 2, "source": "d.zarr", "path": "/", "steps": 1, "done": 0}' >old.zarr/__zinc_cp.json
echo x >old.zarr/c/0
stays 2 a.zarr/y old.zarr --dtype int8

# ---- a move reads its data ----
zinc 0 cp a.zarr m.zarr
zinc 0 mv m.zarr/x /y --overwrite
zinc 0 cat m.zarr/y --as raw
cmp out x.raw || bad "moved"

# ---- files that the source links to in the old target would be erased with it ----
for format in v3 v2 v3-2020; do
	rm -rf one.zarr two.zarr
	zinc 0 create one.zarr --group --format $format
	zinc 0 create one.zarr/a --shape 2 --chunks 2 --dtype uint8 --codecs none
	printf 12 >values
	zinc 0 put one.zarr/a --from values
	if [ $format = v3-2020 ]; then
		cp -r one.zarr two.zarr
		rm -r two.zarr/data
		ln -s ../one.zarr/data two.zarr/data
	else
		zinc 0 create two.zarr --group --format $format
		ln -s ../one.zarr/a two.zarr/a
	fi
	find one.zarr | sort >before
	for options in --dry-run --verify "--dtype int16" --force; do
		# shellcheck disable=SC2086
		zinc 2 cp --overwrite $options two.zarr one.zarr
		says "the source would be erased with the target"
	done
	find one.zarr | sort | cmp - before || bad "$format: the source is gone"
	zinc 0 cp two.zarr three.zarr # otherwise it is valid
	zinc 0 cp --overwrite two.zarr three.zarr
	rm -r three.zarr
done

finish
