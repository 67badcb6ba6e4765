#!/usr/bin/env bash
# interrupt.sh - Ctrl-C ends with 130 and leaves no half-written key and no other files
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

zinc 0 create a.zarr --shape 1000,100 --dtype int8 --chunks 100,100 --codecs none
head -c 100000 /dev/zero | tr '\0' a >old
zinc 0 put a.zarr --from old

# while it waits for its input
mkfifo pipe
"$ZINC" put a.zarr --from pipe 2>err &
job=$!
exec 9>pipe
head -c 50000 /dev/zero >&9
sleep 0.3
kill -INT $job
status=0
wait $job || status=$?
exec 9>&-
[ $status = 130 ] || bad "interrupted: status $status"
zinc 0 cat a.zarr --as raw
cmp out old || bad "an interrupted put changed something"
zinc 0 validate a.zarr
has "0 errors, 0 warnings"

# while it prints: the reader of the pipe waits
mkfifo slow
"$ZINC" cat a.zarr --as csv >slow 2>err &
job=$!
exec 8<slow
sleep 0.2
kill -INT $job
sleep 0.2
kill -INT $job 2>/dev/null || true # the second one ends it even in the middle of a write
status=0
wait $job || status=$?
exec 8<&-
[ $status = 130 ] || [ $status = 0 ] || bad "interrupted: status $status"

# -o leaves no temporary file
mkfifo gate
"$ZINC" create b.zarr --shape 4000,4000 --dtype float64 --fill 0.1
"$ZINC" cat b.zarr --as csv -o big.csv 2>err &
job=$!
sleep 0.2
kill -INT $job 2>/dev/null || true
status=0
wait $job || status=$?
[ $status = 130 ] || [ $status = 0 ] || bad "interrupted: status $status"
[ $status = 0 ] || [ -z "$(find . -name 'big.csv*')" ] || bad "a temporary file is left"
finish
