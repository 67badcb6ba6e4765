#!/usr/bin/env bash
# readme_tables.sh [--check] - write the lists of supported features into README.md, from the lists of the command
#
# With --check nothing is written: the README must already match the build.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
zinc=${ZINC:-$root/build/zinc}

# One item per kind: its names, in the order of the library's tables, in lines of at most 100 columns.  A filter may give
# several names one spelling, which is shown once.
item() { # title command [filter]
	local names
	names=$("$zinc" "$2" --json | sed 's/},{/},\n{/g' | grep -v 'metadata only"' | grep -o '"name":"[^"]*"' | sed 's/"name":"\(.*\)"/\1/' | sed "${3:-}" |
		awk '!seen[$0]++' | sed 's/.*/`&`/' | paste -sd, | sed 's/,/, /g')
	printf '* %s: %s\n' "$1" "$names" | fold -s -w 97 | sed 's/ *$//; 2,$ s/^/  /'
}

tables() {
	printf '\n'
	item 'Formats' formats
	item 'Data types' dtypes 's/^float\([468]\)_.*/float\1_*/; s/^complex.*/complex*/'
	item 'Codecs' codecs '/^numcodecs\./d; /^zarrs\./d'
	item 'Codecs of numcodecs, as `numcodecs.zlib`' codecs '/^numcodecs\./!d; s/^numcodecs\.//; /^\(gzip\|blosc\|zstd\|crc32c\|bitround\)$/d'
	item 'Stores' stores
	printf '\n'
}

new=$(mktemp)
trap 'rm -f "$new" "$new.tables"' EXIT
tables >"$new.tables"
awk -v tables="$new.tables" '
	/^<!-- tables:/ { print; while ((getline line < tables) > 0) print line; skip = 1; next }
	/^<!-- end of tables -->/ { skip = 0 }
	!skip' "$root/README.md" >"$new"
if [ "${1:-}" = --check ]; then
	diff -u "$root/README.md" "$new" || { echo "README.md: run scripts/readme_tables.sh" >&2; exit 1; }
	echo "readme_tables: the README matches the build"
else
	cat "$new" >"$root/README.md"
fi
