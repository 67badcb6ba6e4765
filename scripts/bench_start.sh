#!/usr/bin/env bash
# bench_start.sh - start-up time of the command, compared with others that show an array's metadata
#
# hyperfine, many runs after a warm-up; the minimum is the time that other work of the machine affects least.  Commands
# that are not installed are left out.  `zinc bench URL` times reads of any array.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
zinc=$(realpath "${1:-$root/build/zinc}")
command -v hyperfine >/dev/null || { echo "bench: hyperfine is missing (package hyperfine)" && exit 1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

"$zinc" create a.zarr --shape 1000,1000 --dtype float32 --chunks 100,100
contenders=("$zinc --version" "$zinc info a.zarr" "$zinc info a.zarr --json")
if command -v ncdump >/dev/null && command -v ncgen >/dev/null; then
	printf 'netcdf a { dimensions: y = 1000, x = 1000; variables: float t(y, x); }\n' | ncgen -o a.nc
	contenders+=("ncdump -h a.nc")
fi
for python in python3 /usr/bin/python3; do
	if "$python" -c 'import zarr' 2>/dev/null; then
		contenders+=("$python -c 'import zarr'")
		break
	fi
done
hyperfine -N --warmup 10 --runs 100 --export-csv times.csv "${contenders[@]}" >/dev/null 2>&1
printf '%-40s %10s %10s\n' "start-up, ms" minimum median
# command,mean,stddev,median,user,system,min,max
sed "s#$zinc#zinc#" times.csv | awk -F, 'NR > 1 { printf "%-40s %10.2f %10.2f\n", $1, $(NF - 1) * 1000, $(NF - 4) * 1000 }'
