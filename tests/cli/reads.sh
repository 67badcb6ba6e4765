#!/usr/bin/env bash
# reads.sh - how often a command reads each document of its source
#
# strace shows the reads of the file system.  A read at the start of a file is counted: a document is read by one.
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" # which needs ptrace, as strace does
[ -z "${ZINC_EMULATED:-}" ] && strace -o trace true 2>err || { echo "strace cannot be used" && exit 77; }

documents='(zarr\.json|\.zarray|\.zgroup|\.zattrs|\.zmetadata|\.(array|group)(\.json)?)'

# reads MOST ROOT ARGS...: no document below ROOT is read more than MOST times, and at least one is read
reads() {
	local most=$1 root=$2
	shift 2
	run 0 strace -f -y -qq -e trace=pread64,preadv -o trace "$ZINC" "$@"
	grep -E "<[^>]*/$root/[^>]*>.*, 0\) += [1-9]" trace | sed -E 's/.*pread[v64]*\([0-9]+<([^>]*)>.*/\1/' |
		grep -E "$documents\$" | sort | uniq -c >counted || true
	[ -s counted ] || bad "no document was read: $last"
	awk -v most="$most" '$1 > most' counted >often
	[ ! -s often ] || { cat often >&2; bad "read too often: $last"; }
	checks=$((checks + 1))
}

for format in v3 v2 v3-2020; do
	d=$format.zarr
	zinc 0 create $d --group --format $format
	zinc 0 create $d/g --group
	zinc 0 create $d/g/x --shape 8,8 --chunks 4,4 --dtype int32
	zinc 0 attrs $d a=1
	zinc 0 attrs $d/g b=2
	zinc 0 attrs $d/g/x c=3
	for more in "" consolidated; do
		case $format$more in
		v?consolidated) zinc 0 consolidate $d ;;
		v3-*consolidated) continue ;;
		esac
		for node in $d $d/g/x; do
			reads 1 $d info $node
			reads 1 $d info --json --stored $node
			reads 1 $d tree $node
			reads 1 $d tree --json $node
			reads 1 $d ls $node
			reads 1 $d ls -r -l $node
			reads 1 $d attrs $node
			reads 1 $d conventions $node
			reads 1 $d conventions -r $node
			reads 1 $d cp --dry-run $node planned.zarr
		done
		for to in v3 v2 v3-2020; do
			# A document that is copied as it is is read again after the objects, to notice a change.
			most=1
			[ $to != $format ] || most=2
			reads $most $d cp --lossy --format $to $d copy$more-$format-$to.zarr
		done
	done
done

finish
