"""Where this system keeps the certificates that HTTPS trusts.

A wheel contains OpenSSL and libcurl as Debian builds them, which look in Debian's place.  On other systems the file has
another name.  `use_system` finds it and names it in SSL_CERT_FILE, which every store with TLS reads; who has set that
variable, or the setting `ca_file`, is not overruled.
"""

import contextlib
import importlib
import os
import pathlib
from collections.abc import MutableMapping, Sequence

__all__ = ["find", "use_system"]

VARIABLE = "SSL_CERT_FILE"

# Debian's place is the first: there nothing has to be said.
PLACES = (
    "/etc/ssl/certs/ca-certificates.crt",  # Debian, Ubuntu, Arch, Gentoo
    "/etc/pki/tls/certs/ca-bundle.crt",  # Fedora, Red Hat
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  # Red Hat, newer
    "/etc/ssl/ca-bundle.pem",  # openSUSE
    "/etc/ssl/cert.pem",  # Alpine
    "/etc/pki/tls/cert.pem",
)


def is_bundled() -> bool:
    """Does this installation have its own OpenSSL?  Only a repaired wheel has the directory."""
    return (pathlib.Path(__file__).parents[1] / "zinczarr.libs").is_dir()


def of_python() -> list[str]:
    """The places that this Python uses, and those of the package certifi, if it is installed."""
    found = []
    with contextlib.suppress(ImportError):  # of a Python that was built without OpenSSL
        import ssl

        places = ssl.get_default_verify_paths()
        found += [places.cafile, places.openssl_cafile]
    with contextlib.suppress(ImportError):
        found.append(importlib.import_module("certifi").where())
    return [place for place in found if place]


def find(places: Sequence[str] = PLACES) -> str | None:
    """The first file of `places` that exists, else Python's own; None: there is none."""
    known = next((place for place in places if os.path.isfile(place)), None)
    return known or next((place for place in of_python() if os.path.isfile(place)), None)


def use_system(environ: MutableMapping[str, str] = os.environ, places: Sequence[str] = PLACES) -> None:
    """Name the system's file in SSL_CERT_FILE, unless it is named already or the TLS library finds it by itself."""
    if not is_bundled() or environ.get(VARIABLE) or os.path.isfile(places[0]):
        return
    found = find(places)
    if found:
        environ[VARIABLE] = found
