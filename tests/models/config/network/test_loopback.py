"""Which addresses only this machine can reach."""

from __future__ import annotations

import pytest

from models.config.network.loopback import is_loopback


@pytest.mark.parametrize(
    ("host", "only_here"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("localhost.example.com", False),
        ("0.0.0.0", False),
        ("", False),
    ],
)
def test_what_loopback_is(host: str, only_here: bool) -> None:
    assert is_loopback(host) == only_here
