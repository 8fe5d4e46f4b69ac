"""What the log of sent statements holds, and how often a letter is tried."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from models.config.loading import validated_settings
from models.config.sending import Recipient
from models.records.closes import Close
from models.sending import attempts
from models.sending.channels import Letter
from models.sending.sent_log import FILE, already_sent, history, record
from tests.support.documents.papers import paper


def closed() -> Close:
    found = paper().close
    assert found is not None
    return found


def folder(location: str, name: str = "cfo") -> Recipient:
    return Recipient(name=name, kind="folder", location=location)


def test_a_line_that_a_crash_tore_is_skipped_and_no_log_is_empty(tmp_path: Path) -> None:
    assert history(tmp_path) == []
    record(tmp_path / FILE, folder("out"), {"error": None})
    with (tmp_path / FILE).open("ab") as file:
        file.write(b'{"at": "2026-1\n\xff\n')
    record(tmp_path / FILE, folder("out", "auditor"), {"error": "full"})
    assert [(line["recipient"], line["error"]) for line in history(tmp_path)] == [
        ("cfo", None),
        ("auditor", "full"),
    ]


def test_a_letter_that_follows_a_line_which_a_full_disk_tore_is_in_the_log(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b'{"at": "2026-1')
    record(tmp_path / FILE, folder("out"), {"error": None})
    assert [line["recipient"] for line in history(tmp_path)] == ["cfo"]


def test_only_who_got_exactly_this_version_has_it_already(tmp_path: Path) -> None:
    close = closed()
    this = {"month": "2026-09", "version": 2, "sha256": close.statement.sha256, "error": None}
    others: dict[str, dict[str, object]] = {
        "has it": {},
        "had the first": {"version": 1},
        "had another month": {"month": "2026-08"},
        "had other figures": {"sha256": "0"},
        "was not reached": {"error": "timed out"},
    }
    for name, other in others.items():
        record(tmp_path / FILE, folder("out", name), {**this, **other})
    record(tmp_path / FILE, folder("out", "had an alert"), {"error": None})
    assert already_sent(tmp_path / FILE, close) == {"has it"}
    assert already_sent(tmp_path / FILE, replace(close, version=3)) == set()


@pytest.mark.parametrize(("exists", "tries"), [(True, 1), (False, 3)])
def test_a_letter_is_tried_three_times_and_recorded_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exists: bool, tries: int
) -> None:
    monkeypatch.setattr(attempts, "PAUSES", (0.0, 0.0))
    settings = validated_settings({}, home=tmp_path)
    settings.data.mkdir()
    if exists:
        (tmp_path / "out").mkdir()
    letter = Letter("m", "September", "words", {"a.pdf": b"%PDF"}, "a.manifest.json", "ab12")
    error = attempts.send_with_retries(settings, folder("out"), letter, {"month": "2026-09"})
    (line,) = history(settings.data)
    assert (line["tries"], line["error"], line["month"]) == (tries, error, "2026-09")
    assert (error is None) == exists
    if exists:
        told = json.loads((tmp_path / "out" / "a.manifest.json").read_text())
        assert told["statement_sha256"] == "ab12"
        assert [(one["name"], one["bytes"]) for one in told["files"]] == [("a.pdf", 4)]
    else:
        assert "\n" not in str(error)
