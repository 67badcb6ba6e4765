#!/usr/bin/env bash
# names.sh - invalid names: refused for new nodes, reported if stored, and never interpreted by a terminal
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

formats="v3 v2 v3-2019 v3-2022 v3-2020"
long=$(printf 'n%.0s' {1..250})

# No control character in the output, except line ends and tabs.
clean() {
	! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' out err || bad "control characters: $last"
	iconv -f utf-8 -t utf-8 out >/dev/null && iconv -f utf-8 -t utf-8 err >/dev/null || bad "no UTF-8: $last"
	checks=$((checks + 1))
}

# ---- new names: one rule for each version and store, and nothing is written ----
for format in $(some $formats); do
	zinc 0 create "$format" --group --format "$format"
	zinc 0 create "$format/x" --shape 3 --dtype int8
	find "$format" | sort >before
	for name in $'a\tb' $'\x1b[2J' $'\x7f' $'\xff' 'a\b' x.__lock "$long" "$(printf 'ok%.0s' {1..130})" \
		zarr.json .zarray .zgroup .zattrs .zmetadata; do # documents of any version
		for url in "$format/$name" "$format/$name/y" "$format/new/$name"; do
			zinc 2 create "$url" --group
			clean
			zinc 2 create "$url" --shape 3 --dtype int8
			zinc 2 create "$url" --shape 3 --dtype int8 --dry-run
			zinc 2 cp "$format/x" "$url"
			clean
		done
		[ "$format" = v2 ] && [ "$name" = 'a\b' ] || zinc 2 mv "$format/x" "/$name"
		clean
	done
	find "$format" | sort | cmp - before || bad "something was made: $format"
	zinc 0 create "$format/$(printf 'm%.0s' {1..200})" --group
	zinc 0 ls "$format"
	[ "$(wc -l <out)" = 2 ] || bad "what can be created is listed: $format"
done

# a name that fits, and whose document name does not
zinc 2 create "v3-2020/$(printf 'd%.0s' {1..240})" --group
zinc 2 create v3/... --group
zinc 2 create v3/__x --group

# ---- stored names that cannot be shown are reported; directories without a document are not ----
zinc 0 create s.zarr/a --shape 3 --dtype int8
mkdir s.zarr/stray s.zarr/$'st\x1bray'
echo hello >s.zarr/README
zinc 0 tree s.zarr
for name in ... $'a\tb' $'\x1b[2J' x.__lock 'b\c' $'\xff' "$long"; do
	mkdir "s.zarr/$name"
	cp s.zarr/a/zarr.json "s.zarr/$name/zarr.json"
	for command in tree ls "ls -r" "ls -l" "tree --json" "ls --json"; do
		# shellcheck disable=SC2086
		zinc 1 $command s.zarr
		clean
		case $command in *--json) is_json ;; esac
	done
	zinc 1 tree s.zarr
	grep -qF "$(printf %s "$name" | LC_ALL=C sed $'s/\t/\\\\x09/;s/\x1b/\\\\x1b/;s/\xff/\\\\xff/')" out || bad "the name is missing: $last"
	zinc 1 validate s.zarr
	clean
	zinc 1 diff s.zarr s.zarr
	clean
	zinc 1 cp s.zarr copy.zarr
	clean
	[ ! -e copy.zarr ] || bad "something was copied"
	# it can still be opened by its URL, as a separate root
	[ "$name" = ... ] || zinc 0 info "s.zarr/$name"
	clean
	rm -r "s.zarr/$name"
done
zinc 0 ls s.zarr

# ---- a document's name: version 2 reports it, version 3 allows it except in a copy ----
zinc 0 create n2.zarr/g --group --format v2
mkdir n2.zarr/g/zarr.json
cp n2.zarr/.zgroup n2.zarr/g/zarr.json
for command in tree "ls -r" validate; do
	# shellcheck disable=SC2086
	zinc 1 $command n2.zarr
	has zarr.json
done
zinc 0 create n3.zarr --group
mkdir n3.zarr/.zgroup
cp n3.zarr/zarr.json n3.zarr/.zgroup
zinc 0 tree n3.zarr
has .zgroup
zinc 2 cp n3.zarr copy.zarr
has 'document: ".zgroup"' err
[ ! -e copy.zarr ] || bad "something was copied"
zinc 0 cp n3.zarr copy.zarr --lossy
zinc 0 tree copy.zarr
lacks .zgroup
rm -r copy.zarr

# ---- in the drafts the documents have other names than the data ----
for format in $(some v3-2019 v3-2020 v3-2022); do
	zinc 0 create "l-$format.zarr/g/foo" --shape 3 --dtype int8 --codecs none --format "$format"
	printf abc >values
	zinc 0 put "l-$format.zarr/g/foo" --from values
	for one in $(find "l-$format.zarr" -depth -path '*/foo*' | grep -e '/foo$' -e '/foo\.array[^/]*$' -e '/foo/\.array$'); do
		[ -e "$one" ] || continue
		mv "$one" "${one%/foo*}/foo.__lock${one##*/foo}"
	done
	for command in tree "ls -r" validate; do
		# shellcheck disable=SC2086
		zinc 1 $command "l-$format.zarr"
		has foo.__lock
	done
	zinc 1 cp --verify "l-$format.zarr" copy.zarr
	[ ! -e copy.zarr ] || bad "something was copied"
done

# ---- consolidated metadata: a name with a NUL hides no other ----
mkdir -p nul.zarr
cat >nul.zarr/zarr.json <<'EOF'
{"zarr_format": 3, "node_type": "group", "consolidated_metadata": {"kind": "inline", "must_understand": false, "metadata": {
  "a\u0000b": {"zarr_format": 3, "node_type": "group"},
  "a": {"zarr_format": 3, "node_type": "group"}}}}
EOF
zinc 1 tree nul.zarr --json
has '"path":"/a","node_type":"group"'

# ---- a hierarchy of another version ----
for format in $(some $formats); do
	for other in v3 v2 v3-2020; do
		[ "$other" != "$format" ] || continue
		zinc 0 create "h-$format" --group --format "$format" --overwrite
		zinc 0 create "h-$format/a" --shape 3 --dtype int8
		zinc 0 create "h-$format/inner" --group --format "$other" --no-climb
		zinc 0 create "h-$format/inner/x" --shape 3 --dtype int8
		for command in tree ls "tree --json" "ls -r" validate; do
			# shellcheck disable=SC2086
			zinc 1 $command "h-$format"
			has inner
		done
		zinc 1 diff "h-$format" "h-$format"
		zinc 1 cp "h-$format" copy.zarr
		[ ! -e copy.zarr ] || bad "something was copied"
		zinc 0 tree "h-$format/inner"
		zinc 0 tree "h-$format/a"
		rm -r "h-$format"
	done
done

# ---- stored text is escaped before it is printed to a terminal ----
mkdir -p evil.zarr
cat >evil.zarr/zarr.json <<'EOF'
{"zarr_format": 3, "node_type": "group", "attributes": {"k": "\u001b[2J\u009b1m\u007f"},
 "consolidated_metadata": {"kind": "inline", "must_understand": false, "metadata": {
  "\u001b[31mred": {"zarr_format": 3, "node_type": "group"},
  "ok": {"zarr_format": 3, "node_type": "group"}}}}
EOF
zinc 1 tree evil.zarr
has ok
has '\x1b[31mred'
clean
zinc 1 ls -r evil.zarr
clean
zinc 1 tree --json evil.zarr
is_json
clean
zinc 0 attrs evil.zarr
has '\u001b[2J\u009b1m\u007f'
clean
zinc 0 info evil.zarr
clean
zinc 0 info --json evil.zarr
is_json
clean
for path in $'evil.zarr/\x1b[31mred' 'evil.zarr/\x1b[31mred' $'evil.zarr|\x1b[31mred'; do
	"$ZINC" info "$path" >out 2>err && bad "there is no such node"
	[ $? -le 5 ] || bad "the command died"
	clean
done
zinc 0 create t.zarr/x --shape 2 --dtype int8 --dims $'a\x1b[2J'
zinc 0 info t.zarr/x
clean
zinc 0 info --json t.zarr/x
is_json
clean
printf '{"zarr_format": 3, "node_type": "group", "\\u001b[2Jmember": {"must_understand": false}}' >t.zarr/zarr.json
"$ZINC" validate t.zarr >out 2>err || true
clean
"$ZINC" info t.zarr >out 2>err || true
clean
zinc 3 info $'no\x1b[2Jwhere'
clean
zinc 2 $'\x1b[2J'
clean
zinc 2 info --$'\x1b[2J'
clean

# data is printed unchanged
zinc 0 create d.zarr/s --shape 1 --dtype '|S4' --format v2
printf '\x1b[2J' >four
zinc 0 put d.zarr/s --from four
zinc 0 cat d.zarr/s --as raw
cmp out four || bad "data was escaped"
zinc 0 cat d.zarr/s
clean
zinc 0 cat d.zarr/s --as json
is_json
clean

finish
