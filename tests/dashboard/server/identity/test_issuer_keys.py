"""What is told of a provider's or a proxy's wrong answer."""

from __future__ import annotations

import pytest
from joserfc.errors import BadSignatureError

from dashboard.server.identity.issuer_keys import one_line


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (BadSignatureError(), "bad signature"),
        (KeyError("access_token"), "'access_token'"),
        (ValueError(), "ValueError"),
        (ValueError("no JSON object."), "no JSON object"),
        (ValueError("https://me:secret@idp.test is down"), "https://…@idp.test is down"),
    ],
)
def test_an_error_is_told_in_words_on_one_line(error: Exception, said: str) -> None:
    assert one_line(error) == said
