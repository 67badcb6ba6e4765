#!/usr/bin/env bash
# sparse.sh - the cost of sparse arrays depends on the stored chunks, or they are refused at once
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

one() { # URL SELECTION BYTE: an int32 element
	printf '%b' "\\x$3\\0\\0\\0" | "$ZINC" put "$1" -s "$2" --from -
}
zinc 0 create a.zarr --shape 100000,100000 --dtype int32 --chunks 10,10 --fill 3
one a.zarr 500,700 1
one a.zarr 99999,99999 2

zinc 0 stats a.zarr --json
is_json
has '"elements":10000000000,"nan":0,"infinite":0,"min":1,"max":3,"mean":2.9999999997,'
has '"sum":29999999997'
zinc 0 chunks a.zarr
says "only stored chunks"
[ "$(wc -l <out)" = 3 ] || bad "two chunks are stored"
has "c/50/70"
has "c/9999/9999"
zinc 0 chunks a.zarr --json
is_json
has '"only_stored":true}'
zinc 4 explain a.zarr
says "more than 4000000 chunks are selected; select fewer (-s)"
zinc 0 explain a.zarr -s 500:520,690:710
has "chunks       4, 1 of them stored"

# ---- rechunked, to another format, and resumed: only stored chunks are moved ----
zinc 0 cp a.zarr b.zarr --chunks 16,25 --verify
zinc 0 diff a.zarr b.zarr
zinc 0 cp a.zarr v2.zarr --format v2 --verify
zinc 0 diff a.zarr v2.zarr
zinc 0 cp a.zarr gz.zarr --codecs gzip:1 --shards 100,100
zinc 0 diff a.zarr gz.zarr
zinc 0 cat gz.zarr -s 500,700
prints <<<1
[ "$(find gz.zarr -type f | wc -l)" = 3 ] || bad "nothing but what is stored"
one b.zarr 7,8 9
zinc 1 diff a.zarr b.zarr
has "1 of 10000000000 differ, the first at [7, 8]: 3 | 9"
zinc 0 create other.zarr --shape 100000,100000 --dtype int32 --chunks 10,10 --fill 4
zinc 1 diff a.zarr other.zarr
has "10000000000 of 10000000000 differ, the first at [0, 0]: 3 | 4"

# ---- more elements than can be counted ----
big=4611686018427387904
zinc 0 create h.zarr --shape $big,$big --dtype int32 --chunks 10,10
one h.zarr 500,700 1
for command in stats explain chunks "diff h.zarr"; do
	zinc 4 $command h.zarr
	says "more than 2^64 elements are selected; select fewer (-s)"
done
zinc 0 stats h.zarr -s :100000000,:100000000
has "elements     10000000000000000"
has "sum          1"
zinc 0 validate h.zarr
# output beyond the size of any file is not begun; other output is, and stops at a closed pipe and a timeout
for form in text raw csv json npy; do
	zinc 4 cat h.zarr --as $form -o never.$form --timeout 20
	says "more than 2^64 elements are selected; select fewer (-s)"
	[ ! -e never.$form ] || bad "a file was begun"
	run 130 "$ZINC" cat h.zarr --as $form --full -s :,:3 --timeout 0.2
	says "--timeout"
done
for form in csv json; do # text reads everything first, for the width of its columns
	"$ZINC" cat h.zarr --as $form -s :,:3 --timeout 60 | head -c 4 >head.$form
done
[ "$(cat head.csv)" = "0,0," ] || bad "csv: $(cat head.csv)"
[ "$(cat head.json)" = "[[0," ] || bad "json: $(cat head.json)"
zinc 0 cat h.zarr
has "[[0 0 0 ... 0 0 0]"
# each copy has the stored chunks, and no others
for form in "" "--chunks 20,20 --verify" "--dtype int64" "--select 1:,:" "--select :1000,:" "--select 500,:"; do
	rm -rf i.zarr
	zinc 0 cp h.zarr i.zarr $form
	case $form in *1:,:) at=499,700 ;; *500,:) at=700 ;; *) at=500,700 ;; esac
	zinc 0 cat i.zarr -s $at
	prints <<<1
	[ "$(find i.zarr -type f | wc -l)" = 2 ] || bad "$form: nothing but what is stored"
done
zinc 0 create g.zarr --group
zinc 0 cp h.zarr g.zarr/h
zinc 0 mv g.zarr/h g.zarr/i
zinc 0 cat g.zarr/i -s 500,700
prints <<<1
zinc 0 create l.zarr --shape $big --dtype int32 --chunks 1000
one l.zarr 12345 1
zinc 0 stats l.zarr
has "elements     $big"
zinc 0 cp l.zarr m.zarr --chunks 700
zinc 0 diff l.zarr m.zarr
zinc 0 cp l.zarr n.zarr --chunks 700 --dtype int64 --verify
zinc 0 cat n.zarr -s 12345
prints <<<1
zinc 0 create o.zarr --shape $big --dtype int32 --chunks 1000 --fill 300
zinc 4 cp o.zarr p.zarr --dtype uint8 --lossy # every element would have to be written
says "boxes"
[ ! -e p.zarr ] || [ -z "$(ls -A p.zarr)" ] || bad "something was written"

# ---- another fill value: missing chunks are written, to keep their values ----
zinc 0 create masked.zarr --shape 40000 --dtype int32 --chunks 10 --fill 3 --dims x --attrs '{"_FillValue": -1}'
one masked.zarr 17 1
zinc 0 cp masked.zarr masked2.zarr --format v2 --for-xarray --chunks 4000
zinc 0 cat masked2.zarr -s 16:18
prints <<<"[3 1]"
zinc 0 cat masked2.zarr -s 39998:
prints <<<"[3 3]"

# ---- an unreadable entry in the place of a chunk is not the fill value ----
for keys in default v2/; do
	rm -rf odd.zarr good.zarr
	zinc 0 create odd.zarr --shape 5000 --dtype int32 --chunks 1 --key-encoding $keys
	one odd.zarr 7 1
	cp -r odd.zarr good.zarr
	case $keys in default) at=odd.zarr/c/3 ;; *) at=odd.zarr/3 ;; esac
	for how in "mkfifo $at" "mkdir $at" "ln -s nowhere $at"; do
		$how
		zinc 3 stats odd.zarr
		says "3"
		zinc 1 diff odd.zarr good.zarr
		zinc 1 diff good.zarr odd.zarr
		zinc 0 stats odd.zarr -s 4:
		has "sum          1"
		rm -rf $at
	done
	zinc 0 stats odd.zarr
done
zinc 0 create odd2.zarr --shape 100,100 --dtype int32 --chunks 1,1
one odd2.zarr 7,8 1
mkfifo odd2.zarr/c/x # not a chunk: it is not read
zinc 0 stats odd2.zarr
ln -s nowhere odd2.zarr/c/5 # all of a row
zinc 3 stats odd2.zarr
says "c/5"
rm odd2.zarr/c/5

# ---- missing shards are requested once ----
zinc 0 create missing.zarr --shape 800 --dtype int32 --chunks 4 --shards 8
one missing.zarr 3 1
zinc 0 explain missing.zarr
has "requests     101" # each shard once, and the chunk

# ---- near 2^64 ----
zinc 0 create last.zarr --shape 18446744073709551615 --dtype uint8 --chunks 1000000
printf '\5' >bytes
zinc 0 put last.zarr -s 18446744073709551614 --from bytes
zinc 0 stats last.zarr
has "sum          5"
zinc 0 cp last.zarr end.zarr --chunks 2000000
zinc 0 diff last.zarr end.zarr
zinc 0 cat end.zarr -s 18446744073709551613:
prints <<<"[0 5]"
finish
