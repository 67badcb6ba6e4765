#!/usr/bin/env bash
# test_links.sh - check_links.py must find links that lead nowhere, in Markdown and in HTML, and nothing else
set -euo pipefail
check=$ZINC_SOURCE_DIR/scripts/check_links.py

page() { # page NAME LINE...
	mkdir -p "$(dirname "tree/$1")"
	printf '%s\n' "${@:2}" >"tree/$1"
}
good() { "$check" --root tree >out || { echo "refused: $1" && cat out && exit 1; }; }
fails() { # fails WHAT TEXT
	if "$check" --root tree >out; then echo "accepted: $1" && exit 1; fi
	grep -F "$2" out >/dev/null || { echo "not named: $1" && cat out && exit 1; }
}

page docs/b.md '# One, two: `three`' '' '# Same' '' '# Same' '```' '# Code' '```'
page README.md '[b](docs/b.md) [here](docs/b.md#one-two-three) [second](docs/b.md#same-1) [dir](docs)' \
	'[out](https://example.org/x#y)' '`[code](nowhere.md)`' '```' '[code](nowhere.md)' '```'
good "links that lead somewhere, and code"

page a.md '[gone](nowhere.md)'
fails "a missing file" "a.md:1: nowhere.md: no such file"
page a.md '' '[gone](docs/b.md#code)'
fails "an anchor in code" "a.md:2: docs/b.md#code: no such heading"
page a.md '[out](../../elsewhere.md)'
fails "a file outside" "no such file"
page a.md 'text'
page docs/c.md '[myself](c.md)'
fails "a page that nobody links to" "docs/c.md: no other page links to it"

mkdir site
echo '<a id="x" href="two.html#y">' >site/one.html
echo '<p id="y"><a href="one.html#x"><img src="https://example.org/a.png">' >site/two.html
"$check" --html site >/dev/null
echo '<a href="one.html#z"></a><a href="three.html">' >site/two.html
if "$check" --html site >out; then exit 1; fi
grep -F 'two.html: one.html#z: no such id' out >/dev/null
grep -F 'two.html: three.html: no such file' out >/dev/null
