# The s3 store with versitygw, MinIO and the server of the tests; the cache in front of each.
# shellcheck shell=bash disable=SC2154,SC2034 # read by scripts/stores.sh, whose variables it uses

VERSITYGW=v1.8.0
MINIO=v0.0.0-20260212201848-7aac2a2c5b7c # the last; there are no tags that Go accepts as versions

build_versitygw() { build_server versitygw github.com/versity/versitygw/cmd/versitygw@$VERSITYGW; }
build_minio() { build_server minio github.com/minio/minio@$MINIO; }

new_keys() {
	AWS_ACCESS_KEY_ID=zinc$(random_text) AWS_SECRET_ACCESS_KEY=$(random_text)
	export AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_REGION=us-east-1 AWS_EC2_METADATA_DISABLED=true
	unset AWS_PROFILE AWS_SESSION_TOKEN
}

# Each start_SERVER leaves its address in $endpoint, with a bucket "zinc".
# Not with --sidecar: metadata beside the data changes at another time than the data, so that of eight writers with
# If-Match a third of the updates is lost.  Without it the file system must have extended attributes.
start_versitygw() {
	build_versitygw || return 1
	endpoint=http://127.0.0.1:$(free_port)
	mkdir -p "$dir/versitygw/zinc"
	ROOT_ACCESS_KEY=$AWS_ACCESS_KEY_ID ROOT_SECRET_KEY=$AWS_SECRET_ACCESS_KEY \
		start versitygw "$ROOT/servers/versitygw" --port "${endpoint#http://}" --region "$AWS_REGION" --quiet \
		--keep-alive --health /health posix "$dir/versitygw"
	healthy versitygw "$endpoint/health"
}

start_minio() {
	build_minio || return 1
	endpoint=http://127.0.0.1:$(free_port)
	mkdir -p "$dir/minio/zinc"
	MINIO_ROOT_USER=$AWS_ACCESS_KEY_ID MINIO_ROOT_PASSWORD=$AWS_SECRET_ACCESS_KEY MINIO_BROWSER=off \
		start minio "$ROOT/servers/minio" server --quiet --address "${endpoint#http://}" "$dir/minio"
	healthy minio "$endpoint/minio/health/live"
}

# The S3 of the tests has buckets of any name, and keys of its own.
start_fake() {
	AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY
	serve_python fake tests/support/s3_server.py
}

try_s3() {
	local query="?endpoint=$endpoint" bucket=zinc lacks=
	[ "$1" != minio ] || lacks=no-conditional-deletes
	[ "$1" != fake ] || bucket=plain-1
	try s3 "$1" "" "s3://$bucket/conform/{}$query" "s3://$bucket/race/{}$query"
	! has_store cache || try cache "s3, $1" "" "s3://$bucket/cache/{}$query|cache:" "s3://$bucket/cached$query|cache:{}"
}

test_s3() {
	local servers=(fake versitygw) server
	[ -n "$QUICK" ] || servers=(fake minio versitygw)
	for server in "${servers[@]}"; do
		new_keys
		if "start_$server"; then
			try_s3 "$server"
		else
			bad "$server does not start"
		fi
	done
	place s3 "s3://zinc/place-{}?endpoint=$endpoint" # the keys of the last server stay
}
