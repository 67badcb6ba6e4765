#!/usr/bin/env bash
# usage.sh - help, man page, version, and every kind of wrong command line
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

# ---- help fits a screen and starts with an example ----
zinc 0 --help
cp out help
prints <help
commands=$(sed -n 's/^  zinc \([a-z]*\) .*/\1/p' help)
[ "$(echo "$commands" | wc -l)" = "$(grep -c 'cmd_[a-z]*, \|cmd_[a-z]*,$' <(sed -n '/command_table/,$p' "$SOURCE/cli/commands.c"))" ] ||
	bad "a command of the table is not in the help"
for command in $commands; do
	zinc 0 "$command" --help
	[ "$(head -c 9 out)" = "Example: " ] || bad "help of $command does not start with an example"
	[ "$(wc -l <out)" -le $([ "$command" = cp ] && echo 28 || echo 24) ] || bad "help of $command does not fit a screen"
	[ "$(awk 'length > 80' out | wc -l)" = 0 ] || bad "help of $command is wider than 80 columns"
	cp out long
	zinc 0 help "$command"
	prints <long
done
[ "$(wc -l <help)" -le 52 ] && [ "$(awk 'length > 80' help | wc -l)" = 0 ] || bad "help does not fit a screen"
zinc 0 cat -h
has "--select"

# ---- the help is true: a copy keeps the layout of its source, and the examples need no missing store ----
zinc 0 cp --help
for option in --chunks --shards --codecs --key-encoding; do
	grep -qe "$option .*\[the source's\]" out || bad "the default of cp $option"
done
zinc 0 create layout.zarr --shape 8 --dtype int8 --chunks 2 --shards 4 --codecs gzip:1 --key-encoding v2
zinc 0 cp layout.zarr kept.zarr
cmp layout.zarr/zarr.json kept.zarr/zarr.json || bad "the copy has another layout"
zinc 0 create --help
has "shard shape, multiples of chunks, or auto [none]"
for command in $commands; do
	"$ZINC" "$command" --help | head -n 1 >out
	lacks .zip
done

# ---- man pages: one for all commands, one for each; formatters report no errors ----
clean() {
	local lint
	if command -v mandoc >/dev/null; then
		# a date is left out on purpose, so that builds can be repeated
		lint=$(mandoc -T lint -W warning out | grep -v 'missing date' || true)
		[ -z "$lint" ] || bad "mandoc complains of $1: $lint"
	fi
	if command -v groff >/dev/null; then
		groff -man -Tascii -ww out >page 2>roff
		[ ! -s roff ] || bad "groff complains of $1: $(head -n 1 roff)"
	fi
}
zinc 0 --man
clean zinc.1
for command in $commands; do has ".B zinc $command"; done
for command in $commands; do
	zinc 0 --man "$command"
	clean "zinc-$command.1"
	has "zinc\\-$command \\-"
	has ".SH EXAMPLE"
	"$ZINC" "$command" --help | sed -n 's/^  .*--\([a-z]*\).*/\1/p' | while read -r option; do
		grep -q -- "\\\\-\\\\-$option" out || bad "the page of $command lacks --$option"
	done
done

zinc 0 --version
has "zinc 0."
has "zstd"

# ---- wrong command lines: one line, status 2 ----
usage() {
	zinc 2 "${@:2}"
	says "$1"
	[ ! -s out ] || bad "a wrong command line prints: $last"
}
usage "a command is missing"
usage "no such command" frobnicate
usage "no such command" help frobnicate
usage "no such command" --man frobnicate
usage "no such option" info x --frobnicate
usage "no such option" info x -Q
usage "no such option" info x --select 3
usage "takes no value" info x --json=yes
usage "a value is missing" cat x --select
usage "a value is missing" cat x -s
usage "not a value" cat x --as xml
usage "not a value" cat x -j many
usage "not a value" cat x -j -1
usage "not a value" tree x --depth 1.5
usage "not a value" cat x --cache-bytes 5X
usage "not a value" cat x --max-memory 99999999999T
usage "not a value" validate x --progress sometimes
usage "must be at least 1" cat x -j 0
usage "usage: zinc info URL" info
usage "usage: zinc info URL" info a b
usage "usage: zinc codecs" codecs x
usage "needs --shape and --dtype" create x.zarr
usage "needs --shape and --dtype" create x.zarr --shape 3
usage "not a list of lengths" create x.zarr --shape 3x4 --dtype int8
usage "not a list of lengths" create x.zarr --shape -3 --dtype int8
usage "not a list of lengths" create x.zarr --shape 99999999999999999999999 --dtype int8
usage "has 1 dimensions" create x.zarr --shape 3,4 --dtype int8 --chunks 3
usage "has 3 dimensions" create x.zarr --shape 3,4 --dtype int8 --shards 3,4,5
usage "does not name" create x.zarr --shape 3,4 --dtype int8 --dims a
usage "with --group give only --attrs" create x.zarr --group --shape 3
usage "data type" create x.zarr --shape 3 --dtype float33
usage "" create x.zarr --shape 3 --dtype int8 --codecs frobnicate:1
usage "" create x.zarr --shape 3 --dtype int8 --fill 300
usage "" create x.zarr --shape 3 --dtype int8 --attrs '[]'
usage "" create x.zarr --shape 3 --dtype int8 --attrs '{'
usage "" create x.zarr --shape 3 --dtype int8 --chunks 0
usage "" create x.zarr --shape 6 --dtype int8 --chunks 2 --shards 3
usage "" create x.zarr --shape 3 --dtype int8 --format v9
usage "--from" put x.zarr
usage "works only with --repair" validate x.zarr --orphans
usage "must be at least 1" bench x.zarr --repeat 0
[ ! -e x.zarr ] || bad "a wrong command line made something"

# ---- words that look like options ----
zinc 0 create ./-x.zarr --shape 4 --dtype int8
zinc 0 info -- -x.zarr
zinc 0 cat -s -2: -- -x.zarr
prints <<<"[0 0]"
zinc 0 cat -s-2: --as=csv -- -x.zarr
prints <<<"0,0"
finish
