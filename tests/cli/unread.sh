#!/usr/bin/env bash
# unread.sh - an unreadable entry in the place of a directory of chunks or documents is not an empty directory
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

# original FORMAT: FORMAT.zarr, a group g with an array of 4 x 4 bytes "a" to "p", in four chunks
original() {
	zinc 0 create "$1.zarr" --group --format "$1"
	zinc 0 create "$1.zarr/g" --group --format "$1"
	zinc 0 create "$1.zarr/g/a" --shape 4,4 --dtype uint8 --chunks 2,2 --codecs none --fill 0 --format "$1"
	printf abcdefghijklmnop | "$ZINC" put "$1.zarr/g/a" --from -
}

# spoil FORMAT PLACE KIND: s.zarr, with another entry in that place; the original is ./was
spoil() {
	rm -rf s.zarr t.zarr was
	cp -a "$1.zarr" s.zarr
	mv "s.zarr/$2" was
	case $3 in
	dangling) ln -s nowhere "s.zarr/$2" ;;
	fifo) mkfifo "s.zarr/$2" ;;
	file) : >"s.zarr/$2" ;;
	loop) ln -s "${2##*/}" "s.zarr/$2" ;;
	link) ln -s "$PWD/was" "s.zarr/$2" ;;
	esac
	links=follow
	[ "$3" != link ] || links=refuse
}

# fails ARGS...: with 1, a finding, or 3, if the requested data cannot be read; never with 0
fails() {
	local got=0
	last="$* ($format $place $kind)"
	"$ZINC" "$@" --links $links >out 2>err || got=$?
	[ "$got" = 1 ] || [ "$got" = 3 ] || bad "exit status $got instead of 1 or 3: $last"
	checks=$((checks + 1))
}

# The elements cannot be read, and no command reports them as fill value, as copied or as moved.
no_chunks() {
	for place in "$@"; do
		for kind in dangling fifo loop link; do
			! quick 4 || continue
			spoil "$format" "$place" $kind
			fails cat s.zarr/g/a
			fails validate s.zarr
			grep -q "$place" out err || bad "$last does not name $place"
			case $place in */g/a) # it hides nothing else
				fails tree s.zarr
				has "the nodes below it cannot be shown" err
				has "a  uint8" ;;
			esac
			fails validate s.zarr/g/a
			fails diff s.zarr s.zarr
			fails cp s.zarr t.zarr --verify
			fails cp s.zarr/g/a t.zarr --chunks 4,4
			[ ! -e t.zarr ] || bad "a copy without chunks: $last"
			fails mv s.zarr/g/a /g/b
			[ -z "$(find s.zarr -name 'b*')" ] || bad "moved without its chunks: $last"
		done
	done
}

for format in v3 v2 v3-2019 v3-2020 v3-2022; do
	if [ $format = v2 ]; then
		original v2
		sed -i 's/"\."/"\/"/' v2.zarr/g/a/.zarray
		(cd v2.zarr/g/a && mkdir 0 1 && mv 0.0 0/0 && mv 0.1 0/1 && mv 1.0 1/0 && mv 1.1 1/1)
		[ "$("$ZINC" cat v2.zarr/g/a --as raw)" = abcdefghijklmnop ] || bad "the v2 array is not nested"
	else
		original $format
	fi
	case $format in
	v3) no_chunks g/a/c g/a/c/1 ;;
	v2) no_chunks g/a/1 ;;
	v3-2019) no_chunks data data/g data/g/a ;;
	v3-2020) no_chunks data data/root data/root/g data/root/g/a data/root/g/a/c1 ;;
	v3-2022) no_chunks data data/g data/g/a data/g/a/c1 ;;
	esac
done

# ---- documents: an unreadable directory is not a group without children ----
for format in $(some v3-2019 v3-2020 v3-2022); do
	root=meta/root
	[ $format != v3-2022 ] || root=meta
	for place in meta $root $root/g; do
		for kind in dangling fifo; do
			spoil $format $place $kind
			fails tree s.zarr
			fails ls -r s.zarr
			fails ls s.zarr/g
			fails diff s.zarr s.zarr
			fails validate s.zarr
			fails cp s.zarr t.zarr
			[ ! -e t.zarr ] || bad "a copy without documents: $last"
			fails mv s.zarr/g /h
		done
	done
	suffix=.array.json
	[ $format != v3-2019 ] || suffix=.array
	for inside in "" x; do # a directory in the place of a document, also an empty one
		spoil $format $root/g/a$suffix directory
		mkdir -p s.zarr/$root/g/a$suffix
		[ -z "$inside" ] || : >s.zarr/$root/g/a$suffix/$inside
		fails ls s.zarr/g
		has "a$suffix: cannot be shown" err
		fails ls -r s.zarr/g
		fails cp s.zarr t.zarr
	done
done

# ---- a file in the place of a directory of chunks: by the rules of stores they are missing, so a read returns the
# fill value ----
for at in v3:g/a/c v3:g/a/c/1 v2:g/a/1 v3-2019:data/g/a v3-2020:data v3-2020:data/root v3-2020:data/root/g/a/c1 v3-2022:data/g \
	v3-2022:data/g/a/c0; do
	spoil ${at%%:*} ${at#*:} file
	zinc 1 validate s.zarr
	has "${at#*:}: a file in place of a directory of chunks"
done
spoil v3 g/a/c/1 file
mv s.zarr/g/a/c/1 s.zarr/g/a/c/2 # beyond the grid
zinc 0 validate s.zarr
spoil v3-2020 data/root/g/a/c1 file
mv s.zarr/data/root/g/a/c1 s.zarr/data/root/g/c # belongs to no array
zinc 0 validate s.zarr

# ---- an entry that is not in the place of chunks belongs to no array ----
cp -a v3-2020.zarr n.zarr
zinc 0 create n.zarr/g/a2 --shape 1 --dtype uint8 # nothing stored
for odd in data/root/g/aa data/root/g/a/d data/root/h data/other; do
	mkfifo n.zarr/$odd
done
zinc 0 validate n.zarr
zinc 0 cp n.zarr n2.zarr --verify

# ---- directories without read permission, as a user who is not root ----
if [ "$(id -u)" = 0 ]; then
	other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
else
	other=()
fi
if "${other[@]}" "$ZINC" --version >/dev/null 2>&1; then
	home=$(mktemp -d)
	trap 'chmod -R u+rwX "$home"; rm -rf "$home"' EXIT
	chmod 755 "$home"
	for place in data data/root data/root/g data/root/g/a; do
		rm -rf "$home/s.zarr"
		cp -a v3-2020.zarr "$home/s.zarr"
		[ "$(id -u)" != 0 ] || chown -R 65534 "$home"
		chmod 0 "$home/s.zarr/$place"
		run 1 "${other[@]}" "$ZINC" validate "$home/s.zarr"
		has "$place: a directory that may not be read"
		got=0
		"${other[@]}" "$ZINC" cp "$home/s.zarr" "$home/t.zarr" --verify >out 2>err || got=$?
		[ $got = 1 ] || [ $got = 3 ] || bad "cp with an unreadable $place ends with $got"
		[ ! -e "$home/t.zarr" ] || bad "a copy without $place"
		run 3 "${other[@]}" "$ZINC" mv "$home/s.zarr/g/a" /g/b
		chmod 755 "$home/s.zarr/$place"
	done
fi

# A document that is no file, or is not for us: the node has a problem, and the others are shown.
for format in v2 v3; do
	document=zarr.json
	[ $format = v3 ] || document=.zgroup
	rm -rf s.zarr
	cp -a $format.zarr s.zarr
	zinc 0 create s.zarr/h --group
	rm "s.zarr/g/$document"
	mkfifo "s.zarr/g/$document"
	zinc 3 tree s.zarr
	has "g  (cannot open"
	has "h"
	has "cannot open: not a regular file" err
	[ "$(grep -c . err)" = 1 ] || bad "the same problem twice: $(cat err)"
	zinc 3 tree s.zarr --json
	has '"path":"/h","node_type":"group"'
	has '"path":"/g","node_type":"unknown","problem":"cannot open'
	zinc 3 ls s.zarr --json
	has '"path":"/h"'
done

finish
