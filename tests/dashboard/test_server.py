from __future__ import annotations

import socket

import pytest

from dashboard.server import check_free
from models.errors import ConfigError


def test_a_taken_port_is_one_clear_line() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ConfigError, match=f"the port is taken: 127.0.0.1:{port}"):
            check_free("127.0.0.1", port)
    check_free("127.0.0.1", port)


def test_a_port_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigError, match="not a port: 70000"):
        check_free("127.0.0.1", 70000)
