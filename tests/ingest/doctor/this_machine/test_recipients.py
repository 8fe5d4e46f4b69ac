"""Where statements and alerts go is looked at before the first of them is sent."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from ingest.doctor.examination import Examination
from ingest.doctor.this_machine.recipients import check_recipients
from models.config.loading import validated_settings

FOLDER = {"name": "ledger", "kind": "folder", "location": "statements"}
CHAT = {"name": "team", "kind": "chat", "url": "json://127.0.0.1:9"}
MAIL = {"name": "ann", "kind": "email", "to": ["ann@example.com"]}


def told(home: Path, *recipients: dict[str, Any], **other: Any) -> list[tuple[str, str, str]]:  # noqa: ANN401
    config = {
        "sources": [{"kind": "focus", "location": "bill"}],
        "recipients": list(recipients or (FOLDER, CHAT)),
        **other,
    }
    found = check_recipients(Examination(validated_settings(config, home=home)))
    return [(each.about, each.state, f"{each.found} ({each.remedy})") for each in found]


def test_a_folder_that_is_not_there_is_told_with_what_to_do(tmp_path: Path) -> None:
    folder = tmp_path / "statements"
    assert told(tmp_path) == [
        (
            "ledger",
            "warning",
            f"there is no folder {folder}: nothing arrives (create {folder}, or mount it)",
        )
    ]
    folder.mkdir()
    assert told(tmp_path) == []


def test_a_folder_that_may_not_be_written_to_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "statements").mkdir()
    # root, who runs the tests in a container, may write anywhere
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    ((about, state, said),) = told(tmp_path)
    assert (about, state) == ("ledger", "warning")
    assert said.startswith(f"this user cannot write to {tmp_path / 'statements'}: nothing")


def test_a_chat_of_unknown_kind_and_mail_without_a_server_are_told_without_the_token(
    tmp_path: Path,
) -> None:
    wrong = CHAT | {"url": "slak://token-a/token-b"}
    assert told(tmp_path, wrong, MAIL) == [
        (
            "team",
            "warning",
            "Apprise does not know this kind of url: nothing arrives "
            "(write `url` as Apprise does, such as slack://TOKEN_A/TOKEN_B/TOKEN_C)",
        ),
        (
            "ann",
            "warning",
            "smtp.host and smtp.sender are not set: nothing arrives "
            "(write the mail server and the sender in [smtp])",
        ),
    ]
    smtp = {"host": "mail.example", "sender": "b@example.com"}
    assert told(tmp_path, CHAT, MAIL, smtp=smtp) == []
