# Archives.
# shellcheck shell=bash disable=SC2154,SC2034 # read by scripts/stores.sh, whose variables it uses

test_zip() {
	try zip "this machine" "" "$dir/zip-{}.zip" "$dir/race.zip/{}"
	place zip "$dir/place-{}.zip"
}
