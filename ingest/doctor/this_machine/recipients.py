"""Checks that statements and alerts can be sent to the places that the config names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ingest.doctor.examination import Examination
from ingest.doctor.finding import Finding
from models.sending import channels

NAME = "recipients"
REMEDIES = {
    "email": "write the mail server and the sender in [smtp]",
    "chat": "write `url` as Apprise does, such as slack://TOKEN_A/TOKEN_B/TOKEN_C",
}


def check_recipients(exam: Examination) -> Iterator[Finding]:
    """Warns of `[[recipients]]` that cannot be reached: their folder, mail server or kind of chat.

    Nothing is sent.
    """
    for recipient in exam.settings.recipients:
        if recipient.kind == "folder":
            folder = exam.settings.resolve(recipient.location)
            found, remedy = _closed(folder)
        else:
            found = channels.unprepared(exam.settings.smtp, recipient)
            remedy = REMEDIES.get(recipient.kind, "")
        if found:
            yield Finding(NAME, recipient.name, "warning", f"{found}: nothing arrives", remedy)


def _closed(folder: Path) -> tuple[str, str]:
    """Returns why a folder cannot be written to, and the remedy; both empty if it can."""
    if not folder.is_dir():
        return f"there is no folder {folder}", f"create {folder}, or mount it"
    if not os.access(folder, os.W_OK | os.X_OK):
        remedy = f"let the user that runs the scheduler write to {folder}"
        return f"this user cannot write to {folder}", remedy
    return "", ""
