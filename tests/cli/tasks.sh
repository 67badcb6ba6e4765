#!/usr/bin/env bash
# tasks.sh - `zinc help TASK`: every command that it shows runs as it is printed
. "$(dirname "$0")/../support/cli.bash"

# coordinate NAME LENGTH TYPE FIRST STEP ATTRIBUTES
coordinate() {
	local i
	"$ZINC" create sample/data.zarr/"$1" --shape "$2" --dtype "$3" --dims "$1" --attrs "$6"
	for ((i = 0; i < $2; i++)); do
		printf '%016x' $(($4 + i * $5)) | sed 's/\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)/\8\7\6\5\4\3\2\1/'
	done | sed 's/../\\x&/g' >bytes
	printf "$(cat bytes)" | "$ZINC" put sample/data.zarr/"$1" --from -
}

mkdir sample
"$ZINC" create sample/data.zarr --group
coordinate time 48 int64 0 1 '{"units":"days since 2020-01-01"}'
coordinate lat 18 int64 -80 10 '{"units":"degrees_north"}'
coordinate lon 36 int64 0 10 '{"units":"degrees_east"}'
"$ZINC" create sample/data.zarr/t2m --shape 48,18,36 --dtype f4 --chunks 12,18,36 --dims time,lat,lon
head -c 124416 /dev/zero | "$ZINC" put sample/data.zarr/t2m --from -
"$ZINC" cp sample/data.zarr sample/old.zarr --format v2 2>/dev/null
"$ZINC" cp sample/data.zarr sample/same.zarr
"$ZINC" cat sample/data.zarr/t2m -s ':, :, 0' -o sample/new.npy

# All tasks are listed, and each has at least two commands.
zinc 0 help
sed -n '/^zinc help TASK/,/^$/ { /^  /p; }' out | tr -d ',' | tr -s ' ' '\n' | sed '/^$/d' >tasks
[ "$(wc -l <tasks)" -ge 8 ] || bad "too few tasks"
for wanted in convert shrink check; do
	grep -qx "$wanted" tasks || bad "no task $wanted"
done
while read -r task; do
	zinc 0 help "$task"
	has "$task - "
	while IFS= read -r line; do
		[ ${#line} -le 80 ] || bad "help $task is wider than 80 columns: $line"
	done <out
	sed -n 's/^  zinc /zinc /p' out >commands
	[ "$(wc -l <commands)" -ge 2 ] || bad "help $task shows fewer than two commands"
	rm -rf there && cp -r sample there
	while IFS= read -r line <&3; do
		(cd there && eval "\"\$ZINC\" ${line#zinc }" >../out 2>../err) || bad "help $task: $line"
		checks=$((checks + 1))
	done 3<commands
done <tasks

# The name of a command is still that command's help; a wrong word names the nearest.
zinc 0 help cp
has "Usage: zinc cp"
zinc 2 help shrnk
says "no such command or task; did you mean: shrink"
zinc 2 tre data.zarr
says "no such command; did you mean: tree"
zinc 2 help frobnicate
says "see: zinc --help"

zinc 0 --complete help sh
has "shrink"
zinc 0 --man
has "zinc help shrink"

finish
