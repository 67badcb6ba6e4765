#!/usr/bin/env bash
# hops.sh - count the functions between a call and the store, and the calls of the store
#
# For reading one chunk, writing a part of one, opening a node of the draft of 2020 and `cp --format v2` of a group with
# one array: calls of the file system's operations, the deepest stack of such a call, documents parsed and
# printed.  Needs gdb and a build with symbols and without inlining:
#     cmake -B build-hops -S . -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-O0 -g" && cmake --build build-hops --target product
#     scripts/hops.sh [BUILD]
set -euo pipefail

BUILD=$(cd "${1:-build-hops}" && pwd)
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK"

cat >gdb <<'END'
set pagination off
set width 0
tbreak main
run
rbreak ^\(fs_get\|zinc_fs_put\|zinc_fs_del\|zinc_fs_update\|zinc_fs_walk\|zinc_fs_del_prefix\)$
commands
silent
bt
continue
end
break zinc_json_parse
commands
silent
echo PARSED\n
continue
end
rbreak ^zinc_json_print\(_line\)\?$
commands
silent
echo PRINTED\n
continue
end
continue
END

# The deepest stack, from the store upwards.
count() { # count NAME COMMAND...
	local name=$1
	shift
	gdb -q -batch -x gdb --args "$BUILD/zinc" "$@" >"$name.log" 2>&1 || { tail -3 "$name.log" && return 1; }
	awk -v name="$name" '
		/^#0 / { n++; depth = 0; stack = "" }
		/^#/ { depth++; f = $2 ~ /^0x/ ? $4 : $2; stack = stack " " f
		       if (depth > most) { most = depth; deepest = stack } }
		/^PARSED/ { parsed++ }
		/^PRINTED/ { printed++ }
		END { printf "%-14s store calls %3d  deepest %2d  documents parsed %3d  printed %3d\n  %s\n", name, n, most, parsed, printed, deepest }
	' "$name.log"
}

"$BUILD/zinc" create a.zarr/x --shape 8,8 --chunks 4,4 --dtype int32 >/dev/null
"$BUILD/zinc" create d.zarr/x --format v3-2020 --shape 8,8 --chunks 4,4 --dtype int32 >/dev/null
head -c 256 /dev/zero | tr '\0' '\1' >all
head -c 16 all >part
"$BUILD/zinc" put a.zarr/x --from all >/dev/null
count read cat a.zarr/x -s 0:4,0:4 -j 1
count part-write put a.zarr/x --from part -s 0:2,0:2 -j 1
count open-2020 info d.zarr/x
count cp-v2 cp a.zarr b.zarr --format v2 -j 1
