#!/usr/bin/env bash
# errors.sh - every command with every kind of bad usage and bad data: exit status, and one line with the reason
#
# A command that is not in the table below fails the test, so new ones get a row.
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

printf "{'descr': '|i1', 'fortran_order': False, 'shape': (1,), }        \n" >header
{
	bytes 93 4e 55 4d 50 59 01 00 "$(printf %02x "$(wc -c <header)")" 00
	cat header
	bytes 07
} >one.npy # one int8, 7

# The arguments that a command needs before it opens its URL; @ is the URL; - : it takes none.
declare -A line=(
	[info]='@' [tree]='@' [ls]='@' [cat]='@' [create]='@ --shape 1 --dtype int8' [put]='@ --from one.npy' [attrs]='@'
	[resize]='@ 2' [append]='@ --from one.npy' [consolidate]='@' [rm]='@ --yes' [mv]='@ elsewhere'
	[cp]='@ target.zarr' [du]='@' [validate]='@' [diff]='@ @' [stats]='@' [chunks]='@' [explain]='@ -s 0'
	[plot]='@' [conventions]='@' [bench]='@ --repeat 1' [serve]='@' [view]='@'
	[codecs]=- [dtypes]=- [stores]=- [formats]=- [completion]=-
)
# Exit status with: a document that is not JSON, a document that breaks a rule, an unknown codec, a chunk that does not
# decode.  . : not tested.
declare -A data=(
	[info]='5 5 0 0' [tree]='5 5 0 0' [ls]='5 5 0 0' [cat]='5 5 4 5' [create]='3 3 3 3' [put]='5 5 4 0' [attrs]='5 5 0 0'
	[resize]='5 5 4 0' [append]='5 5 4 .' [consolidate]='5 5 2 2' [rm]='5 5 4 0' [mv]='. . . .' [cp]='5 5 0 .'
	[du]='5 5 0 0' [validate]='1 1 4 1' [diff]='5 5 4 5' [stats]='5 5 4 5' [chunks]='5 5 4 0' [explain]='5 5 4 0' [conventions]='5 5 0 0'
	[plot]='5 5 4 5'	[bench]='5 5 4 5' [serve]='. . . .' [view]='. . . .'
)

# call STATUS COMMAND URL: its line of the table; a failure other than a finding is one line on stderr, except for
# tree and ls, which show a damaged node among the others
call() {
	local words
	read -ra words <<<"${line[$2]}"
	zinc "$1" "$2" "${words[@]//@/$3}"
	case $1 in
	0 | 1) ;;
	4) [ "$2" = validate ] || [ "$2" = diff ] || says "" ;;
	5) [[ $2 =~ ^(tree|ls)$ ]] || says "" ;;
	*) says "" ;;
	esac
}

document='{"zarr_format": 3, "node_type": "array", "shape": [1], "data_type": "int8", "chunk_grid": {"name": "regular",
	"configuration": {"chunk_shape": [1]}}, "chunk_key_encoding": {"name": "default"}, "fill_value": 0, "codecs": ["bytes"]}'
broken() { # KIND: an array x.zarr with that fault
	rm -rf x.zarr target.zarr
	mkdir -p x.zarr/c
	case $1 in
	0) printf '{"zarr_format": 3,' >x.zarr/zarr.json ;;
	1) printf '%s' "${document/\[1\]/[-1]}" >x.zarr/zarr.json ;;
	2) printf '%s' "${document/\"bytes\"/\"unheard-of\"}" >x.zarr/zarr.json ;;
	3) printf '%s' "$document" >x.zarr/zarr.json && printf toolong >x.zarr/c/0 ;;
	esac
}

# A message about a file of the user loads no module: the library behind one may print its own warnings.
mkdir plain
echo hello >plain/README
LD_DEBUG=files "$ZINC" info plain/README >out 2>err || true
has "it is a file" err
has libzinc.so err
lacks zinc-modules err
rm -r plain

for command in $("$ZINC" --complete "" | cut -f 1); do
	[ -n "${line[$command]:-}" ] || bad "no row for the command $command"
	# ---- usage ----
	zinc 2 "$command" --frobnicate
	says "no such option"
	zinc 2 "$command" -Q
	says "no such option"
	zinc 2 "$command" -j many
	says "not a value"
	zinc 2 "$command" -j
	says "a value is missing"
	zinc 2 "$command" a b c d --progress=sometimes
	says "not a value"
	[ "$command" = attrs ] || { zinc 2 "$command" a b c d e f; says ""; }
	[ "${line[$command]}" != - ] || continue
	zinc 2 "$command"
	says ""
	call 2 "$command" 'nosuchscheme://x'
	call 2 "$command" ''
	# ---- missing places, and places that are not Zarr ----
	[ "$command" != create ] || continue
	call 3 "$command" nothing.zarr
	mkdir -p plain
	echo hello >plain/README
	call 3 "$command" plain
	call 3 "$command" plain/README
	# ---- damage ----
	read -ra statuses <<<"${data[$command]}"
	for kind in 0 1 2 3; do
		[ "${statuses[kind]}" != . ] || continue
		broken $kind
		call "${statuses[kind]}" "$command" x.zarr
	done
	# a wrong value for an option of every kind
	for option in $("$ZINC" "$command" --help | sed -n 's/^  .*--\([a-z-]*\) \([A-Z|]*\) .*/\1/p'); do
		case $option in
		as | key-encoding | order | endian | depth | axis | repeat | rtol | atol)
			zinc 2 "$command" x.zarr "--$option" '!'
			says "not a value"
			;;
		esac
	done
done
finish
