#!/usr/bin/env bash
# test_promises.sh - every promise names its test; the list of wrong data is there
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
"$root/scripts/check_promises.py"
grep -q '^### Correctness' "$root/CHANGELOG.md" || { echo "CHANGELOG.md has no heading Correctness"; exit 1; }

# The check finds what it looks for.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r "$root/tests" "$root/docs" "$root/fuzz" "$root/Makefile" "$copy"
finds() { # finds LINE TEXT: with this line more, the check says so
	cp "$root/docs/promises.md" "$copy/docs/promises.md"
	printf '%s\n' "$1" >>"$copy/docs/promises.md"
	! "$root/scripts/check_promises.py" --root "$copy" >"$copy/out" || { echo "passes: $1"; exit 1; }
	grep -q "$2" "$copy/out" || { cat "$copy/out"; exit 1; }
}
finds '- Nothing holds this' 'a promise without a test'
finds '| nothing | holds this |' 'a promise without a test'
finds '- This is held by `test_of_nothing`' 'there is no test_of_nothing'
finds '- One thing. Another thing: `test_buf`' 'more than one sentence'
echo ok
