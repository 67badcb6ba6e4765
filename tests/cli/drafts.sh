#!/usr/bin/env bash
# drafts.sh - hierarchies of the drafts: groups without documents, URLs into them, extensions of the whole
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

for draft in v3-2019 v3-2020 v3-2022; do
	rm -rf a.zarr
	zinc 0 create --format $draft a.zarr/x/y/a --shape 4 --dtype int16
	zinc 0 create a.zarr/x/y/b --shape 4 --dtype int16
	zinc 0 tree a.zarr
	has "x  (implicit)"
	zinc 0 info --json a.zarr/x/y/a # into the hierarchy, whose root is two levels above
	has "\"format\":\"$draft\""
	zinc 0 info --json a.zarr/x
	has '"implicit":true'

	# attributes make a group explicit, and so does creating it
	zinc 0 attrs a.zarr/x color='"red"'
	zinc 0 info --json a.zarr/x
	has '"implicit":false'
	has '"color":"red"'
	zinc 0 create a.zarr/x/y --group
	zinc 3 create a.zarr/x/y --group

	# an implicit parent disappears with its last child, unless it is kept
	zinc 0 create a.zarr/p/q/r --shape 2 --dtype uint8
	zinc 0 rm --yes a.zarr/p/q/r
	zinc 3 info a.zarr/p
	zinc 0 create a.zarr/p/q/r --shape 2 --dtype uint8
	zinc 0 rm --yes --keep-parents a.zarr/p/q/r
	zinc 0 info --json a.zarr/p/q
	has '"implicit":false'
	zinc 0 info --json a.zarr/p
	has '"implicit":false'
	zinc 3 rm --yes --keep-parents a.zarr/p/q/r

	# foreign keys are reported, and never misread
	echo mine >a.zarr/notes.txt
	zinc 0 validate a.zarr
	has foreign
	zinc 0 validate --repair --orphans a.zarr
	[ -f a.zarr/notes.txt ] || bad "$draft: a foreign key was erased"

	# zstd becomes blosc with zstd there, which is reported if zstd was requested
	zinc 0 create a.zarr/z --shape 2 --dtype uint8
	[ ! -s err ] || bad "$draft: nobody asked for zstd"
	for codecs in zstd zstd:5 '[{"name": "zstd", "configuration": {"level": 1}}]'; do
		zinc 0 create a.zarr/z --overwrite --shape 2 --dtype uint8 --codecs "$codecs"
		says "replaced: a.zarr/z: codec zstd becomes blosc with zstd"
		zinc 0 info a.zarr/z
		has "blosc(cname=zstd"
	done
	for codecs in blosc:zstd gzip:1 \
		'[{"name": "blosc", "configuration": {"cname": "zstd", "clevel": 1, "shuffle": "noshuffle", "blocksize": 0}}]'; do
		zinc 0 create a.zarr/z --overwrite --shape 2 --dtype uint8 --codecs "$codecs"
		[ ! -s err ] || bad "$draft: nothing is replaced"
	done
	zinc 0 rm --yes a.zarr/z

	# an extension of the hierarchy that must be understood stops everything
	sed -i 's#"extensions": \[\]#"extensions": [{"extension": "https://example.org/x/1.0", "must_understand": true}]#' a.zarr/zarr.json
	for command in info tree ls validate "cat --as json" attrs "rm --yes"; do
		zinc 4 $command a.zarr/x/y/a
		grep -q https://example.org/x/1.0 err || bad "$draft: $command does not name the extension"
	done
	sed -i 's#"must_understand": true#"must_understand": false#' a.zarr/zarr.json
	zinc 0 cat --as json a.zarr/x/y/a
	zinc 3 rm --yes a.zarr # the notes do not belong to the hierarchy
	says notes.txt
	zinc 0 rm --yes --force a.zarr
	[ ! -e a.zarr/zarr.json ] || bad "$draft: the entry point is still there"
done

# an error in a document is reported once, also for a scalar, which a copy reads again
zinc 0 create once.zarr --group --format v3-2020
zinc 0 create once.zarr/s --shape "" --dtype int8
sed -i 's/"shape"/"more": 1, "shape"/' once.zarr/meta/root/s.array.json
zinc 0 cp once.zarr once2.zarr
[ "$(grep -c '"more"' err)" = 1 ] || bad "a copy does not warn once"

finish
