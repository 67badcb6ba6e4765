#!/usr/bin/env bash
# links.sh - listing and reading see the same: links, FIFOs, directories and loops in the place of nodes and chunks
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

# make NAME FORMAT: a group with an array of 4 x 4 bytes "a" to "p", in four chunks
make() {
	zinc 0 create "$1" --group --format "$2"
	zinc 0 create "$1/x" --shape 4,4 --dtype uint8 --chunks 2,2 --codecs none --fill 0 --format "$2"
	printf abcdefghijklmnop | "$ZINC" put "$1/x" --from -
}

whole() {
	[ "$("$ZINC" cat "$1" --as raw)" = abcdefghijklmnop ] || bad "$1 has other elements"
}

# ---- linked chunks: all of them, or their directory; as git-annex stores them ----
for format in $(some v3 v2 v3-2020 v3-2022); do
	make plain.zarr $format
	cp -a plain.zarr annex.zarr
	mkdir -p .git/annex/objects
	find annex.zarr -type f | while read -r file; do
		object=$(printf %s "$file" | tr / _)
		cp "$file" ".git/annex/objects/$object"
		ln -sfr ".git/annex/objects/$object" "$file"
	done
	whole annex.zarr/x
	zinc 0 tree annex.zarr
	lacks cannot err
	zinc 0 validate annex.zarr
	zinc 0 cp annex.zarr copy.zarr --verify
	whole copy.zarr/x
	zinc 0 cp annex.zarr/x re.zarr --chunks 4,4 --verify
	whole re.zarr
	zinc 0 diff annex.zarr plain.zarr
	zinc 0 mv annex.zarr/x /y
	whole annex.zarr/y
	[ -z "$(find annex.zarr -path '*y*' -type l)" ] || bad "$format: the moved array has links"
	# a value that was not fetched is not the fill value
	cp -a plain.zarr absent.zarr
	chunk=$(find absent.zarr -type f ! -name '*.json' ! -name '.z*' | LC_ALL=C sort | head -n 1)
	ln -sf ../../../.git/annex/objects/none "$chunk"
	zinc 3 cat absent.zarr/x
	has "leads nowhere" err
	zinc 1 cp absent.zarr copy2.zarr --verify
	has "leads nowhere" err
	has "${chunk#absent.zarr/}" err
	[ ! -e copy2.zarr ] || bad "$format: a copy without a chunk"
	zinc 1 mv absent.zarr/x /y
	zinc 0 info absent.zarr/x
	zinc 1 validate absent.zarr
	has "error hidden"
	zinc 1 diff absent.zarr plain.zarr
	has "leads nowhere"
	zinc 1 cp absent.zarr copy2.zarr --lossy
	has "hidden: /x:" err
	zinc 0 info copy2.zarr/x
	rm -rf plain.zarr annex.zarr absent.zarr copy.zarr copy2.zarr re.zarr .git
done

make a.zarr v3
mkdir away
mv a.zarr/x/c away/c
ln -s ../../away/c a.zarr/x/c # the directory of all chunks
whole a.zarr/x
zinc 0 cp a.zarr b.zarr --verify
whole b.zarr/x
zinc 0 diff a.zarr b.zarr
zinc 0 mv a.zarr/x /y
whole a.zarr/y
[ "$(ls away/c)" = "0
1" ] || bad "mv erased what a link leads to"

# ---- other files in the place of a chunk, or of the directory of chunks ----
in_place() {
	zinc 3 cat b.zarr/x
	has "$1" err
	zinc 1 cp b.zarr c.zarr --verify
	has "$1" err
	[ ! -e c.zarr ] || bad "a copy without $1"
	zinc 1 cp b.zarr/x c.zarr --chunks 4,4
	zinc 1 mv b.zarr/x /y
	[ -e b.zarr/x/zarr.json ] || bad "mv erased the source"
	zinc 1 validate b.zarr
	has "error hidden: $1:"
	zinc 1 diff b.zarr d.zarr
}
cp -a b.zarr d.zarr
rm b.zarr/x/c/0/1
mkfifo b.zarr/x/c/0/1
in_place x/c/0/1
rm b.zarr/x/c/0/1
mkdir b.zarr/x/c/0/1
in_place x/c/0/1
zinc 0 validate b.zarr --repair # an empty directory is a leftover
zinc 0 validate b.zarr
rm -r b.zarr/x/c
ln -s nowhere b.zarr/x/c
in_place x/c
rm b.zarr/x/c
cp -a d.zarr/x/c b.zarr/x/c

# ---- children ----
mkfifo b.zarr/fifo # neither is a child
echo text >b.zarr/README
mkdir b.zarr/notes
mkfifo b.zarr/notes/fifo
zinc 0 tree b.zarr
zinc 0 ls b.zarr
zinc 0 diff b.zarr d.zarr
zinc 0 cp b.zarr c.zarr
rm -rf c.zarr
child() {
	for command in tree ls "ls -r" validate; do
		zinc 1 $command b.zarr
		grep -F "$1" out err >/dev/null || bad "$command does not name $1"
	done
	zinc 1 diff b.zarr d.zarr
	has "/$1"
	zinc 1 cp b.zarr c.zarr
	has "hidden: /$1:" err
	[ ! -e c.zarr ] || bad "a copy without $1"
	zinc 1 ls b.zarr --json
}
ln -s ../gone b.zarr/dangling
child dangling
rm b.zarr/dangling
ln -s . b.zarr/round
child round
rm b.zarr/round
mkdir b.zarr/deep
cp d.zarr/zarr.json b.zarr/deep/
ln -s .. b.zarr/deep/up
for command in tree "ls -r" validate; do
	zinc 1 $command b.zarr
	grep -F deep/up out err >/dev/null || bad "$command: a loop from below"
done
rm -r b.zarr/deep
cp -a d.zarr/x b.zarr/$'esc\033[31m'
child 'esc\x1b[31m'
grep -q $'\033' out err && bad "an escape reached the terminal"
rm -r b.zarr/$'esc\033[31m'

# ---- directories without read permission, as a user who is not root ----
if [ "$(id -u)" = 0 ]; then
	other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
else
	other=()
fi
if "${other[@]}" "$ZINC" --version >/dev/null 2>&1; then
	place=$(mktemp -d)
	trap 'chmod -R u+rwX "$place"; rm -rf "$place"' EXIT
	chmod 755 "$place"
	cp -a b.zarr "$place/u.zarr"
	[ "$(id -u)" != 0 ] || chown -R 65534 "$place"
	chmod 0 "$place/u.zarr/x/c/0"
	run 1 "${other[@]}" "$ZINC" validate "$place/u.zarr"
	has "error hidden: x/c/0: a directory that may not be read"
	run 1 "${other[@]}" "$ZINC" cp "$place/u.zarr" "$place/v.zarr"
	has x/c/0 err
	chmod 755 "$place/u.zarr/x/c/0"
	chmod 0 "$place/u.zarr/x"
	run 1 "${other[@]}" "$ZINC" tree "$place/u.zarr"
	has "x: cannot be shown" err
	run 1 "${other[@]}" "$ZINC" cp "$place/u.zarr" "$place/v.zarr"
	[ ! -e "$place/v.zarr" ] || bad "a copy without what may not be read"
	chmod 755 "$place/u.zarr/x"
fi

# ---- writing and erasing ----
make t.zarr v3
mkdir s.zarr
cp t.zarr/zarr.json s.zarr/
ln -s ../t.zarr/x s.zarr/x # a linked node
printf ABCD | "$ZINC" put s.zarr/x --from - -s :2,:2 # as reading does, to where the link leads
[ "$("$ZINC" cat t.zarr/x --as raw)" = ABcdCDghijklmnop ] || bad "put does not follow the link"
zinc 0 rm s.zarr/x --yes
[ ! -L s.zarr/x ] || bad "rm left the link"
[ "$("$ZINC" cat t.zarr/x --as raw)" = ABcdCDghijklmnop ] || bad "rm erased what the link leads to"
cp t.zarr/x/c/0/0 kept
ln -sf ../../../../kept t.zarr/x/c/0/0
printf wxyz | "$ZINC" put t.zarr/x --from - -s :2,:2
[ ! -L t.zarr/x/c/0/0 ] && [ "$(cat kept)" = ABCD ] || bad "a put writes through a link to a value"

# ---- refused ----
zinc 0 tree d.zarr --links refuse
mkdir d.zarr/doc
ln -s ../x/zarr.json d.zarr/doc/zarr.json
zinc 3 ls d.zarr/doc --links refuse
says "a symbolic link that is not followed"
rm -r d.zarr/doc
ln -s ../t.zarr d.zarr/t
zinc 0 tree d.zarr
zinc 1 tree d.zarr --links refuse
has "t: cannot be shown: a symbolic link" err
zinc 1 cp d.zarr e.zarr --links refuse
[ ! -e e.zarr ] || bad "a copy without a refused link"
zinc 0 cp d.zarr e.zarr
whole e.zarr/x
zinc 0 info e.zarr/t/x
# ---- beneath: nothing outside the hierarchy found is read, written or erased ----
make f.zarr v3
printf ABCD >secret
ln -sf ../../../../secret f.zarr/x/c/0/0
ln -s ../t.zarr/x f.zarr/out
mkdir outside
zinc 3 cat f.zarr/x --links beneath
has "leads out of the store" err
zinc 1 tree f.zarr --links beneath
has "out: cannot be shown: a symbolic link that leads out of the store" err
zinc 3 info f.zarr/out --links beneath
zinc 3 put f.zarr/out --from secret -s :2,:2 --links beneath
printf abcd | "$ZINC" put f.zarr/x --from - -s :2,:2 --links beneath # whole chunk: its own name
[ "$(cat secret)" = ABCD ] && [ ! -L f.zarr/x/c/0/0 ] || bad "beneath: put went outside"
rm -r f.zarr/x/c/1
ln -s ../../../outside f.zarr/x/c/1
run 3 "$ZINC" put f.zarr/x --from secret -s 2:,:2 --links beneath
[ -z "$(ls outside)" ] || bad "beneath: put went outside"
zinc 3 rm f.zarr/x --yes --links beneath # the target of the link may not belong to the hierarchy
zinc 0 rm f.zarr/x --yes --links beneath --force
[ -d outside ] && [ -e t.zarr/x/zarr.json ] || bad "beneath: rm went outside"
ln -s x2 f.zarr/inner
cp -a d.zarr/x f.zarr/x2
whole f.zarr/inner
"$ZINC" cat f.zarr/inner --links beneath >/dev/null || bad "beneath: a link within"
# ---- a link to a directory without a document does not lead out of the hierarchy either ----
zinc 0 create way.zarr --group
mkdir wayout way.zarr/plain
zinc 0 create wayout/a --shape 4 --dtype uint8 --codecs none --fill 0
printf abcd | "$ZINC" put wayout/a --from -
cp -a wayout/a way.zarr/plain/a
ln -s ../wayout way.zarr/ext
ln -s ../wayout way.zarr/odd.__lock
ln -s plain way.zarr/within
before=$(find wayout | LC_ALL=C sort)
for mode in refuse beneath; do
	for at in ext odd.__lock; do
		zinc 3 info way.zarr/$at/a --links $mode
		zinc 3 cat way.zarr/$at/a --links $mode
		zinc 3 put way.zarr/$at/a --from secret --links $mode
		zinc 3 attrs way.zarr/$at/a set x 1 --links $mode
		zinc 3 rm way.zarr/$at/a --yes --links $mode
		zinc 3 rm way.zarr/$at/a --yes --force --links $mode
		has "a symbolic link" err
	done
	zinc 3 create way.zarr/ext/new --shape 4 --dtype uint8 --links $mode
	zinc 0 info way.zarr/plain/a --links $mode
	ln -sfn . above
	zinc 0 info above/wayout/a --links $mode # above all hierarchies
	zinc 0 info above/way.zarr/plain/a --links $mode
done
[ "$(find wayout | LC_ALL=C sort)" = "$before" ] && [ "$("$ZINC" cat wayout/a --as raw)" = abcd ] ||
	bad "what lies outside was changed"
zinc 0 info way.zarr/within/a --links beneath
zinc 3 info way.zarr/within/a --links refuse
zinc 0 info way.zarr/ext/a

# ---- a link in the place of a root: its target stays ----
make real.zarr v3
ln -s real.zarr link.zarr
for mode in refuse beneath; do
	zinc 0 info link.zarr --links $mode
	zinc 2 rm link.zarr --yes --links $mode
	has "a symbolic link" err
	zinc 2 rm link.zarr --yes --force --links $mode
	zinc 2 rm link.zarr --dry-run --links $mode
	zinc 2 create link.zarr --group --overwrite --links $mode
	zinc 2 create link.zarr --group --overwrite --format v2 --links $mode
	whole link.zarr/x
done
zinc 0 rm link.zarr --yes
[ ! -L link.zarr ] || bad "rm left the link"
whole real.zarr/x
mkdir notes
echo text >notes/text
ln -s notes lk
zinc 3 rm lk --yes --force --links refuse
[ -L lk ] && [ -e notes/text ] || bad "a forced rm of a refused link"
zinc 0 rm lk --yes --force
[ ! -L lk ] && [ -e notes/text ] || bad "a forced rm of a link erased what it leads to"
zinc 0 rm notes --yes --force
[ ! -e notes ] || bad "a forced rm left something"
# ---- links that branch: 2^20 paths ----
zinc 0 create fan.zarr --group
for ((i = 0; i < 20; i++)); do
	mkdir fan.zarr/d$i
	ln -s ../d$((i + 1)) fan.zarr/d$i/x
	ln -s ../d$((i + 1)) fan.zarr/d$i/y
done
mkdir fan.zarr/d20
zinc 4 ls fan.zarr
has "symbolic links lead to more than" err

# ---- too deep for a key ----
name=$(printf %0200d 0)
mkdir deep
(
	cd deep
	for ((i = 0; i < 22; i++)); do mkdir $name && cd -P $name; done
	echo text >text
)
echo text >deep/text
zinc 3 rm deep --yes --force
has "too deep to be erased" err
rm -r deep
# ---- a smaller shape: entries outside that cannot be erased are reported ----
for kind in link row fifo; do
	make small.zarr v3
	case $kind in
	link) ln -sf ../../../../secret small.zarr/x/c/1/1 ;;
	row) rm -r small.zarr/x/c/1 && ln -s ../../../outside small.zarr/x/c/1 ;;
	fifo) rm small.zarr/x/c/1/1 && mkfifo small.zarr/x/c/1/1 ;;
	esac
	zinc 3 resize small.zarr/x 2,2 --links beneath
	has "x/c/1" err
	[ ! -e small.zarr/x/c/0/1 ] || bad "resize left a chunk"
	rm -r small.zarr
done
make small.zarr v3
ln -sf ../../../../nowhere small.zarr/x/c/0/0 # inside
zinc 0 resize small.zarr/x 2,2
# ---- a root that is a link: the link is erased, or nothing ----
for format in $(some v3 v2 v3-2019 v3-2020 v3-2022); do
	rm -rf real.zarr link.zarr
	zinc 0 create real.zarr --group --format $format
	zinc 0 create real.zarr/a --shape 4 --dtype int32
	find real.zarr -type f | sort >before
	ln -s real.zarr link.zarr
	"$ZINC" rm link.zarr --yes 2>err || has "symbolic link" err
	find real.zarr -type f | sort | cmp - before || bad "$format: rm of a link erased what it leads to"
done
finish
