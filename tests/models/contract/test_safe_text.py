"""No credential and no control character reaches a terminal, a log or a mail."""

from __future__ import annotations

import pytest

from models.contract.errors import ConfigError, NotReadyError
from models.contract.safe_text import on_one_line, without_credentials


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("see https://ann:pa:ss@w@host:80/x?y", "see https://…@host:80/x?y"),
        ("https://token@host and http://b:c@d", "https://…@host and http://…@d"),
        ("https://host/a?X-Amz-Signature=abc&b=1", "https://host/a?X-Amz-Signature=…&b=1"),
        ("https://h/?q=1&access_token=abc#x", "https://h/?q=1&access_token=…#x"),
        ("https://host/a@b mail ann@example.com", "https://host/a@b mail ann@example.com"),
        ("s3://bucket/token=1/x", "s3://bucket/token=1/x"),
    ],
)
def test_credentials_of_urls_are_hidden_and_nothing_else(text: str, safe: str) -> None:
    assert without_credentials(text) == safe


def test_control_characters_are_escaped_as_python_writes_them() -> None:
    assert on_one_line("a\nb\r\x1b[2J\x7f\x85\u2028é✓") == ("a\\nb\\r\\x1b[2J\\x7f\\x85\\u2028é✓")


def test_an_error_hides_credentials_wherever_they_stand_and_forges_no_line() -> None:
    error = ConfigError("x at http://a:b@c", value="v\x1b[2J\nw", remedy="ask http://u:p@q")
    assert str(error.prefixed("w\x07")) == r"w\x07: x at http://…@c: v\x1b[2J w (ask http://…@q)"
    assert (error.problem, error.remedy) == (
        r"w\x07: x at http://…@c: v\x1b[2J w",
        "ask http://…@q",
    )
    assert NotReadyError("m", ["a\nb"]).lines == ("m: a b",)
