"""Checks the folders to which statements are sent, before a month is closed and none arrives."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ingest.doctor.examination import Examination
from ingest.doctor.finding import Finding

NAME = "recipients"


def check_recipients(exam: Examination) -> Iterator[Finding]:
    """Warns of `[[recipients]]` whose folder does not exist or cannot be written to."""
    for recipient in exam.settings.recipients:
        if recipient.kind != "folder":
            continue
        folder = exam.settings.resolve(recipient.location)
        if not folder.is_dir():
            found, remedy = f"there is no folder {folder}", f"create {folder}, or mount it"
        elif not os.access(folder, os.W_OK | os.X_OK):
            found = f"this user cannot write to {folder}"
            remedy = f"let the user that runs the scheduler write to {folder}"
        else:
            continue
        yield Finding(NAME, recipient.name, "warning", f"{found}: no statement arrives", remedy)
