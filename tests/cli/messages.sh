#!/usr/bin/env bash
# messages.sh - messages for unreadable places: one line, the URL as it was typed, whole paths
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
chmod 755 .
here=$PWD
zinc 0 create d.zarr/a --shape 4 --dtype int8 --chunks 2
printf abcd >a.bin
zinc 0 put d.zarr/a --from a.bin
zinc 0 create d.zarr/g/b --shape 4 --dtype int8

# tell STATUS COMMAND...: that status, one line, and no absolute path that has lost its slash
tell() {
	local status=0
	last="${*:2}"
	"${@:2}" >"$here/out" 2>"$here/err" </dev/null || status=$?
	[ "$status" = "$1" ] || bad "exit status $status instead of $1: $last"
	[ "$(wc -l <"$here/err")" = 1 ] || bad "not one line: $last"
	! grep -E "(^|[^/])${here#/}" "$here/err" || bad "a path without its slash: $last"
	checks=$((checks + 1))
}
for url in none.zarr "$here/none.zarr" "file://$here/none.zarr"; do
	for command in info tree ls cat attrs validate stats explain chunks consolidate conventions bench "rm --yes" \
		"resize 3" "put --from a.bin" "append --from a.bin" "cp new.zarr" "diff d.zarr" "mv /q"; do
		set -- $command
		tell 3 "$ZINC" "$1" "$url" "${@:2}"
		has "zinc: $url: " err
	done
done
for url in http:// foo://x/y http://127.0.0.1:1x/y 'file://elsewhere/x'; do
	for command in info tree cat validate "create --group" "cp new.zarr"; do
		set -- $command
		tell 2 "$ZINC" "$1" "$url" "${@:2}"
		has "zinc: ${url%:1x/y}" err
	done
done

# ---- warnings also name the URL as it was typed, and the key within ----
mkdir n.zarr
printf '{"zarr_format":3,"node_type":"group","attributes":{"a":NaN}}' >n.zarr/zarr.json
cp -r n.zarr m.zarr
mkdir n.zarr/g
cp n.zarr/zarr.json n.zarr/g
for url in n.zarr ./n.zarr/ "../${here##*/}//n.zarr" "$here/n.zarr" "file://$here/n.zarr"; do
	tell 0 "$ZINC" info "$url"
	has "zinc: warning: $url: zarr.json: NaN" err
done
zinc 0 tree n.zarr
has "zinc: warning: n.zarr: g/zarr.json: NaN" err
zinc 0 diff n.zarr/g m.zarr
has "zinc: warning: n.zarr/g: zarr.json: NaN" err
has "zinc: warning: m.zarr: zarr.json: NaN" err
zinc 0 create e.zarr/x --shape 4 --dtype int8 --format v3-2022
sed -i 's/"extensions"/"more": 1, "extensions"/' e.zarr/zarr.json
for url in e.zarr "$here/e.zarr"; do
	tell 0 "$ZINC" info "$url"
	has "zinc: warning: $url: zarr.json: member \"more\" is not defined" err
done
zinc 0 validate e.zarr
has "warning 22-41: zarr.json: member \"more\" is not defined"
tell 0 "$ZINC" info e.zarr/x
has "zinc: warning: e.zarr/x: e.zarr/zarr.json: member \"more\" is not defined" err
zinc 0 create b.zarr --group
printf '{"zarr_format":2}' >b.zarr/.zgroup
tell 0 "$ZINC" info ./b.zarr
has "zinc: warning: ./b.zarr: documents of Zarr version 2" err

# ---- with two URLs the one at fault is named, as it was typed ----
tell 2 "$ZINC" cp d.zarr new.zarr --select 1
has "zinc: d.zarr: a selection from a group needs names of dimensions" err
zinc 0 create f.zarr/g --group --format v3-2022
sed -i 's/"attributes"/"foo": 1, "attributes"/' f.zarr/meta/g.group.json
for url in f.zarr ./f.zarr "$here/f.zarr"; do
	tell 4 "$ZINC" cp "$url" new.zarr
	has "zinc: $url: /g: member \"foo\" is not known" err
done
zinc 0 cp d.zarr bad.zarr
printf x >bad.zarr/a/c/0
for url in bad.zarr "$here/bad.zarr"; do
	zinc 5 cp "$url/a" "new$((++turn)).zarr" --chunks 3
	has "zinc: $url/a: a/c/0: chunk 0: " err
	zinc 5 diff d.zarr "$url"
	has "zinc: $url: a/c/0: chunk 0: " err
done
tell 3 "$ZINC" cp d.zarr/a d.zarr/g
has "zinc: d.zarr: /g already exists" err
tell 3 "$ZINC" cp bad.zarr/g d.zarr/g
has "zinc: d.zarr/g: /g already exists" err

# ---- places without read permission ----
if [ "$(id -u)" != 0 ] || ! setpriv --reuid=65534 --regid=65534 --clear-groups "$ZINC" --version >/dev/null 2>&1; then
	echo "not root: what may not be read was left out"
	finish
	exit 77
fi
nobody() { tell "$1" setpriv --reuid=65534 --regid=65534 --clear-groups "$ZINC" "${@:2}"; }
export HOME=$here
mkdir closed
cp -r d.zarr closed/x
chmod 700 closed
cp -r d.zarr part.zarr
chmod 000 part.zarr/a/c
chmod 755 part.zarr part.zarr/a
for dir in "$here" / /usr; do
	cd "$dir"
	for url in "$here/closed/x" "file://$here/closed/x/a"; do
		nobody 3 info "$url"
		has "zinc: $url: zarr.json: cannot open: Permission denied" "$here/err"
		nobody 3 cp "$url" "$here/new.zarr"
		has "zinc: $url: zarr.json: cannot open: Permission denied" "$here/err"
	done
done
cd "$here"
nobody 3 info closed/x
has "zinc: closed/x: zarr.json: cannot open: Permission denied" err
nobody 3 create closed/x/new --group
has "zinc: closed/x/new: " err
nobody 3 cat part.zarr/a
has "zinc: part.zarr/a: a/c/0: chunk 0: cannot open: Permission denied" err
nobody 3 info --stored "$here/part.zarr/a"
has "cannot open the directory $here/part.zarr/a/c: Permission denied" err
cd /
if [ "$here" != / ]; then
	setpriv --reuid=65534 --regid=65534 --clear-groups "$ZINC" info "${here#/}/closed/x" 2>"$here/err" && bad "it was read"
	cd "$here"
	has "zinc: ${here#/}/closed/x: zarr.json: cannot open" err
fi
finish
