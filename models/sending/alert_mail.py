"""Sends new alerts of the published snapshot, once to each recipient of alerts.

`alerts.json` next to the warehouse records which alerts are raised, and which have not reached a
recipient yet.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from models.config.sending import Recipient
from models.config.settings import Settings
from models.engine.warehouse.reader import Reader
from models.raw import atomic_files
from models.sending import alerts
from models.sending.attempts import send_with_retries
from models.sending.channels import Letter

STATE = "alerts.json"

logger = logging.getLogger(__name__)


def send_alerts(settings: Settings) -> list[str]:
    """Sends new alerts, and those that failed before, to recipients; returns the new ones' texts.

    A recipient that could not be reached gets them with the next build, because `alerts.json`
    records what each has not got yet.
    """
    recipients = [recipient for recipient in settings.recipients if recipient.alerts]
    if not recipients:
        return []
    path, reader = settings.data / STATE, Reader(settings.data / "snapshots")
    raised, owed = _state(path)
    try:
        new_texts, raised = alerts.new_alerts(reader.rows, settings, raised)
    finally:
        reader.close()
    new = [[f"{settings.today}", line] for line in new_texts]
    owed = {one.name: [*owed.get(one.name, []), *new] for one in recipients}
    atomic_files.replace_json(path, {"raised": raised, "owed": owed})
    for recipient in (one for one in recipients if owed[one.name]):
        if _delivered(settings, recipient, owed[recipient.name]):
            owed[recipient.name] = []
            atomic_files.replace_json(path, {"raised": raised, "owed": owed})
    return new_texts


def _delivered(settings: Settings, recipient: Recipient, owed: Sequence[Sequence[str]]) -> bool:
    today = f"{settings.today}"
    lines = [line if day == today else f"{line} (seen on {day})" for day, line in owed]
    mark = f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
    letter = Letter(mark, f"breakeven: {' '.join(lines[0].split())}", "\n".join(lines) + "\n")
    error = send_with_retries(settings, recipient, letter, {"alerts": lines})
    if error is not None:
        logger.warning(
            "%s did not get its alerts; the next build retries: %s", recipient.name, error
        )
    return error is None


def _state(path: Path) -> tuple[alerts.State, dict[str, list[list[str]]]]:
    """Reads raised alerts, and undelivered ones by recipient; empty if the file is unreadable."""
    with suppress(OSError, ValueError, AttributeError, KeyError, TypeError):
        found = json.loads(path.read_text(encoding="utf-8"))
        raised = {str(key): str(level) for key, level in found["raised"].items()}
        return raised, {name: list(lines) for name, lines in found["owed"].items()}
    return {}, {}
