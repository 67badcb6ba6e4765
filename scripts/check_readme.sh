#!/usr/bin/env bash
# check_readme.sh [FILE | --docs] - the examples of the README, or of all pages of docs/, must compile and run as printed
#
# A code block is used if the line <!-- run --> is directly before it (apart from blank lines).  A ```c
# block is compiled against the public headers and the shared library and run; a ```sh block is run line by
# line (set -e) with the command first in PATH; in a ```console block every line "$ COMMAND" is run, and its
# output must be the lines that follow.  With <!-- file: NAME --> the block becomes a file of that name, for the blocks
# after it; with <!-- prints --> it is the expected output of the ```c block before it.  All blocks of a page share one empty
# directory, in the order of the page.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
if [ "${1:-}" = --docs ]; then
	grep -rl '^<!-- run -->$' --include='*.md' "$root/docs" | sort | while read -r page; do
		echo "check_readme: ${page#"$root"/}"
		"$0" "$page"
	done
	exit
fi
page=$(realpath "${1:-$root/README.md}")
build=${ZINC_BUILD_DIR:-$root/build}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

awk -v dir="$dir" '
	/^<!-- run -->$/ { armed = 1; next }
	/^<!-- prints -->$/ { armed = 1; name = sprintf("block%02d.expected", n); next }
	/^<!-- file: [A-Za-z0-9_.-]+ -->$/ { armed = 1; name = $3; next }
	armed && name && /^```[a-z]+$/ { armed = 0; file = dir "/" name; name = ""; next }
	armed && /^```(c|sh|console)$/ { armed = 0; file = sprintf("%s/block%02d.%s", dir, ++n, substr($0, 4)); next }
	/^```/ { if (file) close(file); file = ""; armed = 0; next }
	file { print > file; next }
	NF { armed = 0; name = "" }
' "$page"

# Run "$ COMMAND" lines; print them and their output, as on the page.
session() {
	local line
	while IFS= read -r line; do
		case $line in
		'$ '*)
			printf '%s\n' "$line"
			bash -euo pipefail -c "${line#$ }" 2>&1 </dev/null
			;;
		esac
	done <"$1"
}

cd "$dir"
export PATH="$build:$PATH" LD_LIBRARY_PATH="$build"
ran=0
for block in block*; do
	case $block in
	*.c)
		${CC:-cc} -std=c11 -Wall -Wextra -Werror -I"$root/include" "$block" -L"$build" -lzinc -o "${block%.c}.bin"
		"./${block%.c}.bin" | tee "${block%.c}.printed"
		[ ! -e "${block%.c}.expected" ] || diff "${block%.c}.expected" "${block%.c}.printed"
		;;
	*.sh) bash -euo pipefail "$block" ;;
	*.console) session "$block" | diff "$block" - ;;
	*) continue ;;
	esac
	ran=$((ran + 1))
done
echo "check_readme: $ran examples ran"
# The README must show both the library and the command, and stay short and narrow.
if [ $# = 0 ]; then
	ls block*.c block*.console >/dev/null
	python3 -c '
import sys
lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
wide = [str(i) for i, line in enumerate(lines, 1) if len(line.expandtabs(8)) > 100]
if len(lines) > 150:
    sys.exit(f"README: {len(lines)} lines, at most 150")
if wide:
    sys.exit("README: lines wider than 100: " + " ".join(wide))
' "$page"
fi
[ "$ran" -gt 0 ]
