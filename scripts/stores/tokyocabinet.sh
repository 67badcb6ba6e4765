# Tokyo Cabinet databases, trees and hashes.
# shellcheck shell=bash disable=SC2154,SC2034 # read by scripts/stores.sh, whose variables it uses

test_tokyocabinet() {
	try_local tokyocabinet .tcb
	storm "tokyocabinet://$dir/storm.tcb"
	conform "tokyocabinet://$dir/hash-{}.tch"
}
