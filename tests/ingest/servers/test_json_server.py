"""A server that is busy, limits its clients, or answers with something else than JSON."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from urllib3 import HTTPResponse

from ingest.servers import json_server, whole_body
from ingest.servers.json_server import LONGEST_PAUSE, RETRIES, JsonServer, session
from models.contract.errors import SourceError
from tests.support.ingest.json_answers import ENDLESS, Answers
from tests.support.ingest.json_answers import answers as answers


def asked(server: Answers, location: str = "") -> dict[str, Any]:
    with session() as made:
        there = JsonServer("Tracker", location or server.url, {404: "correct it"}, made)
        return there.request("GET", "/api/runs", "runs")


@pytest.mark.usefixtures("at_once")
def test_a_limit_is_over_when_it_is_asked_again(answers: Answers) -> None:
    limited = [(429, {"Retry-After": "0"}, b"slow down"), (429, {"RateLimit-Reset": "0"}, b"")]
    answers.given = [*limited, (503, {"Retry-After": "0"}, b""), (200, {}, b'{"runs": []}')]
    assert asked(answers) == {"runs": []}
    assert answers.given == []


def test_a_refusal_that_does_not_end_is_not_read(answers: Answers) -> None:
    refusal = (503, {"Retry-After": "0", "Content-Length": ENDLESS}, b"busy")
    answers.given = [refusal, (200, {}, b'{"runs": []}')]
    assert asked(answers) == {"runs": []}


@pytest.mark.usefixtures("at_once")
def test_a_limit_that_stays_is_one_line_with_the_servers_words(answers: Answers) -> None:
    answers.given = [(429, {"Retry-After": "0"}, b"rate limit exceeded")] * 5
    with pytest.raises(SourceError, match="refused runs: 429 rate limit exceeded"):
        asked(answers)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7),
        ({"RateLimit-Reset": "9"}, 9),
        ({"RateLimit-Reset": "9.75"}, 9),
        ({"Retry-After": "86400"}, LONGEST_PAUSE),
        ({"Retry-After": "soon"}, None),
        ({}, None),
    ],
)
def test_a_server_is_waited_for_as_long_as_it_asks_but_not_for_ever(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert RETRIES.get_retry_after(HTTPResponse(headers=headers)) == seconds


LARGE = gzip.compress(b"[" * 1_000_000)
TOO_DEEP, TOO_LONG = b'{"a":' + b"[" * 100_000, b'{"a": ' + b"1" * 5000 + b"}"


@pytest.mark.parametrize("body", [b"<html>sign in", b"[1]", b"", TOO_DEEP, TOO_LONG])
def test_what_is_no_json_object_is_refused_with_its_first_words(
    answers: Answers, body: bytes
) -> None:
    answers.given = [(200, {}, body)]
    with pytest.raises(SourceError) as raised:
        asked(answers)
    assert f"refused runs: 200 {body.decode()[:100]}" in str(raised.value)


@pytest.mark.parametrize(
    ("most", "value", "said"),
    [("MOST_BYTES", 5000, "more than 5,000 bytes"), ("MOST_SECONDS", 0, "longer than 0 seconds")],
)
def test_an_answer_that_does_not_end_is_refused(
    answers: Answers, monkeypatch: pytest.MonkeyPatch, most: str, value: int, said: str
) -> None:
    monkeypatch.setattr(whole_body, most, value)
    answers.given = [(200, {"Content-Length": ENDLESS}, b"{" * 5001)]
    with pytest.raises(SourceError, match=f"refused runs: an answer .*{said}"):
        asked(answers)


def test_a_compressed_answer_counts_with_what_is_in_it(
    answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = {"Content-Encoding": "gzip"}
    answers.given = [(200, packed, gzip.compress(b'{"a": 1}')), (200, packed, LARGE)]
    assert asked(answers) == {"a": 1}
    monkeypatch.setattr(whole_body, "MOST_BYTES", 100_000)
    with pytest.raises(SourceError, match="more than 100,000 bytes"):
        asked(answers)


def test_an_answer_that_breaks_off_is_one_line(answers: Answers) -> None:
    answers.given = [(200, {"Content-Length": "9", "Connection": "close"}, b"{")]
    with pytest.raises(SourceError, match="cannot be reached"):
        asked(answers)


def test_pages_that_come_again_or_do_not_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_server, "MOST_PAGES", 2)
    there = JsonServer("Tracker", "http://127.0.0.1", {}, session())
    seen: set[str] = set()
    assert [there.next_page("runs", token, seen) for token in ("a", "b", None)] == ["a", "b", None]
    with pytest.raises(SourceError, match="refused runs: a list of which page 3 is not the last"):
        there.next_page("runs", "c", seen)
    with pytest.raises(SourceError, match="refused runs: a list of which page 2 is not the last"):
        there.next_page("runs", "a", {"a"})


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (rb'{"a": "\ud800b", "c\udfff": 1}', {"a": "?b", "c?": 1}),
        (rb'{"a": "\ud83d\ude00"}', {"a": "😀"}),
        (b'{"a": "\xff"}', {"a": "\ufffd"}),
        (b'\xef\xbb\xbf{"a": "1\n2"}', {"a": "1\n2"}),
    ],
)
def test_half_a_letter_becomes_a_question_mark(
    answers: Answers, body: bytes, said: dict[str, object]
) -> None:
    answers.given = [(200, {}, body)]
    assert asked(answers) == said


def test_a_password_that_no_request_can_carry_is_one_line(
    answers: Answers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password S3C…RET")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with pytest.raises(SourceError, match=r"no request can carry \(correct ~/.netrc\)") as raised:
        asked(answers)
    assert "S3C" not in str(raised.value)


def test_the_remedy_is_that_of_the_status(answers: Answers) -> None:
    answers.given = [(404, {}, b"nothing here")]
    with pytest.raises(SourceError, match=r"refused runs: 404 nothing here \(correct it\)"):
        asked(answers)


def test_a_password_in_an_address_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RETRIES, "total", 0)
    with Answers() as gone:
        gone.server_close()
    with pytest.raises(SourceError) as raised:
        asked(gone, gone.url.replace("//", "//me:S3CRET@"))
    assert "Connection refused" in str(raised.value)
    assert "S3CRET" not in str(raised.value)
