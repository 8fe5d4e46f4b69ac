"""A folder to which statements go is looked at before the first of them is sent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ingest.doctor.examination import Examination
from ingest.doctor.this_machine.recipients import check_recipients
from models.config.loading import validated_settings


def told(home: Path) -> list[tuple[str, str, str]]:
    recipients = [
        {"name": "ledger", "kind": "folder", "location": "statements"},
        {"name": "team", "kind": "chat", "url": "json://127.0.0.1:9"},
    ]
    config = {"sources": [{"kind": "focus", "location": "bill"}], "recipients": recipients}
    found = check_recipients(Examination(validated_settings(config, home=home)))
    return [(each.about, each.state, f"{each.found} ({each.remedy})") for each in found]


def test_a_folder_that_is_not_there_is_told_with_what_to_do(tmp_path: Path) -> None:
    folder = tmp_path / "statements"
    assert told(tmp_path) == [
        (
            "ledger",
            "warning",
            f"there is no folder {folder}: no statement arrives (create {folder}, or mount it)",
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
    assert said.startswith(f"this user cannot write to {tmp_path / 'statements'}: no statement")
