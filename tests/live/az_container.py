#!/usr/bin/env python3
"""az_container.py ENDPOINT ACCOUNT KEY CONTAINER - make a container, with nothing but Python's own modules"""
import base64
import email.utils
import hashlib
import hmac
import sys
import urllib.error
import urllib.parse
import urllib.request

VERSION = "2023-11-03"


def main():
    endpoint, account, key, container = sys.argv[1:]
    url = "%s/%s?restype=container" % (endpoint, container)
    date = email.utils.formatdate(usegmt=True)
    path = urllib.parse.urlsplit(url).path
    text = "PUT\n" + "\n" * 11 + "x-ms-date:%s\nx-ms-version:%s\n/%s%s\nrestype:container" % (date, VERSION, account, path)
    mac = hmac.new(base64.b64decode(key), text.encode(), hashlib.sha256).digest()
    request = urllib.request.Request(url, method="PUT", headers={
        "x-ms-date": date, "x-ms-version": VERSION, "Content-Length": "0",
        "Authorization": "SharedKey %s:%s" % (account, base64.b64encode(mac).decode())})
    try:
        urllib.request.urlopen(request, timeout=10)
    except urllib.error.HTTPError as e:
        if e.code != 409:  # it is there
            sys.exit("az_container: HTTP %d %s" % (e.code, e.read().decode(errors="replace")))


if __name__ == "__main__":
    main()
