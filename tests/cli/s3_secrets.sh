#!/usr/bin/env bash
# s3_secrets.sh - credentials from every source reach the server, and nothing shows them: neither output, errors, JSON
# and traces nor the arguments of programs that are started, whether it works or fails
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
zinc 0 stores
grep -q '^s3 ' out && [ -e "$ZINC_BUILD_DIR/zinc-modules/store_s3.so" ] || { echo "built without the s3 store"; exit 77; }
python3 -c 'import http.server, ssl' 2>/dev/null || { echo "no python3"; exit 77; }

serve_script s3_server.py
s3=$server
serve_script aws_server.py
aws=$server

for name in $(compgen -e AWS_ || true); do unset "$name"; done
unset http_proxy https_proxy HTTPS_PROXY ZINC_PROFILES
export HOME=$PWD/home AWS_EC2_METADATA_DISABLED=true AWS_ENDPOINT_URL_S3=$s3 ZINC_S3_RETRIES=1
mkdir -p home/.aws/sso/cache
secret=wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY
plain=$(env | cut -d= -f1 | sort)

# Nothing that a program printed or was given contains a secret.
clean() { # clean WHAT
	local word file
	for word in "$secret" wJalr token-1 canary; do
		for file in out err seen; do
			[ ! -e "$file" ] || ! grep -qF -- "$word" "$file" || bad "$1: $word in $file"
		done
	done
	checks=$((checks + 1))
}
works() { # works NAME: the source is good for a bucket
	zinc 0 create "s3://plain-$1/x.zarr/t" --shape 4 --dtype uint8 --trace-requests
	clean "$1"
	[ -s err ] || bad "no trace"
	zinc 0 info "s3://plain-$1/x.zarr/t" --json --trace-requests
	clean "$1"
	zinc 3 info "s3://denied-$1/x.zarr/t" --json --trace-requests
	clean "$1"
}
fails() { # fails NAME TEXT: no credentials, and no request to the bucket without them
	zinc "${3:-3}" info "s3://public-$1/x.zarr/t" --json --trace-requests
	has "$2" err
	! grep -q "public-$1" err || ! grep -q "GET $s3" err || bad "$1: a request without credentials"
	clean "$1"
}
forget() {
	local name
	for name in $(comm -13 <(echo "$plain") <(env | cut -d= -f1 | sort)); do unset "$name"; done
	rm -f home/.aws/config home/.aws/credentials home/.aws/sso/cache/* seen
	: >home/.aws/config
}

# ---- keys as they are ----
export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=$secret
works environment
export AWS_ACCESS_KEY_ID=ASIATEMPORARY AWS_SESSION_TOKEN=token-1
works token
export AWS_SECRET_ACCESS_KEY=canary-wrong
zinc 3 info s3://plain-wrong/x.zarr --json --trace-requests
has SignatureDoesNotMatch err
clean wrong
unset AWS_SECRET_ACCESS_KEY
fails half "AWS_SECRET_ACCESS_KEY is not" 2
forget
printf '[default]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = %s\n' "$secret" >home/.aws/credentials
works file
printf '[default]\n%s\n' "$secret" >home/.aws/credentials
fails malformed "line 2" 2
forget

# ---- a command ----
cat >home/give <<END
#!/bin/sh
for p in \$\$ \$PPID; do tr '\0' ' ' </proc/\$p/cmdline; done >>"$PWD/seen"
env >>"$PWD/seen"
echo canary-stderr >&2
[ ! -e "$PWD/fail" ] || exit 1
echo '{"Version": 1, "AccessKeyId": "AKIDEXAMPLE", "SecretAccessKey": "$secret"}'
END
chmod 700 home/give
echo "[default]
credential_process = $PWD/home/give" >home/.aws/config
works process
[ -s seen ] || bad "the command was not run"
touch fail
fails process "failed with status 1"
rm fail
forget

# ---- servers ----
export AWS_CONTAINER_AUTHORIZATION_TOKEN=canary-authorization AWS_CONTAINER_CREDENTIALS_FULL_URI=$aws/real/container
works container
for mode in error forbidden garbage nosecret control endless cut away expired; do
	export AWS_CONTAINER_CREDENTIALS_FULL_URI=$aws/$mode/container
	fails "container-$mode" "credentials from the container"
done
forget

unset AWS_EC2_METADATA_DISABLED
export AWS_EC2_METADATA_SERVICE_ENDPOINT=$aws/real
works metadata
export AWS_EC2_METADATA_SERVICE_ENDPOINT=$aws/error
fails metadata "credentials from EC2 metadata"
export AWS_EC2_METADATA_DISABLED=true
forget

echo canary-web-identity >home/token
export AWS_WEB_IDENTITY_TOKEN_FILE=$HOME/token AWS_ROLE_ARN=arn:aws:iam::1:role/x AWS_ENDPOINT_URL_STS=$aws/real
works webidentity
export AWS_ENDPOINT_URL_STS=$aws/forbidden
fails webidentity "credentials from web identity: STS refuses: HTTP 403"
forget

printf '[default]\nrole_arn = r\nsource_profile = base\n[profile base]\naws_access_key_id = AKIDBASE\naws_secret_access_key = canary-base\n' \
	>home/.aws/config
export AWS_ENDPOINT_URL_STS=$aws/real
works role
export AWS_ENDPOINT_URL_STS=$aws/control
fails role "credentials from profile default (role)"
forget

printf '[default]\nsso_session = abc\nsso_account_id = 1\nsso_role_name = r\n[sso-session abc]\nsso_region = eu-central-1\nsso_start_url = u\n' \
	>home/.aws/config
cache=home/.aws/sso/cache/a9993e364706816aba3e25717850c26c9cd0d89d.json # the SHA-1 of "abc"
echo '{"accessToken": "canary-sso-token", "expiresAt": "2999-01-01T00:00:00Z"}' >$cache
export AWS_ENDPOINT_URL_SSO=$aws/real
works sso
echo '{"accessToken": "canary-sso-token", "expiresAt": "2001-01-01T00:00:00Z"}' >$cache
fails sso "aws sso login --profile default"
forget

# ---- none ----
zinc 3 info s3://plain-none/x.zarr --json
has "no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or ?anonymous=1" err

echo "$checks checks"
