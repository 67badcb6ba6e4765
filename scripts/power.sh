#!/usr/bin/env bash
# power.sh - simulate power cuts during many writes, and check the stored data
#
# A file system in a loop image is shut down without flushing its log, as by a power cut, unmounted and mounted again;
# then every acknowledged write must exist and be complete.  Needs root and loop devices; without them it says so and
# exits 77.  CUTS (20) per file system; ext4, and XFS if mkfs.xfs is installed.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build} cuts=${CUTS:-20}
work=$(mktemp -d)
trap 'umount "$work/m" 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir "$work/m"
passed=0 failed=0

[ "$(id -u)" = 0 ] || { echo "power: needs root"; exit 77; }
cc -std=c11 -D_GNU_SOURCE -O2 -Iinclude tests/power/storm.c -L"$build" -lzinc -lpthread -Wl,-rpath,"$(realpath "$build")" -o "$work/storm"

cut_once() { # filesystem
	truncate -s 400M "$work/d.img"
	"mkfs.$1" -q "$([ "$1" = ext4 ] && echo -F || echo -f)" "$work/d.img"
	mount -o loop "$work/d.img" "$work/m" || { echo "power: no loop devices"; exit 77; }
	"$work/storm" write "$work/m" 6 >"$work/log" 2>/dev/null &
	local storm=$!
	sleep "0.$((RANDOM % 8 + 1))"
	# _IOR('X', 125, u32) with 2: shut down without flushing the log
	python3 -c "import fcntl, os, struct; fcntl.ioctl(os.open('$work/m', 0), 0x8004587d, struct.pack('I', 2))"
	wait "$storm" || true
	umount "$work/m"
	mount -o loop "$work/d.img" "$work/m"
	if "$work/storm" check "$work/m" "$work/log" >"$work/verdict"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "$1:"; cat "$work/verdict"
	fi
	writes=$((writes + $(wc -l <"$work/log")))
	umount "$work/m"
}

for fs in ext4 xfs; do
	command -v "mkfs.$fs" >/dev/null || { echo "power: no mkfs.$fs, left out"; continue; }
	writes=0
	for _ in $(seq "$cuts"); do cut_once "$fs"; done
	echo "power: $fs, $cuts cuts, $writes acknowledged writes"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
