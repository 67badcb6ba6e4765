#!/usr/bin/env bash
# settings.sh - settings of stores: by URL, environment and profile, listed, checked, secrets hidden
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
zinc 0 --version
if ! grep -q 'curl *yes' out; then
	exit 77
fi
export HOME=$PWD
unset ZINC_PROFILE ZINC_PROFILES

# ---- the list ----
zinc 0 stores --long
for name in timeout retries parallel ca_file 'header.\*'; do
	grep -q "^http\.$name " out || bad "no http.$name"
done
zinc 0 stores --long --json
is_json
has '"name":"http.timeout","type":"SECONDS","default":"30","secret":false'

# ---- names and values are checked before any request ----
url=http://127.0.0.1:1/a.zarr
zinc 2 info "$url?timeout=soon"
says "must be a number of seconds"
ZINC_HTTP_RETRIES=many zinc 2 info "$url"
says '"retries" in the environment must be a number'
zinc 2 info "$url?profile=../x%0A"
mkdir -p .config/zinc
printf '[lab]\nhttp.timeuot = 5\n' >.config/zinc/profiles
chmod 600 .config/zinc/profiles
zinc 2 info "$url?profile=lab"
says 'did you mean "http.timeout"?'
zinc 2 info "$url?profile=none"
says 'no profile [none]'

# ---- a warning for a profile that others can read; a secret in it is never shown ----
printf '[lab]\nhttp.retries = 0\nhttp.header.Authorization = Bearer hush-hush\n' >.config/zinc/profiles
chmod 644 .config/zinc/profiles
ZINC_PROFILE=lab zinc 3 info "$url" --trace-requests
grep -q 'chmod 600' err || bad "no warning"
grep -q 'request: GET http://127.0.0.1:1/a.zarr' err || bad "no trace: $(cat err)"
! grep -q hush out err || bad "a secret is shown: $(cat err)"
chmod 600 .config/zinc/profiles
ZINC_PROFILE=lab zinc 3 info "$url?header.X=hush"
! grep -q 'chmod\|hush' err || bad "warned or shown: $(cat err)"
! grep -q 'tried' err || bad "retries = 0 is not kept: $(cat err)"

# ---- a local path ignores settings of other stores ----
ZINC_PROFILE=lab zinc 0 create 'a.zarr' --group
echo "settings: ok"
