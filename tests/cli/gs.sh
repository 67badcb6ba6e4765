#!/usr/bin/env bash
# gs.sh - credentials of Google from every source reach the server, and nothing shows them: neither output, errors, JSON nor
# traces, whether it works or fails; and what a user does with buckets
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
zinc 0 stores
grep -q '^gs ' out && [ -e "$ZINC_BUILD_DIR/zinc-modules/store_gs.so" ] || { echo "built without the gs store"; exit 77; }
python3 -c 'import http.server, ssl' 2>/dev/null || { echo "no python3"; exit 77; }
openssl genrsa -out key.pem 2048 2>/dev/null || { echo "no openssl"; exit 77; }

serve_script gs_server.py
for name in $(compgen -e GOOGLE_ || true) $(compgen -e CLOUDSDK_ || true); do unset "$name"; done
unset http_proxy https_proxy HTTPS_PROXY ZINC_PROFILES STORAGE_EMULATOR_HOST GCE_METADATA_HOST
export HOME=$PWD/home ZINC_GS_ENDPOINT=$server ZINC_GS_RETRIES=1 ZINC_GS_ALLOW_HTTP=yes NO_GCE_CHECK=true
mkdir -p home/.config/gcloud
key=$(python3 -c 'import json; print(json.dumps(open("key.pem").read()))')
plain=$(env | cut -d= -f1 | sort)

# Nothing that the program printed contains a secret.
clean() { # clean WHAT
	local word file
	for word in canary ya29 BEGIN "$(sed -n 2p key.pem)"; do
		for file in out err; do
			! grep -qF -- "$word" "$file" || bad "$1: $word in $file"
		done
	done
	checks=$((checks + 1))
}
works() { # works NAME: the source is good for a bucket
	zinc 0 create "gs://private-$1/x.zarr/t" --shape 4 --dtype uint8 --trace-requests
	clean "$1"
	[ -s err ] || bad "no trace"
	zinc 0 info "gs://private-$1/x.zarr/t" --json --trace-requests
	clean "$1"
	zinc 0 tree "gs://private-$1/x.zarr" --trace-requests
	clean "$1"
	zinc 3 info "gs://denied-$1/x.zarr/t" --json --trace-requests
	has 403 err
	clean "$1"
	zinc 3 info "gs://echo-$1/x.zarr/t" --trace-requests
	clean "$1"
}
fails() { # fails NAME TEXT [STATUS]: no credentials, and no request to the bucket without them
	zinc "${3:-3}" info "gs://plain-$1/x.zarr/t" --json --trace-requests
	has "$2" err
	! grep -q "GET $server/storage" err || bad "$1: a request without credentials"
	clean "$1"
}
forget() {
	local name
	for name in $(comm -13 <(echo "$plain") <(env | cut -d= -f1 | sort)); do unset "$name"; done
	rm -f home/.config/gcloud/*
}
service() { # service SERVER
	echo "{\"type\":\"service_account\",\"client_email\":\"robot@example.iam.gserviceaccount.com\",\"private_key\":$key,\"token_uri\":\"$server/_token/$1\"}"
}
user() { # user SERVER
	echo "{\"type\":\"authorized_user\",\"client_id\":\"client\",\"client_secret\":\"secret-canary\",\"refresh_token\":\"refresh-canary\",\"token_uri\":\"$server/_token/$1\"}"
}

# ---- sources ----
export CLOUDSDK_AUTH_ACCESS_TOKEN=token-canary && works token && forget
export ZINC_GS_TOKEN=token-canary && works setting && forget
service jwt >service.json
export GOOGLE_APPLICATION_CREDENTIALS=service.json && works service && forget
user user >user.json
export ZINC_GS_CREDENTIALS=user.json && works file && forget
user user >home/.config/gcloud/application_default_credentials.json && works gcloud && forget
export NO_GCE_CHECK=false GCE_METADATA_HOST=${server#http://} && works machine && forget
export NO_GCE_CHECK=true
cat >profiles <<END
[lab]
gs.token = token-canary
END
export ZINC_PROFILES=profiles ZINC_PROFILE=lab && works profile && forget

# ---- sources that fail ----
user refuses >user.json
export GOOGLE_APPLICATION_CREDENTIALS=user.json && fails refused "GOOGLE_APPLICATION_CREDENTIALS: the token server refuses: HTTP 400, invalid_grant" && forget
export GOOGLE_APPLICATION_CREDENTIALS=none.json && fails none "none.json" 2 && forget
echo '{"type":"external_account","x":"canary"}' >other.json
export GOOGLE_APPLICATION_CREDENTIALS=other.json && fails other "external_account are not supported" 2 && forget
export ZINC_GS_ALLOW_HTTP=no ZINC_GS_TOKEN=token-canary && fails http "plain http" 2 && forget
export ZINC_GS_ALLOW_HTTP=yes

# ---- buckets ----
zinc 3 info gs://private-a/x.zarr/t
has "no credentials: set GOOGLE_APPLICATION_CREDENTIALS" err
zinc 3 info gs://nosuch-a/x.zarr/t
has "bucket does not exist" err
zinc 0 create gs://nolist-a/x.zarr --group
zinc 4 tree gs://nolist-a/x.zarr
has storage.objects.list err
unset ZINC_GS_ENDPOINT
export STORAGE_EMULATOR_HOST=${server#http://}
zinc 0 create gs://nodelete-a/x.zarr/g/t --shape 8 --dtype uint8 --chunks 2 --shards 4
bytes 01 02 03 04 05 06 07 08 >raw
zinc 0 put gs://nodelete-a/x.zarr/g/t --from raw
zinc 0 cat gs://nodelete-a/x.zarr/g/t
prints <<<"[1 2 3 4 5 6 7 8]"
bytes 00 00 >zeros
zinc 0 put gs://nodelete-a/x.zarr/g/t -s 0:2 --from zeros
zinc 0 cat gs://nodelete-a/x.zarr/g/t
prints <<<"[0 0 3 4 5 6 7 8]"
zinc 0 validate gs://nodelete-a/x.zarr
zinc 0 cp gs://nodelete-a/x.zarr gs://plain-copy/y.zarr
zinc 0 diff gs://nodelete-a/x.zarr gs://plain-copy/y.zarr
zinc 0 rm --yes gs://plain-copy/y.zarr
zinc 0 tree gs://nodelete-a/x.zarr
has t out
finish
