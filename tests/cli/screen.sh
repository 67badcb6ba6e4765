#!/usr/bin/env bash
# screen.sh - what people see: commands in a terminal of 80 and 120 columns, compared with tests/golden/screen
#
# UPDATE=1 writes the golden files again.  No line may be wider than the terminal.
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

command -v tmux >/dev/null || bad "tmux is not installed: scripts/setup.sh test installs it"
golden=$SOURCE/tests/golden/screen
export LC_ALL=C.UTF-8

# ---- a small data set; chunks are not compressed, so sizes do not depend on a library's version ----
numbers() { # numbers FILE COUNT FORMAT: i * 37 % 97, as text for printf of little-endian bytes
	local i byte=()
	for ((i = 0; i < $2; i++)); do
		printf -v byte[i] '\\x%02x\\x00' $((i * 37 % 97))
	done
	printf "$(printf '%s' "${byte[@]}")" >"$1"
}
d=climate.zarr
create() { "$ZINC" create "$@" >/dev/null; }
create $d --group --attrs '{"title":"A small climate data set","Conventions":"CF-1.11","history":"2024-01-01 made by hand; 2024-02-02 changed by hand again, and this line is long enough to be wrapped at eighty columns"}'
create $d/time --shape 12 --dtype int16 --codecs none --dims time --attrs '{"units":"days since 2020-01-01","calendar":"standard"}'
create $d/lat --shape 6 --dtype int16 --codecs none --dims lat --attrs '{"units":"degrees_north"}'
create $d/lon --shape 8 --dtype int16 --codecs none --dims lon --attrs '{"units":"degrees_east"}'
create $d/t2m --shape 12,6,8 --dtype int16 --chunks 4,3,4 --codecs crc32c --dims time,lat,lon --attrs '{"units":"K","long_name":"2 metre temperature"}'
create $d/pr --shape 12,6,8 --dtype int16 --chunks 2,3,4 --shards 4,6,8 --codecs none --dims time,lat,lon
create $d/forecast --group
create $d/forecast/surface --group
create $d/forecast/surface/气温 --shape 6,6,8 --dtype float32 --codecs none --dims time,lat,lon --attrs '{"units":"K"}'
create $d/forecast/surface/steps --shape 5 --dtype int64 --codecs none --dims time
for name in time:12 lat:6 lon:8 t2m:576 pr:576; do
	numbers raw "${name#*:}"
	"$ZINC" put "$d/${name%:*}" --from raw
done
echo hello >$d/README
cp -r $d damaged.zarr
printf X | dd of=damaged.zarr/t2m/c/1/0/1 bs=1 seek=10 conv=notrunc status=none

# ---- the screen ----
socket=screen-$$
trap 'tmux -L "$socket" kill-server 2>/dev/null || true' EXIT

# show WIDTH NAME ARGS...: run it in a new terminal, and compare what is on its screen
show() {
	local width=$1 name=$2 line wide i
	shift 2
	rm -f done
	printf '#!/bin/sh\nexport PATH="%s:$PATH" NO_COLOR=1 LC_ALL=C.UTF-8\nclear\n' "${ZINC%/*}" >program
	printf 'zinc' >>program
	printf " '%s'" "$@" >>program
	printf ' --progress never\necho "status $?"\ntouch done\nexec sleep 60\n' >>program
	tmux -L "$socket" -f /dev/null new-session -d -x "$width" -y 60 "sh ./program" || bad "tmux cannot start"
	for ((i = 0; i < 200; i++)); do
		[ ! -e done ] || break
		sleep 0.05
	done
	[ -e done ] || bad "no end of: zinc $*"
	sleep 0.1
	tmux -L "$socket" capture-pane -p >screen
	tmux -L "$socket" kill-server
	sed -i -e 's/[[:space:]]*$//' -e '/./,$!d' screen
	printf '%s\n' "$(cat screen)" >screen
	"$ZINC" "$@" --progress never >piped 2>/dev/null || true
	grep -q '^status ' screen || bad "zinc $* does not fit the screen"
	if [ -n "${UPDATE:-}" ]; then
		mkdir -p "$golden"
		cp screen "$golden/$name-$width.txt"
	fi
	cmp -s screen "$golden/$name-$width.txt" || { diff "$golden/$name-$width.txt" screen >&2 || true; bad "zinc $* at $width columns"; }
	checks=$((checks + 1))
}

for width in 80 120; do
	show $width tree tree $d
	show $width tree-attrs tree $d --attrs
	show $width tree-sizes tree $d --sizes
	show $width du du $d
	show $width info info $d/pr
	show $width ls ls -lr $d
	show $width stats stats $d/t2m
	show $width stats-group stats $d
	show $width chunks chunks $d/pr -s '0:3, 0:3'
	show $width validate validate damaged.zarr
	show $width cat cat $d/t2m -s '0:2'
	show $width cat-damaged cat damaged.zarr/t2m
	show $width explain explain $d/t2m -s ':, 0, 0'
	show $width plot-heat plot $d/t2m -s time=3
	show $width plot-line plot $d/t2m -s lat=1,lon=2
	show $width plot-hist plot $d/pr --kind hist
	show $width diff diff $d damaged.zarr/forecast
done

# A terminal wraps what is too wide; in a pipe with COLUMNS nothing wraps, so widths can be seen.
for width in 40 80 120; do
	for line in "tree $d" "tree $d --attrs" "tree $d --attrs --full" "tree $d --sizes" "du $d" "info $d/pr" "ls -lr $d" \
		"stats $d" "chunks $d/pr" "explain $d/t2m -s 0,0" "validate damaged.zarr" "stats $d --cf" "codecs" "dtypes" "formats" "stores" \
		"plot $d/t2m -s time=3" "plot $d/t2m -s lat=1,lon=2" "plot $d/pr --kind hist" "bench $d/pr --repeat 1" "conventions $d" \
		"diff $d damaged.zarr/forecast"; do
		COLUMNS=$width "$ZINC" $line >out 2>err || true
		[ "$width" = 40 ] && [[ $line == explain* ]] && continue
		wide=$(python3 -c 'import sys, unicodedata
w = lambda s: sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in s)
print(max(w(l.rstrip("\n")) for l in open("out", encoding="utf-8")))')
		[ "$wide" -le "$width" ] || bad "zinc $line has $wide columns, not $width"
		checks=$((checks + 1))
	done
done
