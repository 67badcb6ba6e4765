#!/usr/bin/env bash
# climb.sh - which directory is the root, for reading and for creating; nothing is written above it
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

formats="v3 v2 v3-2019 v3-2020 v3-2022"

# Everything below a directory, with its bytes.
state() {
	(cd "$1" && find . -type f | LC_ALL=C sort | xargs -r sha256sum && find . -type d | LC_ALL=C sort) >"$2"
}
unchanged() {
	state "$1" after
	cmp -s before after || { diff before after >&2 || true; bad "$1 was changed: $last"; }
}

# ---- a directory of another program ends the search for a new node ----
zinc 0 create lg --group
mkdir -p lg/p/q lg/empty
echo mine >lg/p/notes.txt
zinc 0 create lg/p/q/new --shape 3 --dtype int8
[ ! -e lg/p/zarr.json ] && [ ! -e lg/p/q/zarr.json ] || bad "documents in directories that were there"
zinc 0 cat lg/p/q/new
zinc 0 create lg/a/b/c --shape 3 --dtype int8
[ -e lg/a/zarr.json ] && [ -e lg/a/b/zarr.json ] || bad "groups that were not there have documents"
zinc 0 info --json lg/a/b/c
has '"path":"/a/b/c"'

# ---- a new root with a suffix cannot hold a name that is too long; an existing directory may have one ----
long=$(printf 'a%.0s' {1..249})
zinc 2 create long.zarr/"$long" --shape 3 --dtype int8
says "could not hold a node of this name"
[ ! -e long.zarr ] || bad "something was made"
mkdir -p plain.zarr/"$long"
zinc 0 create plain.zarr/"$long"/new.zarr --shape 3 --dtype int8
zinc 0 cat plain.zarr/"$long"/new.zarr

# ---- an unrelated group above has no effect ----
mkdir -p open/me
printf '{"zarr_format": 2}' >open/.zgroup
zinc 0 create open/me/new --shape 3 --dtype int8
zinc 0 info --json open/me/new
has '"format":"v3"'
zinc 0 cp lg/a/b/c open/me/copy
zinc 0 info --json open/me/copy
has '"format":"v3"'
[ "$(ls -A open)" = ".zgroup
me" ] || bad "something was written above"

# ---- an unreadable document above ends the search ----
mkdir -p blind
zinc 0 create blind/own --shape 3 --dtype int8
mkdir blind/zarr.json
zinc 0 cat blind/own
prints <<<"[0 0 0]"
zinc 0 create blind/own2.zarr/x --shape 3 --dtype int8
zinc 0 tree blind/own2.zarr
zinc 3 info blind

# ---- a format other than the hierarchy's is refused, and nothing is written ----
zinc 0 create source.zarr/x --shape 3 --dtype int8
for is in $(some $formats); do
	zinc 0 create "f-$is/a" --shape 3 --dtype int8 --format "$is" --no-climb
	rm -rf "f-$is"
	zinc 0 create "f-$is" --group --format "$is"
	zinc 0 create "f-$is/a" --shape 3 --dtype int8
	state "f-$is" before
	for asked in $(some $formats); do
		[ "$asked" != "$is" ] || continue
		zinc 2 create "f-$is/new" --group --format "$asked"
		says "is of format $is"
		zinc 2 create "f-$is/sub/new" --shape 3 --dtype int8 --format "$asked"
		zinc 2 create "f-$is/sub/new" --shape 3 --dtype int8 --format "$asked" --dry-run
		zinc 3 create "f-$is" --group --format "$asked" --dry-run
		zinc 0 create "f-$is" --group --format "$asked" --dry-run --overwrite
		zinc 2 create "f-$is/a" --shape 3 --dtype int8 --format "$asked" --overwrite
		zinc 3 create "f-$is" --group --format "$asked"
		zinc 2 cp source.zarr/x "f-$is/new" --format "$asked"
		zinc 2 cp source.zarr/x "f-$is/a" --format "$asked" --overwrite
		zinc 3 cp source.zarr "f-$is" --format "$asked"
		unchanged "f-$is"
	done
	zinc 0 cp source.zarr/x "f-$is/copied" --format "$is"
	zinc 0 diff source.zarr/x "f-$is/copied"
done
# a whole hierarchy may be replaced by one of another version
zinc 0 cp source.zarr f-v2 --format v3 --overwrite
zinc 0 diff source.zarr f-v2
zinc 0 create f-v3 --shape 3 --dtype int8 --format v2 --overwrite
zinc 0 info --json f-v3
has '"format":"v2"'
[ ! -e f-v3/zarr.json ] || bad "the old hierarchy is there, too"

# ---- nothing below an array, nothing over another node ----
for is in $(some $formats); do
	zinc 0 create "n-$is.zarr/a" --shape 3 --dtype int8 --format "$is"
	zinc 0 create "n-$is.zarr/g" --group
	zinc 0 put "n-$is.zarr/a" --from <(printf '\1\2\3')
	zinc 0 create "n-$is.zarr/i/j" --shape 3 --dtype int8
	rm -f "n-$is.zarr/i/zarr.json" "n-$is.zarr/i/.zgroup"
	state "n-$is.zarr" before
	zinc 2 create "n-$is.zarr/a/g" --group
	says "arrays have no children"
	zinc 2 create "n-$is.zarr/a/deep/x" --shape 3 --dtype int8
	zinc 2 cp source.zarr/x "n-$is.zarr/a/x"
	zinc 2 cp source.zarr "n-$is.zarr/a/x"
	zinc 3 create "n-$is.zarr/a" --group
	zinc 3 create "n-$is.zarr/g" --shape 3 --dtype int8
	zinc 3 create "n-$is.zarr/i" --shape 3 --dtype int8
	unchanged "n-$is.zarr"
done
zinc 2 create n-v3.zarr/a/c/new --shape 3 --dtype int8
says "storage of an array"

# ---- --no-climb ----
zinc 0 info --json lg/a/b/c --no-climb
has '"path":"/"'
zinc 3 info lg/nothing --no-climb
zinc 0 create lg/own --group --format v2 --no-climb
[ -e lg/own/.zgroup ] || bad "--no-climb did not make a root"
zinc 0 validate lg/a/b/c --no-climb
zinc 0 cp lg/a/b/c lg/own2 --no-climb --format v2
[ -e lg/own2/.zarray ] || bad "--no-climb did not make a root"

# ---- drafts whose root has no suffix ----
zinc 0 create d/foo/bar --shape 3 --dtype int8 --format v3-2020
[ -e d/foo/bar/zarr.json ] || bad "the URL is the root"
zinc 0 create 'e|foo/bar' --shape 3 --dtype int8 --format v3-2020
[ -e e/zarr.json ] && [ -e e/meta/root/foo/bar.array.json ] || bad "'|' says where the root is"
zinc 0 info --json e/foo/bar
has '"path":"/foo/bar"'
zinc 0 create e/meta/x --shape 3 --dtype int8
[ -e e/meta/root/meta/x.array.json ] || bad "a name like that of a tree"
zinc 0 --help
has "without such a name create the root first"
zinc 0 --man
has "dir|foo/bar"

finish
