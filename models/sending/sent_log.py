"""Reads and writes `sent.jsonl`: what was sent, or failed, by mail, chat or to a folder or S3."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from models.config.sending import Recipient
from models.raw import atomic_files
from models.raw.appended_lines import append_line
from models.records.closes import Close

FILE = "sent.jsonl"


def history(data: Path) -> list[dict[str, Any]]:
    """Reads the log of letters sent or failed, oldest first; skips lines that are no JSON."""
    path, found = data / FILE, []
    lines = path.read_bytes().splitlines() if path.is_file() else []
    for line in lines:
        with suppress(ValueError):
            found.append(json.loads(line))
    return found


def already_sent(path: Path, close: Close) -> set[str]:
    """Returns the names of recipients who were sent exactly this version of a closed month."""
    mine = (close.month, close.version, close.statement.sha256)
    return {
        line["recipient"]
        for line in history(path.parent)
        if line["error"] is None
        and (line.get("month"), line.get("version"), line.get("sha256")) == mine
    }


def record(path: Path, recipient: Recipient, result: Mapping[str, object]) -> None:
    """Appends the result of sending a letter to a recipient to the log of letters."""
    line = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "recipient": recipient.name,
        "kind": recipient.kind,
        **result,
    }
    with atomic_files.write_errors(path):
        append_line(path, json.dumps(line).encode())
