"""Sends the statement of a closed month, once to each recipient, and records what was sent.

`sent.jsonl` beside the warehouse has a line for each attempt that came to an end. A recipient who
has a version is not sent it again. A refusal is one line; the others are sent to all the same.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from models.closing.closing import one_of
from models.config.sending import Recipient
from models.config.settings import Settings, nearest
from models.contract.errors import BreakevenError, ConfigError, SendError, SeveralError
from models.documents import statements
from models.documents.paper import Paper
from models.engine.warehouse.lock import lock
from models.engine.warehouse.reader import Reader
from models.raw import disk
from models.records.closes import Close, Closes
from models.sending import alerts
from models.sending.channels import CHANNELS, Letter, Refused
from models.sending.digest import digest, subject

FILE = "sent.jsonl"
STATE = "alerts.json"
PAUSES = (2.0, 10.0)
"""Seconds before each further try."""
REMEDY = "correct it, then `breakeven send` sends it to who does not have it"

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Sent:
    """One recipient's turn: `new` is false where they had it already."""

    recipient: str
    month: str
    version: int
    new: bool

    def line(self) -> str:
        """For people."""
        what = "sent" if self.new else "has it already"
        return f"{self.recipient}: {what} ({self.month} version {self.version})"


def send(
    settings: Settings, month: str, names: Iterable[str] = (), *, again: bool = False
) -> list[Sent]:
    """The newest close of `month` to the named recipients, or to all who do not have it.

    Raises `SendError` where one was refused, `SeveralError` where several were; the others have it.
    """
    with lock(settings.data / "sending", purpose=f"send {month}"):
        closes = Closes(settings.data)
        close = one_of(closes, month)
        known = set() if again else _had(settings.data / FILE, close)
        words = digest(close, closes)
        done: list[Sent] = []
        failures: list[BreakevenError] = []
        for recipient in _chosen(settings, tuple(names)):
            new = recipient.name not in known
            try:
                if new:
                    _send(settings, recipient, close, words)
                done.append(Sent(recipient.name, month, close.version, new))
            except SendError as error:
                failures.append(error)
    _raise(failures)
    return done


def send_due(settings: Settings) -> None:
    """Every close that a recipient is owed; a refusal is logged and tried next time."""
    for close, names in _owed(settings):
        try:
            for sent in send(settings, close.month, names):
                logger.info("%s", sent.line())
        except BreakevenError as error:
            for line in error.lines:
                logger.warning("%s", line)


def _owed(settings: Settings) -> list[tuple[Close, list[str]]]:
    """The newest closed month, and from the first month that one was sent on, every close since:
    none is passed over where two months are closed at once, nor one that was opened again."""
    closed = Closes(settings.data).standing() if settings.recipients else []
    since: dict[str, str] = {}
    for line in history(settings.data):
        if line["error"] is None and line.get("month"):
            since[line["recipient"]] = min(line["month"], since.get(line["recipient"], "9999"))
    found = []
    for close in closed:
        known = _had(settings.data / FILE, close)
        names = [
            one.name
            for one in settings.recipients
            if one.name not in known
            and (close is closed[-1] or since.get(one.name, "9999") <= close.month)
        ]
        found += [(close, names)] if names else []
    return found


def send_alerts(settings: Settings) -> list[str]:
    """What is new in the published snapshot, said once to each recipient of alerts.

    Who could not be reached is told with the next build: `alerts.json` holds what is owed to whom.
    """
    hearing = [recipient for recipient in settings.recipients if recipient.alerts]
    if not hearing:
        return []
    path, reader = settings.data / STATE, Reader(settings.data / "snapshots")
    raised, owed = _state(path)
    try:
        said, raised = alerts.news(reader.rows, settings, raised)
    finally:
        reader.close()
    new = [[f"{settings.today}", line] for line in said]
    owed = {one.name: [*owed.get(one.name, []), *new] for one in hearing}
    disk.replace(path, {"raised": raised, "owed": owed})
    for recipient in (one for one in hearing if owed[one.name]):
        if _told(settings, recipient, owed[recipient.name]):
            owed[recipient.name] = []
            disk.replace(path, {"raised": raised, "owed": owed})
    return said


def _told(settings: Settings, recipient: Recipient, owed: Sequence[Sequence[str]]) -> bool:
    today = f"{settings.today}"
    lines = [line if day == today else f"{line} (seen on {day})" for day, line in owed]
    mark = f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
    letter = Letter(mark, f"breakeven: {' '.join(lines[0].split())}", "\n".join(lines) + "\n")
    error = _insisted(settings, recipient, letter, {"alerts": lines})
    if error is not None:
        logger.warning("%s was not told, and will be: %s", recipient.name, error)
    return error is None


def _state(path: Path) -> tuple[alerts.State, dict[str, list[list[str]]]]:
    """What is raised, and what is owed to whom; where nothing can be read of it, nothing is."""
    with suppress(OSError, ValueError, AttributeError, KeyError, TypeError):
        found = json.loads(path.read_text(encoding="utf-8"))
        raised = {str(key): str(level) for key, level in found["raised"].items()}
        return raised, {name: list(lines) for name, lines in found["owed"].items()}
    return {}, {}


def history(data: Path) -> list[dict[str, Any]]:
    """The record, oldest first; a line that a crash tore says nothing."""
    path, found = data / FILE, []
    lines = path.read_bytes().splitlines() if path.is_file() else []
    for line in lines:
        with suppress(ValueError):
            found.append(json.loads(line))
    return found


def _chosen(settings: Settings, names: Sequence[str]) -> list[Recipient]:
    known = {recipient.name: recipient for recipient in settings.recipients}
    if not known:
        raise ConfigError("nobody is sent to", remedy="add [[recipients]] to the config")
    for name in names:
        if name not in known:
            raise ConfigError("no recipient of this name", value=name, remedy=nearest(name, known))
    return [known[name] for name in names] or list(known.values())


def _raise(failures: Sequence[BreakevenError]) -> None:
    if len(failures) == 1:
        raise failures[0]
    if failures:
        raise SeveralError(f"{len(failures)} recipients were not sent to", failures)


def _send(settings: Settings, recipient: Recipient, close: Close, words: str) -> None:
    """With retries; recorded either way. Raises `SendError`."""
    sha256 = close.statement.sha256
    mark = f"{close.month}.v{close.version}.{sha256[:16]}"
    files = _files(recipient, close)
    about = {"month": close.month, "version": close.version, "sha256": sha256}
    manifest = statements.name(Paper(close.statement, close), "manifest.json")
    letter = Letter(mark, subject(close), words, files, manifest, sha256)
    error = _insisted(settings, recipient, letter, about)
    if error is not None:
        raise SendError(f"{recipient.name} was not sent {close.called}", value=error, remedy=REMEDY)


def _insisted(
    settings: Settings, recipient: Recipient, letter: Letter, about: Mapping[str, object]
) -> str | None:
    """Tries, and records how it ended; what went wrong at last."""
    tries, error = 0, None
    for pause in (*PAUSES, None):
        tries += 1
        error, again = _tried(settings, recipient, letter)
        if error is None or not again or pause is None:
            break
        time.sleep(pause)
    ended = {"tries": tries, "error": error}
    _record(settings.data / FILE, recipient, {**about, **ended})
    return error


def _tried(settings: Settings, recipient: Recipient, letter: Letter) -> tuple[str | None, bool]:
    """What went wrong, and whether trying again may help."""
    try:
        CHANNELS[recipient.kind](settings, recipient, letter)
    except Refused as refused:
        return str(refused), False
    except (OSError, BreakevenError) as failed:
        return " ".join(str(failed).split()) or type(failed).__name__, True
    return None, False


def _files(recipient: Recipient, close: Close) -> Mapping[str, bytes]:
    paper = Paper(close.statement, close)
    return {
        statements.name(paper, form): statements.KINDS[form](paper) for form in recipient.formats
    }


def _had(path: Path, close: Close) -> set[str]:
    """Who was sent this very version."""
    mine = (close.month, close.version, close.statement.sha256)
    return {
        line["recipient"]
        for line in history(path.parent)
        if line["error"] is None
        and (line.get("month"), line.get("version"), line.get("sha256")) == mine
    }


def _record(path: Path, recipient: Recipient, told: Mapping[str, object]) -> None:
    line = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "recipient": recipient.name,
        "kind": recipient.kind,
        **told,
    }
    with disk.writing(path), path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
