#!/usr/bin/env bash
# hidden.sh - nodes that no listing reaches: below arrays, of another version below a plain directory, and those that
# consolidated metadata lacks or that only it has.  A node that get can read is shown, or is a finding with its name.
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

formats="v3 v2 v3-2019 v3-2020 v3-2022"
printf abcd >abcd
printf xy >xy

# The directory of an array's objects.
data_of() {
	local d
	for d in "$1/data/root/$2" "$1/data/$2" "$1/$2"; do
		[ -d "$d" ] && echo "$d" && return
	done
}

# A version that is not this one.
other() {
	[ "$1" = v3 ] && echo v2 || echo v3
}

state() {
	find "$1" -type f -exec cksum {} + | sort -k3
}

# plant FORMAT PLACE: a node where none is shown; its name is stored in $name
plant() {
	local format=$1 s=$1.zarr dir file
	rm -rf twin one
	case $2 in
	below) # of the same version, below an array
		name=g/a/n
		zinc 0 create twin --group --format "$format"
		zinc 0 create twin/g/a/n --shape 2 --dtype int8
		zinc 0 put twin/g/a/n --from xy
		while read -r file; do
			mkdir -p "$s/$(dirname "$file")"
			cp "twin/$file" "$s/$file"
		done < <(cd twin && find . -type f -path '*/a/n*')
		return
		;;
	foreign) name=g/a/n dir=$(data_of "$s" g/a)/n ;; # of another, below an array
	deep) name=x/y/z dir=$s/x/y/z ;;                 # and below a plain directory
	inner) # in a group; in the tree of documents
		case $format in
		v2 | v3) name=g/x/y dir=$s/g/x/y ;;
		v3-2022) name=meta/p/q dir=$s/meta/p/q ;;
		*) name=meta/root/p/q dir=$s/meta/root/p/q ;;
		esac
		;;
	esac
	zinc 0 create one --group --format "$(other "$format")"
	zinc 0 create one/k --shape 2 --dtype int8
	zinc 0 put one/k --from xy
	mkdir -p "$(dirname "$dir")"
	cp -r one "$dir"
}

# ---- versions and places ----
for format in $(some $formats); do
	s=$format.zarr
	for place in none below foreign deep inner; do
		rm -rf "$s"
		zinc 0 create "$s" --group --format "$format"
		zinc 0 create "$s/g/a" --shape 4 --chunks 2 --dtype int8
		zinc 0 put "$s/g/a" --from abcd
		mkdir -p "$s/stray/er" "$(data_of "$s" g/a)/notes"
		echo hello | tee "$s/README" "$s/stray/er/README" >"$(data_of "$s" g/a)/notes/README"
		status=1
		[ $place != none ] && plant "$format" $place || { status=0 name=g/a; }
		state "$s" >before

		for command in tree "tree --json" "ls -r" "ls -r --json" validate; do
			# shellcheck disable=SC2086
			zinc $status $command "$s"
			case $command in *--json) is_json ;; esac
			[ $status = 0 ] || [ "$command" = validate ] || has "$name: cannot be shown" err
		done
		[ $status = 0 ] || has "error " # of validate
		zinc $status diff "$s" "$s"

		for to in "$format" "$(other "$format")"; do
			rm -rf copy.zarr
			zinc $status cp --verify "$s" copy.zarr --format "$to"
			[ $status = 0 ] || has "hidden: /$name: cannot be shown" err
			[ $status = 0 ] || [ ! -e copy.zarr ] || bad "something was copied: $place"
			rm -rf copy.zarr
			zinc $status cp --lossy "$s" copy.zarr --format "$to"
			zinc 0 cat --as raw copy.zarr/g/a
			cmp -s out abcd || bad "the rest was not copied: $place"
		done
		case $place in
		below | foreign)
			# foreign keys are another reason not to erase; forcing that must not lose hidden nodes
			zinc 1 mv "$s/g" h
			zinc 1 mv --force "$s/g" h
			has "hidden: /$name: cannot be shown" err
			zinc 1 ls "$s/g/a"
			zinc 1 tree "$s/g/a"
			;;
		esac
		state "$s" | cmp -s - before || bad "the source has changed: $format $place"
	done

	# within one version a copy with --lossy has every key
	plant "$format" below
	rm -rf copy.zarr
	zinc 1 cp --lossy "$s" copy.zarr
	(cd "$(data_of "$s" g/a)" && find n -type f) | sort >want
	(cd "$(data_of copy.zarr g/a)" && find n -type f) | sort | cmp - want || bad "keys are missing: $format"
	zinc 0 cat --as raw copy.zarr/g/a/n
	cmp -s out xy || bad "the hidden node was not copied as it is: $format"
done

# ---- how far a listing reads: one level of the array's directory, if it is short ----
rm -rf one
zinc 0 create one --shape 2 --dtype int8 --format v2
for shape in 4096 4097; do
	zinc 0 create "f$shape.zarr" --group --format v2
	zinc 0 create "f$shape.zarr/a" --shape $shape --chunks 1 --dtype int8
	cp -r one "f$shape.zarr/a/n"
	zinc $((shape == 4096)) tree "f$shape.zarr"
	zinc 1 diff "f$shape.zarr" "f$shape.zarr"
	zinc 1 validate "f$shape.zarr"
	zinc 1 cp "f$shape.zarr" copy-f.zarr --format v3
	[ ! -e copy-f.zarr ] || bad "something was copied"
done

# with "c/" that level is one entry; below it are chunks, which only commands that read every key list
zinc 0 create n.zarr --shape 9000,2 --chunks 1,1 --dtype int8
mkdir -p n.zarr/c/0 n.zarr/0
cp -r one n.zarr/c/0/n
zinc 0 tree n.zarr
zinc 1 validate n.zarr
zinc 1 cp n.zarr copy-n.zarr
cp -r one n.zarr/0/0
zinc 1 tree n.zarr
has 0/0
lacks c/0

# ---- consolidated metadata: listings rely on it, copies and comparisons do not ----
for format in v3 v2; do
	s=c-$format.zarr
	zinc 0 create "$s" --group --format "$format"
	zinc 0 create "$s/a" --shape 4 --dtype int8
	zinc 0 put "$s/a" --from abcd
	zinc 0 create "$s/b" --shape 4 --dtype int8
	zinc 0 put "$s/b" --from abcd
	zinc 0 consolidate "$s"
	cp -r "$s/b" "$s/new"
	zinc 0 tree "$s"
	lacks new
	for to in v3 v2; do
		rm -rf copy.zarr
		zinc 0 cp "$s" copy.zarr --format $to
		zinc 0 cat --as raw copy.zarr/new
		cmp -s out abcd || bad "a node that consolidated metadata lacks was not copied"
	done
	rm -r "$s/new"
	mkdir "$s/x"
	rm -rf one
	zinc 0 create one --shape 4 --dtype int8 --format "$(other $format)"
	cp -r one "$s/x/y"
	zinc 1 cp "$s" copy2.zarr
	has "hidden: /x/y" err
	zinc 1 diff "$s" "$s"
	has /x/y
	rm -r "$s/x"
	zinc 0 diff "$s" "$s"
	rm "$s/b"/*.json "$s/b/.zarray" 2>/dev/null || true
	zinc 1 cp "$s" copy2.zarr
	has "hidden: /b: cannot be read: it exists only in consolidated metadata, without a document" err
	zinc 1 diff "$s" "$s"
	[ ! -e copy2.zarr ] || bad "something was copied"
done

# ---- something hidden is status 1, unless there is a worse status ----
zinc 0 create w.zarr --group
zinc 0 create w.zarr/g/a --shape 4 --dtype int8
zinc 0 put w.zarr/g/a --from abcd
mkdir w.zarr/g/a/n
cp w.zarr/g/a/zarr.json w.zarr/g/a/n/
zinc 1 cp w.zarr w2.zarr
zinc 1 cp --lossy w.zarr w2.zarr
zinc 3 cp --lossy w.zarr w2.zarr
zinc 1 mv w.zarr/g h
mkdir w.zarr/g/b
echo '{' >w.zarr/g/b/zarr.json
zinc 5 cp --lossy w.zarr w3.zarr
zinc 5 cp w.zarr w3.zarr
zinc 5 mv w.zarr/g h
zinc 5 mv --force w.zarr/g h
[ ! -e w3.zarr ] && [ ! -e w.zarr/h ] || bad "something was copied"
rm -r w.zarr/g/b
printf 'no chunk' >w.zarr/g/a/c/0
zinc 5 cp --lossy --codecs gzip:1 w.zarr w3.zarr

# ---- beside the trees of a draft: unreadable entries are reported ----
zinc 0 create m.zarr --group --format v3-2020
zinc 0 create empty.zarr --group
mkdir m.zarr/x
ln -s nowhere m.zarr/x/zarr.json
for command in "tree m.zarr" "ls m.zarr" "cp m.zarr m2.zarr"; do
	# shellcheck disable=SC2086 # words of a command
	zinc 1 $command
	has "leads nowhere" err
done
zinc 1 diff m.zarr empty.zarr
has "leads nowhere"
[ ! -e m2.zarr ] || bad "something was copied"

# ---- an array's document beside that of a group does not open the group (22-89) ----
zinc 0 create k.zarr --group --format v3-2022
zinc 0 create k.zarr/g --group
zinc 0 create k.zarr/g/a --group
echo '{"attributes":{},"foo":1}' >k.zarr/meta/g.group.json
echo '{' >k.zarr/meta/g.array.json
zinc 4 rm -y k.zarr/g/a
has 22-89 err
[ -e k.zarr/meta/g/a.group.json ] || bad "it was erased"

# ---- in drafts an array hides the document of a group at the same path, and the group's attributes ----
zinc 0 create two.zarr/foo --group --format v3-2020
sed 's/"attributes": *{}/"attributes": {"k": 1}/' two.zarr/meta/root/foo.group.json >group
has '"k": 1' group
zinc 0 rm -y two.zarr/foo
zinc 0 create two.zarr/foo --shape 4 --dtype int8 --format v3-2020
cp group two.zarr/meta/root/foo.group.json
for command in "cp two.zarr two2.zarr" "cp two.zarr/foo two2.zarr --format v3" "mv two.zarr/foo bar"; do
	# shellcheck disable=SC2086 # words of a command
	zinc 1 $command
	has " meta/root/foo.array.json: a group is at the same path" err
done
[ ! -e two2.zarr ] || bad "something was copied"
cmp group two.zarr/meta/root/foo.group.json || bad "the group's document is gone"
[ -e two.zarr/meta/root/foo.array.json ] || bad "the array's document is gone"
zinc 1 cp two.zarr two2.zarr --lossy
has "a group is at the same path" err
[ -e two2.zarr/meta/root/foo.array.json ] || bad "--lossy copies the array"

# ---- several below one plain directory are still valid JSON ----
zinc 0 create h.zarr --group
for n in 1 2; do
	mkdir -p h.zarr/d/e/$n
	echo '{"zarr_format":2}' >h.zarr/d/e/$n/.zgroup
done
zinc 1 tree --json h.zarr
python3 -m json.tool out >/dev/null || bad "tree --json is no JSON"

finish
