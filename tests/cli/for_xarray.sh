#!/usr/bin/env bash
# for_xarray.sh - what xarray treats as missing, from version 2 to 3 and back: fill_value and the attribute _FillValue
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

make() { # URL ARGS...: an array of four elements, all stored
	local url=$1
	shift
	zinc 0 create "$url" --shape 4 --chunks 2 --codecs none "$@"
}
fill() { # URL BYTES
	printf '%b' "$2" >bytes
	zinc 0 put "$1" --from bytes
}
null() { # FILE: its fill value is null
	has '"fill_value": null' "$1"
}

# ---- version 2 to 3: the same elements are masked ----
make v2.zarr/short --dtype int16 --fill -9999 --dims x --format v2
make v2.zarr/float --dtype float32 --fill NaN --dims x
make v2.zarr/big --dtype '>f8' --fill -9999.5 --dims x
make v2.zarr/flag --dtype bool --fill true --dims x
make v2.zarr/pair --dtype complex64 --fill '[1,"NaN"]' --dims x
make v2.zarr/none --dtype int16 --dims x
make v2.zarr/plain --dtype int16 --fill 7
make v2.zarr/own --dtype float32 --fill 0 --dims x --attrs '{"_FillValue":-1.5}'
make v2.zarr/text --dtype '<U2' --dims x
zinc 0 create v2.zarr/scalar --shape '' --dtype int32 --fill 5
sed -i 's/"fill_value": .*,/"fill_value": null,/' v2.zarr/none/.zarray v2.zarr/text/.zarray v2.zarr/own/.zarray
null v2.zarr/none/.zarray
for name in short float big flag pair none plain own; do
	case $name in short | none | plain) size=8 ;; float | own) size=16 ;; flag) size=4 ;; *) size=32 ;; esac
	head -c $size /dev/zero | tr '\0' '\1' >bytes
	zinc 0 put v2.zarr/$name --from bytes
done
fill v2.zarr/text 'a\0\0\0\0\0\0\0b\0\0\0\0\0\0\0c\0\0\0\0\0\0\0d\0\0\0\0\0\0\0'
zinc 0 cp v2.zarr v3.zarr --format v3
has '"_FillValue": -9999' v3.zarr/short/zarr.json
has '"_FillValue": "AAAAAAAA+H8="' v3.zarr/float/zarr.json
has '"_FillValue": "AAAAAMCHw8A="' v3.zarr/big/zarr.json
has '"_FillValue": true' v3.zarr/flag/zarr.json
has '"_FillValue": ["AAAAAAAA8D8=", "AAAAAAAA+H8="]' v3.zarr/pair/zarr.json
has '"_FillValue": "AAAAAAAA+L8="' v3.zarr/own/zarr.json
lacks _FillValue v3.zarr/none/zarr.json
lacks _FillValue v3.zarr/plain/zarr.json # no names: xarray does not mask it
lacks _FillValue v3.zarr/text/zarr.json
zinc 0 diff v2.zarr v3.zarr

lacks notice err

# ---- version 2 with both: there fill_value masks, in version 3 the attribute does ----
make both2.zarr/two --dtype int16 --fill -9999 --dims x --attrs '{"_FillValue":-1}' --format v2
make both2.zarr/nan --dtype float32 --fill NaN --dims x --attrs '{"_FillValue":-1.5}'
make both2.zarr/same --dtype int16 --fill -1 --dims x --attrs '{"_FillValue":-1}'
make both2.zarr/null --dtype int16 --fill -9999 --dims x --attrs '{"_FillValue":-1}'
sed -i 's/"fill_value": .*,/"fill_value": null,/' both2.zarr/null/.zarray
zinc 0 cp both2.zarr both3.zarr --format v3
has 'notice: /two: xarray masks fill_value -9999 in v2, but the attribute _FillValue -1 in v3' err
has 'notice: /nan: xarray masks fill_value "NaN" in v2, but the attribute _FillValue -1.5 in v3' err
lacks 'notice: /same' err
lacks 'notice: /null' err
has '"_FillValue": -1' both3.zarr/two/zarr.json
has '"fill_value": -9999' both3.zarr/two/zarr.json

# ---- and back: the same documents ----
zinc 0 cp v3.zarr back.zarr --format v2
for name in short float big flag pair none plain own text; do
	cmp v2.zarr/$name/.zarray back.zarr/$name/.zarray || bad "$name: .zarray is another"
	[ ! -e v2.zarr/$name/.zattrs ] || cmp v2.zarr/$name/.zattrs back.zarr/$name/.zattrs || bad "$name: .zattrs is another"
done
zinc 0 diff v2.zarr back.zarr
has '"_ARRAY_DIMENSIONS": []' back.zarr/scalar/.zattrs

# ---- any chain of formats gives the result of the direct copy ----
formats="v3-2019 v3-2020 v3-2022 v3"
mkdir one.zarr
zinc 0 create one.zarr --group --format v2
zinc 0 create one.zarr/s --shape '' --dtype int32 --attrs '{"u":1,"_ARRAY_DIMENSIONS":[]}'
for name in short float big none own; do
	cp -r v2.zarr/$name one.zarr
done
make one.zarr/bare --dtype int16 # no names, nothing stored
sed -i 's/"fill_value": .*,/"fill_value": null,/' one.zarr/bare/.zarray
zinc 0 cp one.zarr want.zarr --format v3
for a in $formats; do
	zinc 0 cp one.zarr a-$a.zarr --format $a
	lacks notice err
	zinc 0 diff one.zarr a-$a.zarr
	for b in $(some $formats); do
		[ $a != $b ] || continue
		rm -rf b.zarr c.zarr v.zarr
		zinc 0 cp a-$a.zarr b.zarr --format $b
		lacks notice err
		zinc 0 cp b.zarr v.zarr --format v3
		zinc 0 diff want.zarr v.zarr
		zinc 0 cp b.zarr c.zarr --format v2
		zinc 0 diff one.zarr c.zarr
		for name in s short float big none own; do
			[ "$(grep fill_value one.zarr/$name/.zarray)" = "$(grep fill_value c.zarr/$name/.zarray)" ] ||
				bad "v2, $a, $b, v2: $name has another fill value"
			[ ! -e one.zarr/$name/.zattrs ] || cmp one.zarr/$name/.zattrs c.zarr/$name/.zattrs ||
				bad "v2, $a, $b, v2: $name has other attributes"
		done
		case "$a $b " in *"v3 "* | *2022*) ;; *) null c.zarr/bare/.zarray ;; esac
	done
done
null a-v3-2019.zarr/meta/root/none.array
null a-v3-2020.zarr/meta/root/none.array.json
has '"fill_value": 0' a-v3-2022.zarr/meta/none.array.json
has '"_FillValue": -9999' a-v3-2022.zarr/meta/short.array.json
zinc 0 cp one.zarr/none kept.zarr --format v2 --dtype float32
null kept.zarr/.zarray
cp -r one.zarr/none zero.zarr
sed -i 's/"fill_value": null/"fill_value": 0/' zero.zarr/.zarray
zinc 1 diff one.zarr/none zero.zarr # a reader that masks would show something else
has fill_value

# ---- version 3 to 2: null where nothing masks, or the attribute does, and everything is stored ----
make w3.zarr/bare --dtype int16 --dims x
fill w3.zarr/bare '\1\0\0\0\0\0\2\0'
make w3.zarr/masked --dtype int16 --dims x --attrs '{"_FillValue":-1}'
fill w3.zarr/masked '\1\0\0\0\377\377\2\0'
make w3.zarr/sparse --dtype int16 --dims x
printf '\1\0\0\0' >bytes
zinc 0 put w3.zarr/sparse --from bytes -s 0:2
make w3.zarr/other --dtype int16 --fill 7 --dims x
make w3.zarr/nan --dtype float32 --fill NaN --dims x --attrs '{"_FillValue":"AAAAAICHw8A="}'
zinc 0 cp w3.zarr w2.zarr --format v2
for name in sparse other nan; do
	has "notice: /$name: xarray will mask fill_value" err
done
has 'for-xarray keeps' err
lacks 'notice: /bare' err
lacks 'notice: /masked' err
null w2.zarr/bare/.zarray
null w2.zarr/masked/.zarray
has '"_FillValue": -1' w2.zarr/masked/.zattrs
has '"fill_value": 0' w2.zarr/sparse/.zarray
has '"fill_value": 7' w2.zarr/other/.zarray
has '"_FillValue": -9999.0' w2.zarr/nan/.zattrs
zinc 0 diff w3.zarr w2.zarr
zinc 0 cp w3.zarr x2.zarr --format v2 --for-xarray --verify
lacks notice err
null x2.zarr/bare/.zarray
null x2.zarr/sparse/.zarray
null x2.zarr/other/.zarray
has '"fill_value": -9999.0' x2.zarr/nan/.zarray
has '"fill_value": -1' x2.zarr/masked/.zarray
lacks _FillValue x2.zarr/masked/.zattrs
for name in bare masked sparse other; do # a missing value is different
	zinc 0 cat w3.zarr/$name --as json
	cp out want
	zinc 0 cat x2.zarr/$name --as json
	cmp out want || bad "$name: other elements"
done
[ -s x2.zarr/other/1 ] || bad "what null does not mean is stored"
zinc 0 cp w3.zarr y2.zarr --format v2 --json
is_json
has '"kind":"notice"'

# ---- if null is written, every chunk is stored, even one of zeros ----
stored() { # DIRECTORY COUNT
	[ "$(ls "$1" | wc -l)" = "$2" ] || bad "$1: not $2 chunks"
}
printf '\1\0\0\0\0\0\0\0' >bytes
zinc 0 create sh.zarr/a --shape 8 --dtype int16 --chunks 2 --shards 8 --dims x
zinc 0 put sh.zarr/a --from bytes -s 0:4
zinc 0 cp sh.zarr sh2.zarr --format v2
null sh2.zarr/a/.zarray
stored sh2.zarr/a 4
zinc 0 create raw.zarr/a --shape 8 --dtype int16 --chunks 2 --codecs none --dims x
zinc 0 put raw.zarr/a --from bytes -s 0:4
zinc 0 cp raw.zarr raw2.zarr --format v2 --for-xarray # the same objects except for null
null raw2.zarr/a/.zarray
stored raw2.zarr/a 4
zinc 0 create few.zarr/a --shape 100 --dtype int16 --chunks 2 --dims x
zinc 0 put few.zarr/a --from bytes -s 0:4
zinc 0 cp few.zarr few2.zarr --format v2 --for-xarray --codecs none
null few2.zarr/a/.zarray
stored few2.zarr/a 50
zinc 0 diff few.zarr few2.zarr

# ---- another type ----
zinc 0 cp v2.zarr/short t.zarr --format v3 --dtype float32
has '"_FillValue": "AAAAAICHw8A="' t.zarr/zarr.json
zinc 0 cp t.zarr i.zarr --dtype int32
has '"_FillValue": -9999' i.zarr/zarr.json
zinc 0 cp t.zarr s.zarr --format v2 --dtype int16
has '"fill_value": -9999' s.zarr/.zarray
lacks _FillValue s.zarr/.zattrs
zinc 0 cp v2.zarr/own o.zarr --format v3 --dtype float64
has '"_FillValue": "AAAAAAAA+L8="' o.zarr/zarr.json

# ---- keys of chunks ----
zinc 0 create k.zarr --shape 4,4 --chunks 2,2 --dtype uint8
head -c 16 /dev/zero | tr '\0' '\1' >bytes
zinc 0 put k.zarr --from bytes
zinc 0 cp k.zarr k2.zarr --format v2
has '"dimension_separator": "/"' k2.zarr/.zarray
[ -e k2.zarr/1/1 ] || bad "keys of another separator"
for how in default:c/1/1 default.:c.1.1 v2:1.1 v2/:1/1; do
	zinc 0 cp k.zarr "k${how%%:*}".zarr --key-encoding "${how%%:*}" --verify
	[ -e "k${how%%:*}.zarr/${how#*:}" ] || bad "$how: no such key"
	zinc 0 diff k.zarr "k${how%%:*}".zarr
done
for how in default:1/1 default.:1.1 v2:1.1 v2/:1/1; do # the draft of 2019 has only the separator
	zinc 0 cp k.zarr "d${how%%:*}".zarr --format v3-2019 --key-encoding "${how%%:*}" --verify
	[ -e "d${how%%:*}.zarr/data/${how#*:}" ] || bad "$how: no such key in v3-2019"
	zinc 0 diff k.zarr "d${how%%:*}".zarr
done
zinc 0 cp k.zarr d.zarr --format v3-2019
[ -e d.zarr/data/1/1 ] || bad "keys of another separator in v3-2019"
zinc 0 create d5.zarr --shape 4,4 --chunks 2,2 --dtype uint8 --format v3-2019
zinc 0 put d5.zarr --from bytes
[ -e d5.zarr/data/1.1 ] || bad "a new array of v3-2019 has not its own keys"
zinc 0 cp k.zarr k3.zarr --format v2 --key-encoding v2
has '"dimension_separator": "."' k3.zarr/.zarray
zinc 2 cp k.zarr k4.zarr --key-encoding v3
zinc 0 create k5.zarr --shape 4 --dtype uint8 --format v2 # a new array has the default of the version
has '"dimension_separator": "."' k5.zarr/.zarray

finish
