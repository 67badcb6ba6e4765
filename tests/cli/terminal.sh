#!/usr/bin/env bash
# terminal.sh - colours and progress bars on a terminal, and only there; the terminal is that of script(1)
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

if ! command -v script >/dev/null || ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	echo "no script(1): skipped"
	exit 0
fi

# tty COMMAND: run by a shell on a terminal of 100 columns; ./out is the whole output of the terminal, without
# carriage returns at ends of lines
tty() {
	local got=0
	last=$1
	TERM=xterm script -qec "stty cols ${COLS:-100}; $1" /dev/null </dev/null >raw 2>&1 || got=$?
	[ "$got" = "${STATUS:-0}" ] || { cp raw out; bad "exit status $got: $1"; }
	tr -d '\r' <raw >out
	checks=$((checks + 1))
}
unset NO_COLOR
esc=$(printf '\033')

zinc 0 create a.zarr/x --shape 1000,1000 --dtype uint8 --chunks 50,50 --attrs '{"u": 1}'
head -c 1000000 /dev/urandom >noise
zinc 0 put a.zarr/x --from noise
cp -r a.zarr b.zarr
rm b.zarr/x/c/0/0

# ---- colours ----
tty "$ZINC info a.zarr/x"
has "$esc[1m/x$esc[0m"
has "$esc[2mshape"
tty "NO_COLOR=1 $ZINC info a.zarr/x"
lacks "$esc["
tty "NO_COLOR= $ZINC info a.zarr/x" # set, but empty
has "$esc["
tty "TERM=dumb $ZINC info a.zarr/x"
lacks "$esc["
tty "$ZINC info a.zarr/x | cat"
lacks "$esc["
zinc 0 info a.zarr/x
lacks "$esc["
STATUS=1 tty "$ZINC diff a.zarr b.zarr"
has "$esc[1m/x$esc[0m values: "
tty "$ZINC stats a.zarr/x -s 0"
has "$esc[32m#"
tty "$ZINC chunks b.zarr/x -s 0,0"
has "$esc[2mx/c/0/0$esc[0m"

# ---- progress ----
for line in "validate a.zarr:checking [:checked 400 objects, " "stats a.zarr/x:reading [:read " \
	"diff a.zarr a.zarr:comparing [:compared 1000000 elements, in " "cp a.zarr c.zarr:copying [:400 "; do
	IFS=: read -r command bar summary <<<"$line"
	tty "$ZINC $command"
	has "$bar"
	has "$summary"
	grep -qE '[0-9]+/[0-9]+ [a-z]+' out || bad "no units in the bar: $command"
	rm -rf c.zarr
	tty "$ZINC $command --progress=never"
	lacks "$bar"
	rm -rf c.zarr
	tty "$ZINC $command 2>/dev/null" # never on standard output
	lacks "$bar"
	rm -rf c.zarr
	tty "$ZINC $command 2>log" # standard error is a file
	! grep -qF "$bar" log || bad "a bar in a log: $command"
	rm -rf c.zarr
	tty "$ZINC $command >data" # standard output may be one
	has "$bar"
	! grep -qF "$bar" data || bad "a bar among data: $command"
	rm -rf c.zarr
	run 0 sh -c "$ZINC $command --progress=always"
	has "$bar" err
	rm -rf c.zarr
done
# so many objects that the bar is drawn more than once
"$ZINC" create many.zarr --shape 30000 --chunks 1 --dtype int8 --codecs none
mkdir many.zarr/c
python3 -c 'for i in range(30000): open("many.zarr/c/%d" % i, "w").write("x")'
for cols in 26 40 55 80; do # whatever is left out, the remaining time is shown
	COLS=$cols tty "$ZINC validate many.zarr -j 1"
	tr '\r' '\n' <raw | sed "s/$esc\[K//g" | grep -E '^checking' >bars
	[ "$(awk '{ print length }' bars | sort -n | tail -n 1)" -lt "$cols" ] || bad "the bar wraps on $cols columns"
	! grep -E ' [1-9][0-9]*(%| *[0-9]+%)' bars | grep -vE ' [0-9:]+ left$' || bad "no time to go on $cols columns"
	grep -qE ' [0-9:]+ left$' bars || bad "no time to go on $cols columns"
done
finish
