"""Finds the page to show after a person has signed in."""

from __future__ import annotations

from flask import request

HOME = "/"
LONGEST = 1500
"""Most characters of an address, so that it fits into a cookie with the rest."""


def wanted_address() -> str:
    """Returns the address of the current request, with its filters."""
    return request.full_path.removesuffix("?")


def own_address(address: str) -> str:
    """Returns an address if it is one of this site, else that of the first page.

    Browsers read `//host` and `/\\host` as addresses of other sites.
    """
    ours = address.startswith("/") and address[1:2] not in ("/", "\\") and address.isprintable()
    return address if ours and len(address) <= LONGEST else HOME
