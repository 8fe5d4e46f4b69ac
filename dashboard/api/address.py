"""Where the API is: `/api/v1`."""

from __future__ import annotations

PREFIX = "/api/v1"


def is_api(path: str) -> bool:
    """Whether the path of a request is the API's, or would be."""
    return path == PREFIX or path.startswith(f"{PREFIX}/")
