# erase.sh - rm, mv and --overwrite erase only what certainly belongs to the node, in every version of Zarr
. "$(dirname "$0")/../support/cli.bash"

# The place of the data of /a in each version.
declare -A data=([v3]=a [v2]=a [v3-2019]=data/a [v3-2020]=data/root/a [v3-2022]=data/a)
declare -A first=([v3]=c/0/0 [v2]=0.0 [v3-2019]=0.0 [v3-2020]=c0/0 [v3-2022]=c0/0)

plant() { # FORMAT: d.zarr with an array /a that has four chunks, and one below a group
	rm -rf d.zarr
	zinc 0 create d.zarr/a --shape 4,4 --dtype uint8 --chunks 2,2 --codecs none --format "$1"
	printf 123456789abcdefg >values
	zinc 0 put d.zarr/a --from values
	zinc 0 create d.zarr/g/b --shape 4 --dtype uint8 --chunks 2 --codecs none
	printf 1234 >values
	zinc 0 put d.zarr/g/b --from values
}

files() { find "$1" ! -type d | sort; }

unchanged() { # STATUS ARGS...: it is refused, and nothing is erased; --dry-run reports the same
	local status=$1
	shift
	files . | grep -v -e ./out -e ./err -e ./before -e ./after -e ./deed >before
	zinc "$status" "$@"
	tail -n 1 err >deed # warnings may be printed twice
	zinc "$status" "$@" --dry-run
	tail -n 1 err | cmp - deed || bad "--dry-run says something else: $*"
	files . | grep -v -e ./out -e ./err -e ./before -e ./after -e ./deed >after
	cmp before after || bad "refused, but erased: $*"
}

for format in $(some v3 v2 v3-2019 v3-2020 v3-2022); do
	plant $format
	[ -f "d.zarr/${data[$format]}/${first[$format]}" ] || bad "$format: no chunk where the test looks for it"

	# ---- files unknown to info ----
	for what in nothing a/nothing g/nothing "a/$(dirname "${first[$format]}")"; do
		[ "$what" != a/. ] || continue
		zinc 3 info "d.zarr/$what"
		unchanged 3 rm --yes "d.zarr/$what"
	done

	# ---- the dry run and the real run ----
	zinc 0 rm --dry-run d.zarr/g
	printf 'would erase /g\nwould erase /g/b\n' | prints
	files d.zarr | grep -v /g >want
	zinc 0 rm --yes d.zarr/g
	files d.zarr | cmp - want || bad "$format: not what was told"
	zinc 3 rm --yes d.zarr/g
	plant $format

	# ---- lock files: those of the node's own keys are erased, a file that only has such a name is foreign ----
	touch "d.zarr/${data[$format]}/${first[$format]}.__lock"
	zinc 0 rm --yes d.zarr/a
	[ ! -e "d.zarr/${data[$format]}" ] || bad "$format: a lock file is left"
	plant $format
	echo precious >"d.zarr/${data[$format]}/diary.__lock"
	unchanged 3 rm --yes d.zarr/a
	says "lock file of ${data[$format]}/diary"
	echo precious >d.zarr/diary.__lock
	zinc 0 validate --repair d.zarr
	has "2 warnings"
	[ -s d.zarr/diary.__lock ] && [ -s "d.zarr/${data[$format]}/diary.__lock" ] || bad "$format: a stranger's file is gone"
	unchanged 3 create d.zarr/a --shape 1 --dtype int8 --overwrite
	plant $format

	# ---- foreign keys, in the array and in the group ----
	echo mine >"d.zarr/${data[$format]}/README"
	unchanged 3 rm --yes d.zarr/a
	says README
	grep -q -- --force err || bad "nobody says how to erase it"
	unchanged 3 rm --yes d.zarr
	unchanged 3 mv d.zarr/a /elsewhere
	unchanged 3 create d.zarr/a --shape 1 --dtype int8 --overwrite
	unchanged 3 cp d.zarr/g/b d.zarr/a --overwrite
	zinc 0 mv d.zarr/a /elsewhere --force
	zinc 0 rm --yes d.zarr/elsewhere --force
	zinc 0 create d.zarr/a --shape 1 --dtype int8
	[ ! -e "d.zarr/${data[$format]}/README" ] || bad "$format: --force left something"

	# ---- chunks outside the shape belong to the array; those of another rank do not ----
	plant $format
	cp "d.zarr/${data[$format]}/${first[$format]}" "d.zarr/${data[$format]}/${first[$format]%0}77"
	zinc 0 rm --yes d.zarr/a
	[ ! -e "d.zarr/${data[$format]}" ] || bad "$format: a chunk outside the shape is left"
	plant $format
	mkdir -p "d.zarr/${data[$format]}/c/5/5"
	echo >"d.zarr/${data[$format]}/c/5/5/5"
	unchanged 3 rm --yes d.zarr/a

	# ---- overwritten: nothing of the old array is visible in the new ----
	plant $format
	zinc 0 create d.zarr/a --shape 4 --dtype uint8 --chunks 2 --fill 7 --overwrite
	zinc 0 cat d.zarr/a --as json
	echo '[7,7,7,7]' | prints
	[ ! -e "d.zarr/${data[$format]}/${first[$format]}" ] || bad "$format: an old chunk is left"

	# ---- a document that is broken ----
	plant $format
	document=$("$ZINC" info d.zarr/a --json | sed -n 's/.*"metadata_key":"\([^"]*\)".*/\1/p')
	cp "d.zarr/$document" sound
	echo '{' >"d.zarr/$document"
	unchanged 5 rm --yes d.zarr/a
	unchanged 5 rm --yes d.zarr
	unchanged 5 create d.zarr/a --shape 1 --dtype int8 --overwrite
	zinc 0 rm --yes d.zarr --force
	[ ! -e d.zarr/zarr.json ] && [ ! -e d.zarr/.zgroup ] || bad "$format: --force erases a broken node"

	# ---- the rest of an interrupted erase: data without documents ----
	plant $format
	rm "d.zarr/$document"
	unchanged 3 rm --yes d.zarr/a
	says "--force"
	zinc 0 rm --yes d.zarr/a --force
	[ ! -e "d.zarr/${data[$format]}" ] || bad "$format: leftovers are left"
done

# ---- a node that cannot be created: nothing is erased for it, below an array as other programs leave them ----
bury() { # FORMAT: d.zarr/a/b, an array below an array, with its chunks
	plant "$1"
	zinc 0 create d.zarr/b --shape 4 --dtype uint8 --chunks 2 --codecs none
	printf 1234 >values
	zinc 0 put d.zarr/b --from values
	document=$("$ZINC" info d.zarr/b --json | sed -n 's/.*"metadata_key":"\([^"]*\)".*/\1/p')
	case $1 in
	v3 | v2) mv d.zarr/b d.zarr/a/b ;;
	*)
		mkdir "d.zarr/$(dirname "$document")/a"
		mv "d.zarr/$document" "d.zarr/$(dirname "$document")/a/"
		mv "d.zarr/$(dirname "${data[$1]}")/b" "d.zarr/${data[$1]}/b"
		;;
	esac
	rm values
}
for format in $(some v3 v2 v3-2019 v3-2020 v3-2022); do
	bury $format
	for option in "" --overwrite; do
		status=$([ -n "$option" ] && echo 2 || echo 3)
		unchanged "$status" create d.zarr/a/b --shape 1 --dtype int8 $option
		unchanged 2 cp d.zarr/g/b d.zarr/a/b $option
		unchanged 2 create d.zarr/a/new --shape 1 --dtype int8 $option
		unchanged 2 create d.zarr/a/new --group $option
		unchanged 2 cp d.zarr/g/b d.zarr/a/new $option
		unchanged 2 mv d.zarr/g/b /a/b $option
	done
	unchanged 2 create d.zarr/a/b --group --overwrite --force
	says "arrays have no children"
done
plant v3-2019 # siblings whose names differ only in case
unchanged 2 create d.zarr/G/b --shape 1 --dtype int8 --overwrite
unchanged 2 cp d.zarr/a d.zarr/A --overwrite
# a parent that is not understood
plant v3
sed -i '1s/^{/{"new": {"x": 1},/' d.zarr/g/zarr.json
unchanged 4 create d.zarr/g/b --shape 1 --dtype int8 --overwrite
unchanged 4 cp d.zarr/a d.zarr/g/b --overwrite

# ---- a dry run of create checks the place as the real run does ----
for format in $(some v3 v2 v3-2019 v3-2020 v3-2022); do
	plant $format
	mkdir -p "d.zarr/${data[$format]%a}left"
	echo >"d.zarr/${data[$format]%a}left/over"
	unchanged 3 create d.zarr/left --shape 1 --dtype int8
	for node in "a --shape 1 --dtype int8" "a --group" "g/b --group"; do
		zinc 3 create d.zarr/$node
		zinc 3 create d.zarr/$node --dry-run
	done
	zinc 0 create d.zarr/new --shape 1 --dtype int8 --dry-run
	sed 1d out >want
	zinc 0 create d.zarr/new --shape 1 --dtype int8
	document=$("$ZINC" info d.zarr/new --json | sed -n 's/.*"metadata_key":"\([^"]*\)".*/\1/p')
	cmp want "d.zarr/$document" || bad "$format: --dry-run shows another document"
	case $format in
	v3 | v2) ;;
	*) # a group without a document may get one
		zinc 0 create d.zarr/g --group --dry-run
		zinc 0 create d.zarr/g --group
		;;
	esac
	zinc 3 create d.zarr/g --group
	zinc 3 create d.zarr/g --group --dry-run
done

# ---- unknown extensions, which may determine keys ----
plant v3
cp d.zarr/a/zarr.json sound
for change in '1s/^{/{"new": {"x": 1},/' '1s/^{/{"storage_transformers": [{"name": "example.x"}],/' 's/"regular"/"example.x"/' \
	's/"default"/"example.x"/'; do
	sed "$change" sound >d.zarr/a/zarr.json
	! cmp -s sound d.zarr/a/zarr.json || bad "the document has not changed: $change"
	zinc 0 info d.zarr/a
	unchanged 4 rm --yes d.zarr/a
	unchanged 4 rm --yes d.zarr
	unchanged 4 mv d.zarr/a /elsewhere
	unchanged 4 create d.zarr/a --shape 1 --dtype int8 --overwrite
	unchanged 4 cp d.zarr/g/b d.zarr/a --overwrite
done
cp sound d.zarr/a/zarr.json
# an unknown codec or data type
for change in 's/"bytes"/"example.unknown"/' 's/"uint8"/"example.unknown"/'; do
	sed "$change" sound >d.zarr/a/zarr.json
	zinc 4 cat d.zarr/a
	unchanged 4 rm --yes d.zarr/a
	unchanged 4 mv d.zarr/a /elsewhere
	unchanged 4 create d.zarr/a --shape 1 --dtype int8 --overwrite
	unchanged 4 cp d.zarr/g/b d.zarr/a --overwrite
done
zinc 0 mv d.zarr/a /elsewhere --force
zinc 0 rm --yes d.zarr/elsewhere --force
[ ! -e d.zarr/elsewhere ] || bad "--force"

# ---- places that are not Zarr ----
mkdir -p docs/sub
echo 1 >docs/a.txt
echo 2 >docs/sub/b.txt
unchanged 3 create docs --group --overwrite
says a.txt
unchanged 3 create docs --shape 2 --dtype int8 --overwrite
plant v3
unchanged 3 cp d.zarr docs --overwrite
unchanged 3 cp d.zarr/a docs --overwrite
unchanged 3 rm --yes docs
says "--force"
zinc 2 create docs --group --force
says "--overwrite"
zinc 0 rm --dry-run --force docs
has "2 keys"
zinc 0 rm --yes --force docs
[ ! -e docs/a.txt ] || bad "--force"
mkdir -p docs/sub
echo 1 >docs/a.txt
zinc 0 create docs --group --overwrite --force
zinc 0 tree docs
[ ! -e docs/a.txt ] || bad "--force"
# a directory of hierarchies is not a hierarchy
rm -rf many
mkdir many
cp -r d.zarr many/one.zarr
unchanged 3 rm --yes many
unchanged 3 create many --group --overwrite
zinc 0 info many/one.zarr/a

# ---- another version in the same place ----
zinc 0 create d.zarr --group --format v2 --overwrite --dry-run
[ -f d.zarr/zarr.json ] || bad "--dry-run erased something"
zinc 0 create d.zarr --group --format v2 --overwrite
files d.zarr | cmp - <(echo d.zarr/.zgroup) || bad "the old version is still there"
plant v3
printf '{"zarr_format": 2}' >d.zarr/.zgroup
unchanged 3 rm --yes d.zarr

# ---- links are erased, their targets stay ----
for format in v3 v2; do
	plant $format
	rm -rf o.zarr
	cp -r d.zarr o.zarr
	files o.zarr >want
	ln -s ../o.zarr/a d.zarr/linked # a node
	mkdir d.zarr/g/deep
	ln -s ../../../o.zarr/g/b d.zarr/g/deep/linked
	rm -r d.zarr/g/b
	ln -s ../../o.zarr/g d.zarr/g/group # with a node below
	zinc 0 rm --yes d.zarr/linked
	[ ! -L d.zarr/linked ] || bad "$format: the link is still there"
	files o.zarr | cmp - want || bad "$format: erased behind a link"
	zinc 0 rm --yes d.zarr/g
	[ ! -e d.zarr/g ] || bad "$format: the group with links is still there"
	files o.zarr | cmp - want || bad "$format: erased behind a link below"
	ln -s ../o.zarr/a d.zarr/linked
	zinc 0 create d.zarr/linked --shape 1 --dtype int8 --overwrite
	[ ! -L d.zarr/linked ] && [ -d d.zarr/linked ] || bad "$format: a new node behind the old link"
	files o.zarr | cmp - want || bad "$format: overwritten behind a link"
	ln -s nowhere d.zarr/a/c/5 2>/dev/null || ln -s nowhere d.zarr/a/5
	unchanged 3 rm --yes d.zarr/a
	mkfifo d.zarr/pipe
	rm -f d.zarr/a/c/5 d.zarr/a/5
	unchanged 3 rm --yes d.zarr
	says pipe
	rm d.zarr/pipe
	touch "d.zarr/$(printf 'a\001b')"
	unchanged 3 rm --yes d.zarr
	zinc 0 rm --yes d.zarr --force
	[ ! -e d.zarr/a ] || bad "$format: --force"
	rm -rf d.zarr
done

# ---- an interrupted copy is started again ----
plant v3
mkdir -p half.zarr/g/b/c
journal='{"zinc_cp": 2, "source": "d.zarr", "path": "/", "steps": 1, "done": 0}'
echo "$journal" >half.zarr/__zinc_cp.json
echo x >half.zarr/g/b/c/0
zinc 3 cp d.zarr half.zarr
zinc 0 cp d.zarr half.zarr --overwrite
diff -r d.zarr half.zarr || bad "begun anew"
# a file that only has a journal's name; and files beside a journal that no copy has put
mkdir -p p/my__zinc_cp_pass
: >p/__zinc_cp.json
unchanged 3 create p --group --overwrite
echo "$journal" >p/__zinc_cp.json
zinc 0 create p --group --overwrite --dry-run
for name in notes.txt my__zinc_cp_pass/x; do
	echo x >"p/$name"
	unchanged 3 create p --group --overwrite
	unchanged 3 cp d.zarr p --overwrite
	rm "p/$name"
done
plant v3
mkdir -p d.zarr/h/b
for text in "" "$journal"; do
	echo "$text" >d.zarr/h/__zinc_cp.json
	echo x >d.zarr/h/b/notes.txt
	files d.zarr >before
	"$ZINC" validate --repair --orphans d.zarr >out 2>err || true
	files d.zarr | cmp - before || bad "validate gave up what is no copy"
done
rm d.zarr/h/b/notes.txt
zinc 0 validate --repair --orphans d.zarr
[ ! -e d.zarr/h/__zinc_cp.json ] || bad "a copy is not given up"

# ---- validate erases orphans of arrays that it understands, nothing else ----
orphan() { # FORMAT SED-EXPRESSION: change the document of /a; apparent orphans stay
	plant "$1"
	document=$("$ZINC" info d.zarr/a --json | sed -n 's/.*"metadata_key":"\([^"]*\)".*/\1/p')
	cp "d.zarr/${data[$1]}/${first[$1]}" "d.zarr/${data[$1]}/${first[$1]%0}77"
	sed -i "$2" "d.zarr/$document"
	files d.zarr >before
	"$ZINC" validate --repair --orphans d.zarr >out 2>err || true
	files d.zarr >after
}
for format in $(some v3 v2 v3-2019 v3-2020 v3-2022); do
	orphan $format ''
	[ "$(comm -23 before after)" = "d.zarr/${data[$format]}/${first[$format]%0}77" ] || bad "$format: the orphan"
done
same() { cmp before after || bad "validate erased what it does not understand: $*"; }
orphan v3-2020 's|"separator": "/"|"separator": "__"|'
same "another separator"
grep -q __ "d.zarr/$document" || bad "the document has no separator"
orphan v3-2022 's|^{|{"unheard-of": 1,|'
same "an unknown member"
orphan v3-2020 's|"extensions": \[\]|"extensions": [{"extension": "https://example.org/x/1.0", "must_understand": true, "configuration": {}}]|'
same "an extension that must be understood"
grep -q example.org "d.zarr/$document" || bad "the document has no extensions"
orphan v3 's|^{|{"new": {"x": 1},|'
same "an unknown member of v3"
orphan v3-2022 's|^{|{"storage_transformers": [{"extension": "https://purl.org/zarr/spec/storage_transformers/sharding/1.0", "type": "unheard-of", "configuration": {"chunks_per_shard": [2, 2]}}],|'
same "another type of sharding"
# chunks of version 2 beside their document, below one of version 3
plant v3
cp -r d.zarr three.zarr
plant v2
cp d.zarr/a/.zarray d.zarr/a/0.0 three.zarr/a/
files three.zarr >before
zinc 0 validate --repair --orphans three.zarr
files three.zarr >after
same "version 2 beside version 3"
# the same if both have the same chunk keys: the smaller array does not decide which chunks of the other are orphans
for smaller in v3 v2; do
	[ $smaller = v3 ] && larger=v2 || larger=v3
	rm -rf small.zarr large.zarr
	zinc 0 create small.zarr/a --format $smaller --key-encoding v2 --shape 2 --chunks 2 --dtype uint8 --codecs none
	zinc 0 create large.zarr/a --format $larger --key-encoding v2 --shape 4 --chunks 2 --dtype uint8 --codecs none
	printf 1234 >values
	zinc 0 put large.zarr/a --from values
	cp large.zarr/a/.z* large.zarr/a/zarr.json large.zarr/a/[0-9]* small.zarr/a/ 2>/dev/null || true
	files small.zarr >before
	zinc 0 validate --repair --orphans small.zarr --format $smaller
	has "it may belong to the other version"
	lacks "erases it"
	files small.zarr >after
	same "chunks that $smaller shares with $larger"
done
# a lost document
rm three.zarr/a/.zarray three.zarr/a/0.0 three.zarr/a/zarr.json
files three.zarr >before
zinc 1 validate --repair --orphans three.zarr
has "error M26"
lacks "erases it"
files three.zarr >after
same "a lost document"

finish
