#!/usr/bin/env bash
# bench_serve.sh - `zinc serve` beside nginx: ranges of 64 KiB and 1 MiB and whole small files, from files
#
# Both serve the same directory to wrk, in turns; nginx with sendfile and without a log, zinc with its log in a file.
# Medians of ROUNDS [7] rounds of SECONDS [4], and the peak memory of each.  BENCH_QUICK=1 is a short form for CI, which
# writes to build/bench; else the table is written to bench/serve.md.  ZINC names another command than that of build/.
set -euo pipefail
cd "$(dirname "$0")/.."

BUILD=${BUILD:-build}
ROUNDS=${ROUNDS:-${BENCH_QUICK:+3}}
ROUNDS=${ROUNDS:-7}
SECONDS_EACH=${SECONDS_EACH:-${BENCH_QUICK:+1}}
SECONDS_EACH=${SECONDS_EACH:-4}
OUT=bench/serve.md
[ -z "${BENCH_QUICK:-}" ] || { mkdir -p "$BUILD/bench" && OUT=$BUILD/bench/serve.md; }

scripts/setup.sh build bench-serve
if [ -z "${ZINC:-}" ]; then
	cmake -G Ninja -B "$BUILD" -S . --log-level=WARNING >/dev/null
	cmake --build "$BUILD" -j "${JOBS:-2}" --target product -- --quiet
	ZINC=$PWD/$BUILD/zinc
fi

work=$(mktemp -d)
nginx_pid= zinc_pid=
finish() {
	[ -z "$zinc_pid" ] || kill "$zinc_pid" || true
	[ -z "$nginx_pid" ] || kill "$nginx_pid" || true
	wait
	rm -rf "$work"
}
trap finish EXIT

# ---- the data: 64 files of 4 MiB, 1 000 of 4 KiB ----
mkdir -p "$work/d/large" "$work/d/small" "$work/tmp"
echo '{"zarr_format":3,"node_type":"group"}' >"$work/d/zarr.json"
for i in $(seq 0 63); do head -c 4194304 /dev/urandom >"$work/d/large/$i"; done
for i in $(seq 0 999); do head -c 4096 /dev/urandom >"$work/d/small/$i"; done
chmod -R a+rX "$work"

# ---- the servers ----
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat >"$work/nginx.conf" <<END
worker_processes $(nproc);
pid $work/nginx.pid;
error_log $work/nginx.log;
daemon off;
events { worker_connections 1024; }
http {
	access_log off;
	sendfile on;
	tcp_nopush on;
	keepalive_requests 1000000;
	client_body_temp_path $work/tmp/1; proxy_temp_path $work/tmp/2; fastcgi_temp_path $work/tmp/3;
	uwsgi_temp_path $work/tmp/4; scgi_temp_path $work/tmp/5;
	server { listen 127.0.0.1:$port; location /t/raw/ { alias $work/d/; } }
}
END
"$(command -v nginx || echo /usr/sbin/nginx)" -c "$work/nginx.conf" &
nginx_pid=$!
"$ZINC" serve "$work/d" --token t >"$work/url" 2>"$work/log" &
zinc_pid=$!
for _ in $(seq 100); do
	[ -s "$work/url" ] && [ -e "$work/nginx.pid" ] && break
	sleep 0.05
done
zinc_at=$(sed 's|/t/$||' "$work/url")
nginx_at=http://127.0.0.1:$port

cat >"$work/ask.lua" <<'END'
local kind = os.getenv("KIND")
local size = tonumber(os.getenv("SIZE"))
local i = 0
request = function()
	i = i + 1
	if kind == "small" then
		return wrk.format("GET", "/t/raw/small/" .. (i * 7919) % 1000)
	end
	local first = ((i * 7919) % math.floor(4194304 / size)) * size
	return wrk.format("GET", "/t/raw/large/" .. (i * 31) % 64, {["Range"] = "bytes=" .. first .. "-" .. first + size - 1})
end
response = function(status)
	if status ~= 206 and status ~= 200 then wrk.thread:stop() end
end
END
[ -n "${CHECK_STATUS:-}" ] || sed -i '/^response/,$d' "$work/ask.lua"

measure() { # measure URL KIND SIZE: requests per second
	KIND=$2 SIZE=$3 wrk -t 2 -c 16 -d "${SECONDS_EACH}s" -s "$work/ask.lua" "$1" >"$work/wrk"
	! grep -q 'Non-2xx' "$work/wrk" || { echo "bench: other answers than 200 and 206" >&2 && cat "$work/wrk" >&2 && exit 1; }
	sed -n 's|^Requests/sec: *||p' "$work/wrk"
}

peak() { # peak PID: MiB of it and of its children
	local sum=0 pid
	for pid in "$1" $(pgrep -P "$1" || true); do
		sum=$((sum + $(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status")))
	done
	echo $((sum / 1024))
}

for round in $(seq "$ROUNDS"); do
	for kind in "range 65536" "range 1048576" "small 4096"; do
		# shellcheck disable=SC2086
		set -- $kind
		for server in zinc nginx; do
			at=${server}_at
			echo "$1 $2 $server $(measure "${!at}" "$1" "$2")" >>"$work/times"
		done
	done
	echo "bench: round $round of $ROUNDS" >&2
done
python3 - "$work/times" "$(peak "$zinc_pid")" "$(peak "$nginx_pid")" "$ROUNDS" >"$OUT" <<'END'
import collections
import statistics
import sys

times = collections.defaultdict(list)
for line in open(sys.argv[1]):
    kind, size, server, rate = line.split()
    times[kind, int(size), server].append(float(rate))
print("# Files by HTTP: zinc serve and nginx\n")
print(f"Requests per second, medians of {sys.argv[4]} rounds in turns; 16 connections of wrk on the same machine. Made by `make bench-serve`.\n")
print("| request | zinc | nginx | zinc / nginx (least, most) |\n|---|---|---|---|")
for kind, size, name in (("range", 65536, "range of 64 KiB"), ("range", 1048576, "range of 1 MiB"), ("small", 4096, "file of 4 KiB")):
    a, b = times[kind, size, "zinc"], times[kind, size, "nginx"]
    each = [x / y for x, y in zip(a, b)]
    print(f"| {name} | {statistics.median(a):,.0f} | {statistics.median(b):,.0f} | {statistics.median(each):.2f} ({min(each):.2f}, {max(each):.2f}) |")
print(f"\nPeak memory: zinc {sys.argv[2]} MiB, nginx {sys.argv[3]} MiB (all processes).")
END
cat "$OUT"
