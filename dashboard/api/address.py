"""Defines the address of the API, `/api/v1`."""

from __future__ import annotations

PREFIX = "/api/v1"


def is_api(path: str) -> bool:
    """Returns whether a request's path is `/api/v1` or below it."""
    return path == PREFIX or path.startswith(f"{PREFIX}/")
