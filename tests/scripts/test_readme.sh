#!/usr/bin/env bash
# test_readme.sh - check_readme.sh must run what is marked, and only that, and fail when it fails
set -euo pipefail
check=$ZINC_SOURCE_DIR/scripts/check_readme.sh

page() { printf '%s\n' "$@" >page.md; }
fails() { if "$check" page.md >out 2>&1; then echo "accepted: $1" && cat page.md && exit 1; fi; }

page '<!-- run -->' '' '```sh' 'echo one >made' 'cat made' '```' '' '```sh' 'false' '```'
"$check" page.md | grep '^one$' >/dev/null
page '<!-- run -->' '```c' '#include <zinc.h>' 'int main(void) { return zinc_version()[0] == 0; }' '```'
"$check" page.md | grep '1 examples ran' >/dev/null

page '<!-- run -->' '```console' '$ echo one' 'one' '$ true' '$ printf "two\nthree\n"' 'two' 'three' '```'
"$check" page.md | grep '1 examples ran' >/dev/null
says='#include <stdio.h>'
page '<!-- run -->' '```c' "$says" 'int main(void) { puts("one"); return 0; }' '```' '<!-- prints -->' '```text' 'one' '```'
"$check" page.md | grep '1 examples ran' >/dev/null
page '<!-- run -->' '```c' "$says" 'int main(void) { puts("one"); return 0; }' '```' '<!-- prints -->' '```text' 'two' '```'
fails "a program that prints something else"
page '<!-- run -->' '```console' '$ echo one' 'two' '```'
fails "a session that prints something else"
page '<!-- run -->' '```console' '$ false' '```'
fails "a session whose command fails"

page '<!-- file: made.txt -->' '```c' 'one' '```' '<!-- run -->' '```console' '$ cat made.txt' 'one' '```'
"$check" page.md | grep '1 examples ran' >/dev/null

page '<!-- run -->' '```sh' 'false' 'true' '```'
fails "a line that fails"
page '<!-- run -->' '```c' 'int main(void) { return 3; }' '```'
fails "a program that fails"
page '<!-- run -->' '```c' 'int main(void) { return zinc_nonsense(); }' '```'
fails "a program that does not compile"
page '```sh' 'true' '```'
fails "a page without examples"
