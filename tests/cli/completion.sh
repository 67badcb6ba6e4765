#!/usr/bin/env bash
# completion.sh - what `zinc --complete` offers, and the scripts in bash, zsh and fish (those that are installed)
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

mkdir bin
printf '#!/bin/sh\nexec "%s" "$@"\n' "$ZINC" >bin/zinc
chmod +x bin/zinc
PATH=$PWD/bin:$PATH

zinc 0 create d.zarr/group/a --shape 4 --dtype int8
zinc 0 create d.zarr/great --shape 4 --dtype int8
zinc 0 create d.zarr/other --shape 4 --dtype int8

# ---- the candidates, in their first column ----
offers() {
	local want=$1
	shift
	zinc 0 --complete "$@"
	[ "$(cut -f 1 out | paste -sd ' ')" = "$want" ] || bad "offered for '$*': $(cut -f 1 out | paste -sd ' ')"
}
offers "cat" cat
offers "validate" val
offers "tree" help tr
offers "" frobnicate x
offers "--select" cat --sel
offers "--as" cat x --a
offers "text csv json npy raw" cat --as ""
offers "csv" cat --as c
offers "--as=npy" cat --as=n
offers "always auto" validate --progress a
offers "" cat -s ""
offers "" cat -o x
offers "" info --as
offers "d.zarr/great d.zarr/group/" cat d.zarr/gr
offers "d.zarr/group/a" cat d.zarr/group/
offers "" cat nothing.zarr/x
offers "" cat d.zarr
offers "bash zsh fish" completion ""
zinc 0 --complete ""
[ "$(wc -l <out)" = "$(grep -c '^  zinc ' <("$ZINC" --help))" ] || bad "not every command is offered"
for shell in bash zsh fish; do
	zinc 0 completion $shell
	[ -s out ] || bad "no script for $shell"
	cp out script.$shell
done
zinc 2 completion csh
says "unknown shell"

# ---- bash: words as readline splits them ----
cat >try.bash <<'END'
. ./script.bash
try() {
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
	compopt() { echo nospace; }
	_zinc
	echo "${COMPREPLY[@]}"
}
try zinc va
try zinc cat d.zarr/gr
try zinc cat d.zarr/grou
try zinc cat --as = js
try zinc cat --as =
try zinc cat file : "//$PWD/d.zarr/o"
try zinc cat nothing/
complete -p zinc
END
run 0 bash try.bash
prints <<END
validate
d.zarr/great d.zarr/group/
nospace
d.zarr/group/
json
text csv json npy raw
//$PWD/d.zarr/other

complete -o default -F _zinc zinc
END

# names that a shell would take apart: quoted, or not offered within quotes that they would end
zinc 0 create q.zarr --group
zinc 0 create 'q.zarr/with space' --shape 1 --dtype int8
zinc 0 create 'q.zarr/x;touch $(pwned)' --shape 1 --dtype int8
zinc 0 create "q.zarr/it's" --shape 1 --dtype int8
sed -n '1,/^}/p' try.bash >quotes.bash
cat >>quotes.bash <<'END'
try zinc cat q.zarr/w
try zinc cat 'q.zarr/with\ s'
try zinc cat q.zarr/x
try zinc cat q.zarr/i
END
run 0 bash quotes.bash
prints <<'END'
q.zarr/with\ space
q.zarr/with\ space
q.zarr/x\;touch\ \$\(pwned\)
q.zarr/it\'s
END

# ---- zsh: the function, with its additions printed ----
if command -v zsh >/dev/null; then
	cat >try.zsh <<'END'
compdef() { print "compdef $*"; }
compadd() { print -r -- "$@"; }
_files() { print files; }
source ./script.zsh
try() { words=("$@"); CURRENT=$#; _zinc; }
try zinc va
try zinc cat d.zarr/gr
try zinc cat --as=j
try zinc cat nothing/
END
	run 0 zsh -f try.zsh
	prints <<'END'
compdef _zinc zinc
-- validate
-- d.zarr/great
-S  -- d.zarr/group/
-- --as=json
files
END
fi

# ---- fish has a command for it ----
if command -v fish >/dev/null; then
	run 0 env HOME="$PWD" fish --no-config -c 'source ./script.fish; complete -C "zinc va"; complete -C "zinc cat d.zarr/gr"; complete -C "zinc cat --as "'
	cut -f 1 out >first
	mv first out
	prints <<'END'
validate
d.zarr/great
d.zarr/group/
csv
json
npy
raw
text
END
fi
finish
