#!/usr/bin/env bash
# rectilinear.sh - arrays in chunks of several lengths: create, show, resize, copy, check
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

head -c 480 /dev/urandom >noise # 30 x 8 of int16
make() { # PATH OPTIONS...
	"$ZINC" create "$1" --shape 30,8 --dtype int16 --codecs gzip:1 "${@:2}"
	"$ZINC" put "$1" --from noise
}
same() { # as noise
	zinc 0 cat "$1" --as raw
	cmp out noise || bad "$1 has other elements"
	zinc 0 validate "$1"
	has '0 errors, 0 warnings'
}

# ---- create and show ----
make a.zarr/a --chunks '[[5, 10, [7, 2], 1], 3]'
same a.zarr/a
zinc 0 info a.zarr/a
has 'chunks       up to 10 x 3, 60 B, 15 in all'
has 'edges        [[5,10,[7,2],1],3]'
zinc 0 info a.zarr/a --json
has '"chunk_shape":[10,3]'
has '"chunk_grid":{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[5,10,[7,2],1],3]}}'
zinc 0 tree a.zarr
has 'a  int16 (30, 8)  chunks up to (10, 3)  gzip'
make a.zarr/s --chunks 2,2 --shards '[[4, 16, [10, 3]], [6, 2]]'
same a.zarr/s
zinc 0 info a.zarr/s
has 'chunks       2 x 2, 8 B each, 60 in all'
has 'shards       up to 16 x 6, 192 B, 6 in all'
zinc 0 tree a.zarr
has 's  int16 (30, 8)  chunks (2, 2) in shards up to (16, 6)  gzip'
for wrong in '[[5, 10], 3]' '[[5, 25]]' '[[], 3]' '[[5, 25], 0]' '[[5, 25], 3' '[30, "8"]' '[[30, [1, 18446744073709551615]], 3]'; do
	zinc 2 create a.zarr/w --shape 30,8 --dtype int16 --chunks "$wrong"
	[ "$(wc -l <err)" = 1 ] || bad "not one line"
	[ ! -e a.zarr/w ] || bad "something was made"
done
says 'add up to more than 2^64-1'
zinc 2 create a.zarr/w --shape 30,8 --dtype int16 --chunks '[[5, 25], 3]' --shards 30,8
zinc 2 create a.zarr/w --shape 30,8 --dtype int16 --shards '[[4, 26], 8]'
says 'need a chunk shape'
zinc 2 create a.zarr/w --shape 30,8 --dtype int16 --chunks 2,2 --shards '[[4, 25, 2], 8]'
says 'divide'
zinc 2 create w.zarr --format v2 --shape 30,8 --dtype int16 --chunks '[[5, 25], 3]'
says 'several sizes'

# ---- parts ----
zinc 0 chunks a.zarr/a -s '4:6, 2:4'
lines out
[ "$count" = 5 ] || bad "not four chunks"
has '1,1'
zinc 0 chunks a.zarr/s -s '19:21, 0'
has 's/c/1/0'
has 's/c/2/0'
zinc 0 explain a.zarr/a -s '5:15'
# so many that only stored ones are listed, each once
zinc 0 create many.zarr --shape 1099511627776 --dtype int32 --chunks '[[1,[2,549755813888]]]' --codecs none --fill 0
printf '\1\0\0\0\2\0\0\0' | zinc 0 put many.zarr -s 1048575:1048577 --from -
zinc 0 chunks many.zarr
lines out
[ "$count" = 2 ] || bad "not a header and one chunk"
has 'c/524288'
# each stored byte is read once by a pass over the chunks, of which the largest have 10 x 3
stored=$(find a.zarr/a/c -type f -exec cat {} + | wc -c)
for name in full chunks inner; do
	zinc 0 bench a.zarr/a --repeat 1 --json
	tr '{' '\n' <out | grep "\"name\":\"$name\"" | grep -q "\"decoded_bytes\":480,\"stored_bytes\":$stored," ||
		bad "bench reads chunks again for \"$name\""
done
zinc 0 stats a.zarr/a
has 'elements     240'
zinc 0 bench a.zarr/a
zinc 0 plot a.zarr/a

# ---- resize and append ----
cp -r a.zarr/a r.zarr
zinc 0 resize r.zarr 6,8
zinc 0 info r.zarr
has 'edges        [[5,10,[7,2],1],3]'
zinc 0 resize r.zarr 40,8
zinc 0 info r.zarr
has 'edges        [[5,10,[7,2],1,10],3]'
zinc 0 validate r.zarr
zinc 0 cat r.zarr -s '15:, :' --as raw
head -c 400 /dev/zero | cmp out - || bad "erased chunks are back"
zinc 0 cat a.zarr/a -o noise.npy
zinc 0 append r.zarr --from noise.npy
zinc 0 cat r.zarr -s '40:, :' --as raw
cmp out noise || bad "what was appended"
zinc 0 info r.zarr
has 'edges        [[5,10,[7,2],1,[10,4]],3]'

# ---- chunks after the end are legal, and so are their lengths ----
make a.zarr/o --chunks '[[16, 16, 999, [5, 4]], [8, 8]]'
same a.zarr/o
zinc 0 info a.zarr/o
has 'up to 16 x 8'
cp a.zarr/o/c/0/0 a.zarr/o/c/2
mkdir a.zarr/o/c/3
mv a.zarr/o/c/2 a.zarr/o/c/3/0
zinc 0 validate a.zarr
has 'M41'
zinc 0 validate a.zarr --repair --orphans
same a.zarr/o

# ---- copies within v3 keep the chunks, byte for byte ----
zinc 0 cp a.zarr b.zarr
[ ! -s err ] || bad "a copy within v3 has notes"
diff -r a.zarr b.zarr >/dev/null || bad "a copy within v3 differs"
zinc 0 diff a.zarr b.zarr --storage
zinc 0 cp a.zarr/a c.zarr --codecs zstd:1
zinc 0 info c.zarr
has 'edges        [[5,10,[7,2],1],3]'
same c.zarr

# ---- other names of the grid are written anew with the document ----
for grid in '"rectangular", "configuration": {"chunk_shape": [[5, 10, [7, 2], 1], 3]}' \
	'"regular", "configuration": {"chunk_shape": [[5, 10, [7, 2], 1], 3]}'; do
	rm -rf named.zarr c.zarr
	cp -r a.zarr/a named.zarr
	cat >named.zarr/zarr.json <<-EOF
		{"zarr_format": 3, "node_type": "array", "shape": [30, 8], "data_type": "int16", "fill_value": 0, "attributes": {},
		"chunk_grid": {"name": $grid}, "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes",
		"configuration": {"endian": "little"}}, {"name": "gzip", "configuration": {"level": 1}}]}
	EOF
	zinc 0 cp named.zarr c.zarr
	cmp named.zarr/zarr.json c.zarr/zarr.json || bad "a copy without a change is not byte for byte"
	for how in '--codecs zstd' '--dtype int32' '-s :20' '--key-encoding v2'; do
		rm -rf c.zarr
		zinc 0 cp named.zarr c.zarr $how
		lacks replaced err
		zinc 0 info --strict c.zarr
		has 'edges        [[5,10,[7,2],1],3]'
	done
	zinc 0 resize named.zarr 20,8
	zinc 0 info --strict named.zarr
	has 'edges        [[5,10,[7,2],1],3]'
done

# ---- from, to and between chunks of several lengths ----
for to in '--chunks 4,4' '--chunks auto' '--chunks [[1,29],[7,9]]' '--chunks [30,[4,4]]' '--chunks 3,2 --shards [[9,21],[2,6]]' \
	'--chunks 3,2 --shards 6,4' '--format v2' '--format v3-2020' '--format v3-2022' '--format v3-2019'; do
	for from in a s; do
		for more in '' '--max-memory 64k --verify'; do
			rm -rf c.zarr
			zinc 0 cp a.zarr/$from c.zarr $to $more
			same c.zarr
		done
	done
done
rm -rf c.zarr
zinc 0 cp a.zarr/a c.zarr --format v2
has 'replaced: /a: chunks of several lengths become chunks of 10 x 3' err
zinc 0 info c.zarr
has 'chunks       10 x 3,'
zinc 2 cp a.zarr d.zarr --chunks '[[30]]'
says 'no array'
zinc 0 cp a.zarr d.zarr --chunks 'a=[30,[4,4]]' --chunks s=2,2 --shards 's=[[30],8]'
zinc 0 tree d.zarr
has 'a  int16 (30, 8)  chunks up to (30, 4)'
has 's  int16 (30, 8)  chunks (2, 2) in shards up to (30, 8)'
zinc 0 diff a.zarr d.zarr
zinc 2 cp a.zarr/s e.zarr --chunks '[30,[4,4]]' --shards 30,8
rm -rf c.zarr
zinc 0 cp a.zarr/s c.zarr --chunks '[30,[4,4]]'
has 'shards become plain chunks of several lengths' err
same c.zarr

# ---- codecs before the shard: new chunks are whole inner chunks, or there are none ----
index='"index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]'
shard='{"name": "sharding_indexed", "configuration": {"chunk_shape": [2], "codecs": [{"name": "bytes", "configuration": {"endian":
	"little"}}], '$index'}}'
printf '\1\0\2\0\3\0\4\0\5\0\6\0\7\0\10\0' >eight
head -c 2 eight >more
for before in '' '"scale_offset",' '{"name": "cast_value", "configuration": {"data_type": "int32"}},' '{"name": "transpose",
	"configuration": {"order": [0]}}, "scale_offset",'; do
	zinc 0 create k.zarr --overwrite --shape 8 --dtype int16 --chunks '[[4,4]]' --codecs "[$before $shard]"
	zinc 0 put k.zarr --from eight
	zinc 0 resize k.zarr 9
	zinc 0 put k.zarr -s 8: --from more
	zinc 0 cat k.zarr
	prints <<<"[1 2 3 4 5 6 7 8 1]"
	zinc 0 info k.zarr
	has 'edges        [[[4,2],2]]'
	zinc 0 validate --strict k.zarr
	zinc 2 create w.zarr --shape 9 --dtype int16 --chunks '[[4,3,2]]' --codecs "[$before $shard]"
	says 'M86'
done
reshape='{"name": "reshape", "configuration": {"shape": [2, -1]}}'
plain='{"name": "bytes", "configuration": {"endian": "little"}}'
zinc 0 create k.zarr --overwrite --shape 8 --dtype int16 --chunks '[[4,4]]' --codecs "[$reshape, $plain]"
zinc 4 resize k.zarr 9
says 'chunks at the new end of dimension 0 do not fit the codecs'
zinc 0 resize k.zarr 10
zinc 0 resize k.zarr 8
zinc 0 create k.zarr --overwrite --shape 4 --dtype int16 --chunks '[[4,3]]' --codecs "[$reshape, $plain]"
zinc 4 resize k.zarr 7
zinc 0 create k.zarr --overwrite --shape 7 --dtype int16 --chunks '[[4,3]]' --codecs "[$reshape, $plain]"
zinc 4 put k.zarr --from <(head -c 14 noise)
says 'codec reshape: no size for -1'
zinc 0 create k.zarr --overwrite --shape 8 --dtype int16 --chunks '[[4,4]]' --codecs "[$reshape, $plain]"
zinc 0 resize k.zarr 6
zinc 0 resize k.zarr 8
zinc 0 create k.zarr --overwrite --shape 3,6 --dtype int16 --chunks '[3,[1,5]]' --codecs "[\"zarrs.squeeze\", $plain]"
zinc 4 put k.zarr --from <(head -c 36 noise)
says 'codecs give this chunk 1 dimensions, but others 2'

# ---- a shard behind a codec that changes the shape: its chunks are not boxes of the array ----
flat='{"name": "reshape", "configuration": {"shape": [-1]}}'
turn='{"name": "transpose", "configuration": {"order": [1, 0]}}'
for before in "$flat" "$turn, $flat"; do
	zinc 0 create f.zarr --overwrite --shape 30,8 --dtype int16 --chunks 30,8 --codecs "[$before, ${shard/\[2\]/[8]}]"
	zinc 0 put f.zarr --from noise
	for format in v2 n5 v3-2022 v3-2020 v3-2019; do
		rm -rf f2.zarr
		zinc 0 cp f.zarr f2.zarr --format $format
		has "codec reshape is left out" err
		zinc 0 diff f.zarr f2.zarr
	done
done

# ---- a length of 0 in an empty dimension is 1 when it gets elements ----
for length in 0 false; do
	rm -rf o.zarr
	mkdir o.zarr
	cat >o.zarr/zarr.json <<-EOF
		{"zarr_format": 3, "node_type": "array", "shape": [0, 8], "data_type": "int16", "fill_value": 0, "attributes": {},
		"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [$length, 8]}},
		"chunk_key_encoding": {"name": "default"}, "codecs": [$plain]}
	EOF
	zinc 0 resize o.zarr 30,8
	zinc 0 put o.zarr --from noise
	same o.zarr
	zinc 0 info o.zarr
	has 'chunks       1 x 8,'
done
mkdir o2.zarr
echo '{"zarr_format": 2, "shape": [0], "chunks": [0], "dtype": "<i2", "compressor": null, "filters": null, "order": "C",
	"fill_value": 0}' >o2.zarr/.zarray
zinc 0 resize o2.zarr 8
zinc 0 put o2.zarr --from eight
zinc 0 cat o2.zarr
prints <<<"[1 2 3 4 5 6 7 8]"
mkdir l2.zarr
echo '{"zarr_format": 2, "shape": [16], "chunks": [[4, 12]], "dtype": "<i2", "compressor": null, "filters": null, "order": "C",
	"fill_value": 0}' >l2.zarr/.zarray
zinc 5 info l2.zarr
says 'not a list (rule V2-6'

# ---- what is said about chunks that were asked for, and were not ----
zinc 0 cp a.zarr/a j1.zarr --shards 20,6
has 'chunks of several lengths become chunks of one, in shards' err
zinc 0 info j1.zarr
has 'chunks       10 x 3,'
has 'shards       20 x 6,'
zinc 0 cp a.zarr/a j2.zarr --chunks 2,2 --shards 20,6
[ ! -s err ] || bad "a note about chunks that were asked for"
zinc 0 cp a.zarr/a j3.zarr -s '3:20, :' --chunks 4,3
[ ! -s err ] || bad "a note about the chunks of a selection that were asked for"
zinc 0 cp a.zarr/a j4.zarr --shards '[[10,20],6]'
has 'chunks of several lengths become chunks of one, in shards' err
for j in j1 j2 j4; do
	same $j.zarr
done

# ---- a selection keeps what it takes from the start ----
zinc 0 cp a.zarr/a s.zarr -s ':20, 2:7'
zinc 0 info s.zarr
has 'edges        [[5,10,[7,2],1],3]'
zinc 0 cp a.zarr/a t.zarr -s '3:20, :'
has 'chunks of several lengths along dimension 0 become chunks of 10' err
zinc 0 info t.zarr
has 'chunks       10 x 3, 60 B each'
zinc 0 cp a.zarr/s u.zarr -s '3:20, 1'
zinc 0 info u.zarr
has 'shards       16, 32 B each'
for pair in 's :20,2:7' 't 3:20,:' 'u 3:20,1'; do
	read -r name select <<<"$pair"
	from=a.zarr/a
	[ $name != u ] || from=a.zarr/s
	zinc 0 cat $from -s "$select" --as raw
	mv out part
	zinc 0 cat $name.zarr --as raw
	cmp out part || bad "selection $select"
	zinc 0 validate $name.zarr
done

# ---- a selection whose end cuts an inner chunk, where chunks end with the array ----
bounded='{"name": "zarrs.regular_bounded", "configuration": {"chunk_shape": [4, 4]}}'
halves=${shard/\[2\]/[2, 2]}
rm -rf end.zarr
mkdir end.zarr
echo '{"zarr_format": 3, "node_type": "array", "shape": [30, 8], "data_type": "int16", "fill_value": 0, "attributes": {},
	"chunk_grid": '$bounded', "chunk_key_encoding": {"name": "default"}, "codecs": ['$halves']}' >end.zarr/zarr.json
zinc 0 put end.zarr --from noise
for select in ':29' '1:, 1:' ':, 3' '2:5' ':28, 2:' '30:'; do
	rm -rf part.zarr
	zinc 0 cp end.zarr part.zarr -s "$select"
	name='"regular"'
	case $select in
	':28, 2:' | '30:') name=zarrs.regular_bounded ;;
	*) has 'replaced: /: chunk grid zarrs.regular_bounded becomes regular' err ;;
	esac
	has "$name" part.zarr/zarr.json
	zinc 0 cat end.zarr -s "$select" --as raw
	mv out part
	zinc 0 cat part.zarr --as raw
	cmp out part || bad "selection $select"
	zinc 0 validate part.zarr
done
rm -rf part.zarr
zinc 0 cp end.zarr part.zarr -s :29 --chunks 3,3 --shards 6,6
[ ! -s err ] || bad "a note about a grid that was asked for"

# ---- shards in shards, with other chunks and fewer dimensions ----
flip='{"name": "transpose", "configuration": {"order": [1, 0]}}'
for between in "$halves" "$flip, ${halves/\"codecs\": [/\"codecs\": [$flip, }"; do
	zinc 0 create in.zarr --overwrite --shape 30,8 --dtype int16 --chunks 8,8 \
		--codecs "[{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [4, 8], \"codecs\": [$between], $index}}]"
	zinc 0 put in.zarr --from noise
	for to in '--chunks 5,2' '--chunks 2,4 --shards 10,8' '--chunks 3,3 --dtype int16' '--chunks [[15,15],8]' '--chunks 5,3 --format v2'; do
		rm -rf c.zarr
		zinc 0 cp in.zarr c.zarr $to
		case $to in
		*2,4*) lacks 'left out' err ;;
		*15*) has 'shards become plain chunks of several lengths' err ;;
		*) has 'shards in shards are left out, because they do not fit the new chunks' err ;;
		esac
		same c.zarr
	done
	for select in '1' ':, 3' '2:7, 1' '1, 1'; do
		rm -rf c.zarr
		zinc 0 cp in.zarr c.zarr -s "$select"
		has 'shards in shards are left out' err
		zinc 0 cat in.zarr -s "$select" --as raw
		mv out part
		zinc 0 cat c.zarr --as raw
		cmp out part || bad "selection $select"
		zinc 0 validate c.zarr
	done
done

# ---- a copy in parts ----
for to in '' '--chunks [[1,29],[7,9]]' '--format v2'; do
	rm -rf p.zarr
	for k in 2 3 1; do
		zinc 0 cp a.zarr p.zarr --part $k/3 $to
	done
	zinc 0 diff a.zarr p.zarr
	zinc 0 validate p.zarr
done

# ---- a damaged chunk costs its own elements only ----
cp -r a.zarr/a damaged.zarr
printf 'xx' | dd of=damaged.zarr/c/1/1 bs=1 seek=1 conv=notrunc 2>dd
zinc 1 validate damaged.zarr
has 'elements 5:15, 3:6'
zinc 1 plot damaged.zarr --skip-damaged --json
has '"missing":30,'
has '"damaged_chunks":1'

# ---- served, as chunks of one shape ----
"$ZINC" serve a.zarr --no-token >address 2>why &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
for _ in {1..100}; do
	[ ! -s address ] && kill -0 $server 2>/dev/null || break
	sleep 0.1
done
if [ -s address ]; then
	zinc 0 diff a.zarr "$(head -n 1 address)v3"
	zinc 0 info "$(head -n 1 address)v3/a"
	has 'chunks       10 x 3,'
	kill $server
else
	echo "not served: $(cat why)" # built without the server
fi

# ---- the number of chunks costs nothing ----
zinc 0 create h.zarr --shape 4611686018427387904 --dtype int8 --chunks '[[3, [4, 1152921504606846976]]]'
printf '\5' >five
zinc 0 put h.zarr -s 4611686018427387903 --from five
zinc 0 info h.zarr
has '1152921504606846977 in all'
zinc 0 info h.zarr --stored
zinc 0 validate h.zarr
has '1 object'
zinc 0 stats h.zarr
has 'max          5'
zinc 0 chunks h.zarr -s 4611686018427387900:
zinc 0 chunks h.zarr
zinc 4 explain h.zarr # as for equal chunks
zinc 0 cp h.zarr h2.zarr
zinc 0 diff h.zarr h2.zarr
zinc 0 cp h.zarr h3.zarr --chunks '[[[2, 2305843009213693952]]]'
zinc 0 diff h.zarr h3.zarr
zinc 0 cat h3.zarr -s 4611686018427387902: --as csv
has 5

# ---- a chunk that is larger than the usual limit of memory, after a small one ----
zinc 0 create i.zarr --shape 629145610 --dtype int8 --chunks '[[10, 629145600]]' --codecs none
mkdir i.zarr/c
truncate -s 10 i.zarr/c/0
truncate -s 600M i.zarr/c/1
zinc 0 cp --dry-run i.zarr i2.zarr
has 'copy 2 objects of 629145610 bytes'

echo "$checks checks"
