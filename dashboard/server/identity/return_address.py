"""Finds the page to show after a person has signed in."""

from __future__ import annotations

from urllib.parse import quote

from flask import request

HOME = "/"
LONGEST = 1500
"""Most characters of an address, so that it fits into a cookie with the rest."""


def requested_address() -> str:
    """Returns path and query string of the current request, as a browser writes them."""
    query = request.query_string.decode(errors="replace")
    return quote(request.path) + (f"?{query}" if query else "")


def own_address(address: str) -> str:
    """Returns an address if it is a path of this site, of at most 1500 characters; else `/`.

    Browsers read `//host` and `/\\host` as addresses of other sites.
    """
    ours = address.startswith("/") and address[1:2] not in ("/", "\\") and address.isprintable()
    return address if ours and len(address) <= LONGEST else HOME
