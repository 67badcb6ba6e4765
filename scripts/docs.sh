#!/usr/bin/env bash
# docs.sh - build the documentation site into $BUILD/site and check it
#
# Sphinx, myst-parser and furo are installed from PyPI into $BUILD/docs-venv, once; later runs need no network.  Warnings of
# Sphinx are errors, every internal link and anchor must exist, and every public function must have an entry.
# Environment: BUILD.
set -euo pipefail
cd "$(dirname "$0")/.."

BUILD=${BUILD:-build}
mkdir -p "$BUILD"
VENV=$BUILD/docs-venv
STAGE=$BUILD/docs-stage
SITE=$BUILD/site

# The first Python that can make an environment and is new enough for Sphinx.
install() {
	local python
	for python in python3 /usr/bin/python3 python3.13 python3.12 python3.11; do
		"$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
		echo "docs: installing sphinx, myst-parser and furo for $("$python" --version)"
		rm -rf "$VENV"
		if "$python" -m venv "$VENV" && "$VENV/bin/pip" install -q --disable-pip-version-check \
			--only-binary :all: 'sphinx>=8,<10' 'myst-parser>=4,<6' furo; then
			touch "$VENV/complete"
			return
		fi
	done
	echo "docs: no Python (3.11 or later) could install the packages" >&2
	return 1
}

if [ ! -e "$VENV/complete" ]; then
	scripts/setup.sh docs
	install
fi

scripts/docs_stage.py "$STAGE"
scripts/api_reference.py "$STAGE/api"
rm -rf "$SITE"
ZINC_DOCS_VERSION=$(sed -n 's/^#define ZINC_VERSION "\(.*\)"/\1/p' include/zinc.h) \
	"$VENV/bin/sphinx-build" -q -W --keep-going -b html -d "$BUILD/docs-cache" "$STAGE" "$SITE"
scripts/check_links.py
scripts/check_links.py --html "$SITE"
scripts/api_reference.py --check "$SITE"
echo "docs: open $SITE/index.html"
