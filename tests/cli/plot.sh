#!/usr/bin/env bash
# plot.sh - pictures as text, PNG, SVG and JSON; what is refused; the terminal is that of script(1)
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

zinc 0 create i.zarr --shape 4,6 --dtype int16 --chunks 2,4 --dims row,col --codecs none
for n in $(seq 0 23); do bytes "$(printf %02x "$n")" 00; done >numbers
zinc 0 put i.zarr --from numbers

# ---- heat maps ----
zinc 0 plot i.zarr --height 14
prints <<'END'
/ (4, 6)
↓ row  → col
  │                    ░░░░
0 ┤                    ░░░░
  │░░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒
1 ┤░░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒
  │▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓
2 ┤▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓
  │▓▓▓▓████████████████████
3 ┤▓▓▓▓████████████████████
  └──┬───┬───┬───┬───┬───┬─
     0   1   2   3   4   5
0.46      ░░░░░▒▒▒▒▒▓▓▓▓▓████ 22.54
END
[ ! -s err ] || bad "plot talks"
zinc 0 plot i.zarr --json
is_json
prints <<'END'
{"url":"i.zarr","kind":"heat","shape":[4,6],"elements":24,"sampled":false,"numbers":24,"missing":0,"range":[0.46,22.54],"values":[[0.0,1.0,2.0,3.0,4.0,5.0],[6.0,7.0,8.0,9.0,10.0,11.0],[12.0,13.0,14.0,15.0,16.0,17.0],[18.0,19.0,20.0,21.0,22.0,23.0]],"y":[0.0,1.0,2.0,3.0],"x":[0.0,1.0,2.0,3.0,4.0,5.0],"top":"first row","path":"/","title":"/ (4, 6)","long_name":"","units":"","type":"int16","decoded":false,"whole":true,"time":false,"magnitude":false,"selection_shape":[4,6],"axes":[{"axis":0,"dimension":"row","label":"row","units":null,"numbers":"index"},{"axis":1,"dimension":"col","label":"col","units":null,"numbers":"index"}]}
END
# cell i of N has items floor(i n / N) on: of 6 columns on 4 cells 0, 1 2, 3, 4 5
zinc 0 plot i.zarr --json --width 4 --height 2 --range full
has '"shape":[2,4]'
has '"values":[[3.0,4.5,6.0,7.5],[15.0,16.5,18.0,19.5]]'
zinc 0 plot i.zarr --json --range -5,1e2
has '"range":[-5.0,100.0]'
zinc 0 plot i.zarr -s '0:1, :' --json --width 6
has '"kind":"heat","shape":[1,6]'

# ---- lines ----
zinc 0 plot i.zarr -s 2 --height 10
prints <<'END'
/ (6,)
→ col
17 ┤                                                  ⢀⣀⣀⣀⣀⠤⠤⠤⠤⠒⠒⠒⠒⠊⠉⠉
   │                                 ⣀⣀⣀⣀⡠⠤⠤⠤⠤⠒⠒⠒⠒⠉⠉⠉⠉⠁
   │               ⢀⣀⣀⣀⡠⠤⠤⠤⠤⠒⠒⠒⠒⠊⠉⠉⠉⠉
12 ┤⣀⣀⡠⠤⠤⠤⠔⠒⠒⠒⠒⠉⠉⠉⠉⠁
   └┬────────────┬────────────┬────────────┬────────────┬────────────┬
    0            1            2            3            4            5
END
zinc 0 plot i.zarr -s 1 --json --width 3
is_json
has '"kind":"line","shape":[3],'
has '"range":[6.0,11.0],"values":[6.5,8.5,10.5],"min":[6.0,8.0,10.0],"max":[7.0,9.0,11.0],"x":[0.0,2.0,4.0]'
zinc 0 plot i.zarr -s 1 --svg line.svg --width 300 --height 200
[ ! -s out ] || bad "a file is written, and something printed"
has 'd="M90.0 154.0L128.0 130.4L166.0 106.8L204.0 83.2L242.0 59.6L280.0 36.0"' line.svg
has '>col</text>' line.svg
zinc 3 plot i.zarr -s 1 --svg line.svg
says "the file already exists; --overwrite replaces it"
zinc 0 plot i.zarr -s 1 --svg line.svg --overwrite

# ---- histograms ----
zinc 0 plot i.zarr --kind hist --json
is_json
has '"edges":[0.0,1.0,2.0,3.0,4.0,'
has '"values":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]'
zinc 0 plot i.zarr --kind hist --json --range 0,5
has '"outside":18'
zinc 0 plot i.zarr --kind hist --height 10 --width 60
prints <<'END'
/ (4, 6)
↑ elements  → values
1 ┤████████████████████████
  │████████████████████████
  │████████████████████████
0 ┤████████████████████████
  └┬───────────────────┬───
   0                  20
END

# ---- values of all kinds ----
zinc 0 create nan.zarr --shape 3,8 --dtype float32 --fill NaN
zinc 0 plot nan.zarr --height 10
has "│····"
has "  · missing"
lacks "nan"
zinc 0 plot nan.zarr --json --png nan.png
is_json
has '"missing":24,"range":null,"values":[[null,'
zinc 0 plot nan.zarr --kind hist --json
has '"numbers":0,"missing":24,"range":null'
zinc 0 plot nan.zarr -s 0
has "8 of 8 elements are missing"
zinc 0 create inf.zarr --shape 2,2 --dtype float64 --fill '"Infinity"'
zinc 0 plot inf.zarr --json
has '"missing":4'
zinc 0 create same.zarr --shape 5,5 --dtype uint8 --fill 7
zinc 0 plot same.zarr
has "▒▒▒▒▒"
zinc 0 plot same.zarr --kind hist --json
has '"values":[25],"edges":[7.0,8.0]'
zinc 0 create large.zarr --shape 4,4 --dtype float64 --fill 1.7e308 # the sum overflows, the mean does not
zinc 0 plot large.zarr --json --width 1 --height 1
has '"values":[[1.7e+308]]'
zinc 0 create bool.zarr --shape 2,2 --dtype bool --fill true
zinc 0 plot bool.zarr --json
has '"values":[[1.0,1.0],[1.0,1.0]]'
zinc 0 create c.zarr --shape 1,1 --dtype complex64 --fill '[3,4]'
zinc 0 plot c.zarr --json
has '"values":[[5.0]]'
zinc 0 plot c.zarr
has "(1, 1), magnitude"
zinc 0 create t.zarr --shape 4 --dtype 'M8[D]' --fill 18321
zinc 0 plot t.zarr --json
has '"range":["2020-02-29","2020-02-29"]'
zinc 0 plot t.zarr --kind hist
zinc 0 create nat.zarr --shape 4 --dtype 'M8[s]' --fill '"NaT"'
zinc 0 plot nat.zarr --json
has '"missing":4,"range":null'

# a coordinate that descends from left to right has all its labels
zinc 0 create down.zarr --group
zinc 0 create down.zarr/wide --shape 200 --dtype uint8 --dims x
zinc 0 create down.zarr/x --shape 200 --dtype int16 --dims x
for ((i = 200; i > 0; i--)); do printf "\\x$(printf %02x $((i % 256)))\\x00"; done >raw
zinc 0 put down.zarr/x --from raw
COLUMNS=80 run 0 "$ZINC" plot down.zarr/wide --height 10
grep -Eq '^ *200 +150 +100 +50' out || grep -Eq '200 .*180 .*160 .*20' out || bad "labels of a descending axis are missing"

# times of the y axis are not cut in the middle: dates, or the times of one day
zinc 0 create days.zarr --shape 2 --dtype 'M8[h]' --fill 439026
COLUMNS=80 run 0 "$ZINC" plot days.zarr --height 8
has "2020-01-31 ┤"
lacks "2020-01-31T1"
bytes 00 00 00 00 00 00 00 00 06 00 00 00 00 00 00 00 >hours
zinc 0 put days.zarr --from hours
COLUMNS=80 run 0 "$ZINC" plot days.zarr --height 8
has "00 ┤"
has "06 ┤"

# ---- what is refused ----
zinc 0 create d3.zarr --shape 3,4,5 --dtype int8 --dims a,b,c
zinc 2 plot d3.zarr
says "the selection has 3 dimensions (a 3, b 4, c 5) and a heat map has 2; select one index of the others, for example -s 'a=0'"
zinc 2 plot d3.zarr -s 'a=1:3, c=2:4'
says "for example -s 'a=1, c=2:4'"
zinc 0 plot d3.zarr --kind hist
zinc 0 create u3.zarr --shape 3,4,5 --dtype int8
zinc 2 plot u3.zarr
says "(3, 4, 5) and a heat map has 2; select one index of the others, for example -s '0, :, :'"
zinc 2 plot u3.zarr -s '1:, 1:3'
says "for example -s '1, 1:3, :'"
zinc 0 plot u3.zarr -s '0, :, :'
zinc 0 plot u3.zarr -s '0:1, 2:3' # dimensions of length 1 are dropped
zinc 2 plot u3.zarr -s 0 --kind line
zinc 2 plot u3.zarr -s 0,0 --kind heat
says "--kind line"
zinc 2 plot u3.zarr -s 0,0,0
says "one element"
zinc 2 plot u3.zarr -s 2:2
says "has no elements"
zinc 2 plot u3.zarr -s 9
zinc 2 plot u3.zarr -s 0 --svg x.svg
says "--png"
zinc 2 plot u3.zarr -s 0,0 --svg x --png x
for range in 3,1 1,1 1 1,2,3 nan,1 0x1,3 -inf,3 1,1e999 "" , fully; do
	zinc 2 plot i.zarr --range "$range"
	says "LO < HI"
done
zinc 2 plot i.zarr --width 0
zinc 2 plot i.zarr --width 100000 --height 100000
says "at most 16777216 pixels"
zinc 2 plot i.zarr --cmap rainbow
zinc 2 plot i.zarr --kind pie
zinc 0 create s.zarr --shape 4 --dtype string
zinc 2 plot s.zarr
says "type string cannot be drawn"
zinc 0 create r.zarr --shape 4 --dtype "[('a', '<i4'), ('b', '<f8')]"
zinc 2 plot r.zarr
zinc 3 plot nothing.zarr
zinc 3 plot i.zarr --png no/such/directory.png
zinc 0 create bad.zarr --shape 4 --dtype int16 --codecs none
mkdir bad.zarr/c
printf x >bad.zarr/c/0
zinc 5 plot bad.zarr --png bad.png
says "c/0"
[ ! -e bad.png ] || bad "a picture of damaged data"

# ---- coordinates ----
zinc 0 create g.zarr --group
zinc 0 create g.zarr/v --shape 4,6 --dtype int16 --dims lat,lon --codecs none
zinc 0 put g.zarr/v --from numbers
zinc 0 create g.zarr/lat --shape 4 --dtype int8 --dims lat --attrs '{"units": "degrees_north", "axis": "Y"}' --codecs none
bytes f6 00 0a 14 >lat
zinc 0 put g.zarr/lat --from lat
zinc 0 plot g.zarr/v --json
has '"y":[-10.0,0.0,10.0,20.0],"x":[0.0,1.0,2.0,3.0,4.0,5.0],"top":"last row"'
zinc 0 plot g.zarr/v --height 10
has "↑ lat"
grep -n ' ┤' out >ticks
grep -q '^3:\|^4:' <(head -n 1 ticks) || bad "no tick at the top"
has "20 ┤" <(head -n 1 ticks) || bad "north is not at the top"
grep -q '█' <(sed -n 3p out) || bad "the last row is not at the top"
printf x >g.zarr/lat/c/0
zinc 0 plot g.zarr/v --json
has "an axis shows indices" err
has '"y":[0.0,1.0,2.0,3.0]'
# packed numbers and CF times
zinc 0 create g.zarr/p --shape 4 --dtype int16 --dims time --codecs none \
	--attrs '{"scale_factor": 0.5, "add_offset": 10, "_FillValue": -1, "units": "K", "long_name": "packed"}'
bytes 00 00 02 00 ff ff 04 00 >packed
zinc 0 put g.zarr/p --from packed
zinc 0 create g.zarr/time --shape 4 --dtype int32 --dims time --codecs none --attrs '{"units": "days since 2000-02-27"}'
bytes 00 00 00 00 01 00 00 00 02 00 00 00 03 00 00 00 >days
zinc 0 put g.zarr/time --from days
zinc 0 plot g.zarr/p --json
has '"missing":0,"range":[-1.0,4.0]'
zinc 0 plot g.zarr/p --json --cf
has '"missing":1,"range":[10.0,12.0],"values":[10.0,11.0,null,12.0]'
has '"x":["2000-02-27T00:00:00","2000-02-28T00:00:00","2000-02-29T00:00:00","2000-03-01T00:00:00"]'
zinc 0 plot g.zarr/p --cf
has "packed [K] /p (4,)"
has "1 of 4 elements are missing"
has "2000-02-28"
esc=$(printf '\033')
zinc 0 create evil.zarr --shape 2,2 --dtype int8 --dims "$esc[31mred,<&b>"
zinc 0 plot evil.zarr
lacks "$esc"
has '\x1b[31mred'
zinc 0 plot evil.zarr -s 0 --svg evil.svg
has '&lt;&amp;b&gt;' evil.svg
zinc 2 plot evil.zarr -s 0,0
lacks "$esc" err

# ---- sizes ----
zinc 0 create wide.zarr --shape 40,90 --dtype float32 --dims 'a long name of a dimension,another one'
for width in 1 2 5 9 10 13 20 40 80 133; do
	for options in "" "--kind hist" "-s 3" "--height 1" "--height 3 -s :,4"; do
		# shellcheck disable=SC2086
		zinc 0 plot wide.zarr --width $width $options
		while IFS= read -r line; do
			LC_ALL=C.UTF-8
			[ ${#line} -le $width ] || bad "a line of ${#line} columns with --width $width $options: $line"
			unset LC_ALL
		done <out
	done
done

# ---- samples ----
zinc 0 create big.zarr --shape 100000,100000 --dtype float64 --chunks 1000,1000 --fill 3
zinc 0 plot big.zarr
says "a sample, 1 of"
has ", sampled"
zinc 0 plot big.zarr --json --width 5 --height 5
has '"sampled":true'
has '"values":[[3.0,3.0,3.0,3.0,3.0],'
zinc 0 create long.zarr --shape 300000000000 --dtype int64 --chunks 1000000
zinc 0 plot long.zarr --json --width 5
has '"sampled":true'
has '"x":[3'
zinc 0 create hundred.zarr --shape 10000,3500 --dtype float64 --chunks 1000,3500
zinc 0 plot hundred.zarr --exact --width 40
lacks "sampled"
[ ! -s err ] || bad "all is read, and something said"
zinc 0 plot hundred.zarr --progress=always --width 40
has "reading [" err
if ! instrumented && command -v python3 >/dev/null; then
	cat >peak.py <<'END'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
END
	peak=$(python3 peak.py "$ZINC" plot hundred.zarr --exact)
	[ "$peak" -lt 200 ] || bad "$peak MiB for 267 MiB of elements"
	peak=$(python3 peak.py "$ZINC" plot big.zarr)
	[ "$peak" -lt 200 ] || bad "$peak MiB for a sample of 80 GB"
fi

# ---- colours ----
if command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	tty() {
		last=$1
		script -qec "stty cols 60 rows 20; $1" /dev/null </dev/null >raw 2>&1 || bad "failed: $1"
		tr -d '\r' <raw >out
		checks=$((checks + 1))
	}
	unset NO_COLOR
	plot="$ZINC plot i.zarr --progress=never"
	tty "TERM=xterm COLORTERM=truecolor $plot"
	has "$esc[38;2;68;1;84m$esc[48;2;68;1;84m▀▀▀▀"
	has "$esc[38;2;253;231;37m"
	has "$esc[0m"
	tty "TERM=xterm COLORTERM=24bit $plot --cmap grey --range 0,23"
	has "$esc[38;2;0;0;0m"
	tty "TERM=xterm COLORTERM= $plot"
	has "$esc[38;5;53m$esc[48;5;53m▀"
	lacks ";2;"
	tty "TERM=dumb COLORTERM=truecolor $plot"
	lacks "$esc["
	has "░"
	tty "TERM=xterm COLORTERM=truecolor NO_COLOR=1 $plot"
	lacks "$esc["
	tty "TERM=xterm $ZINC plot nan.zarr --progress=never"
	has "$esc[38;5;250m$esc[48;5;250m▀"
	tty "TERM=xterm $plot -s 0"
	has "$esc[32m"
	tty "TERM=xterm $plot -s 0 | cat"
	lacks "$esc["
	export NO_COLOR=1
fi

# ---- PNG, and numbers of all types: as NumPy reduces them ----
run 0 python3 -c 'import struct, zlib
data = open("nan.png", "rb").read()
assert struct.unpack(">II", data[16:24]) == (256, 96)'
rounds=48
! sampled || rounds=12
numpy "$SOURCE/tests/interop/plot.py" "$ZINC" "$PWD/random" $rounds || true

# ---- cells as base64: little-endian float64, NaN for what is missing ----
zinc 0 plot i.zarr -s '0, 0:3' --json --cells base64
is_json
has '"cells":"AAAAAAAAAAAAAAAAAADwPwAAAAAAAABA","cells_min":"AAAAAAAAAAAAAAAAAADwPwAAAAAAAABA","cells_max":"AAAAAAAAAAAAAAAAAADwPwAAAAAAAABA"'
lacks '"values"'
zinc 0 plot i.zarr -s '0:1, 0:2' --json --cells base64
has '"cells":"AAAAAAAAAAAAAAAAAADwPw=="'
zinc 0 plot i.zarr -s '0:1, 0:1' --json --cells base64
has '"cells":"AAAAAAAAAAA="'
zinc 0 plot i.zarr --json --cells numbers
has '"values":[[0.0,'
zinc 2 plot i.zarr --cells base64
says '--cells: works only with --json'

# ---- a picture on standard output ----
zinc 0 plot i.zarr --png -
[ "$(head -c 8 out | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a ] || bad "no PNG on standard output"
zinc 2 plot i.zarr --png - --json
says '--json: standard output is for the picture'

# ---- damage: only elements of chunks that do not decode are missing ----
zinc 0 create damaged.zarr --shape 8,8 --dtype int16 --chunks 2,2 --shards 4,4
for n in $(seq 0 63); do bytes "$(printf %02x "$n")" 00; done >numbers
zinc 0 put damaged.zarr --from numbers
bytes 00 ff 00 ff | dd of=damaged.zarr/c/0/1 bs=1 seek=2 conv=notrunc status=none
zinc 5 plot damaged.zarr --json
says 'c/0/1'
zinc 1 plot damaged.zarr --json --skip-damaged
is_json
has '"numbers":60,"missing":4,'
has '"values":[[0.0,1.0,2.0,3.0,null,null,6.0,7.0],[8.0,9.0,10.0,11.0,null,null,14.0,15.0],[16.0,17.0,18.0,19.0,20.0,21.0,22.0,23.0],'
has '"damaged_chunks":1,"damaged":[{"key":"c/0/1","chunk":[0,1],"region":"0:2, 4:6","message":"the stored checksum is '
says 'damaged.zarr: 1 chunk does not decode: its elements are missing'
zinc 1 plot damaged.zarr --json --skip-damaged -s '::3, [7,5,0]'
has '"values":[[7.0,null,0.0],[31.0,29.0,24.0],[55.0,53.0,48.0]]'
zinc 1 plot damaged.zarr --json --skip-damaged --kind hist
has '"damaged_chunks":1,'
has '"numbers":60,"missing":4,'
zinc 0 plot damaged.zarr --json --skip-damaged -s '4:, :'
has '"damaged_chunks":0,"damaged":[]'
zinc 1 plot damaged.zarr --skip-damaged --png damaged.png
printf x >damaged.zarr/c/1/0
zinc 1 plot damaged.zarr --json --skip-damaged
has '"numbers":44,"missing":20,'
has '"damaged_chunks":5,'

# ---- progress for programs ----
zinc 0 plot i.zarr --json --progress=json
has '{"done":1,"total":1,"bytes":48}' err
finish
