"""Sends the statement of a closed month, once to each recipient.

A recipient who has a version is not sent it again. A refusal is one line; the others are sent to
all the same.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from models.closing.closing import one_of
from models.config.refusals.unknown_keys import nearest
from models.config.sending import Recipient
from models.config.settings import Settings
from models.contract.errors import BreakevenError, ConfigError, SendError, SeveralError
from models.documents import statement_files
from models.documents.paper import Paper
from models.engine.warehouse.lock import lock
from models.records.audit import audited
from models.records.closes import Close, Closes
from models.sending.attempts import send_with_retries
from models.sending.channels import Letter
from models.sending.sent_log import FILE, already_sent, history
from models.sending.statement_letter import statement_letter, subject

REMEDY = "correct it, then `breakeven send` sends it to who does not have it"
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Sent:
    """Whether a recipient was just sent a month's statement, or already had it."""

    recipient: str
    month: str
    version: int
    new: bool

    def line(self) -> str:
        """Formats the sending of a statement to a recipient as one line for the terminal."""
        what = "sent" if self.new else "has it already"
        return f"{self.recipient}: {what} ({self.month} version {self.version})"


def send(
    settings: Settings, month: str, names: Iterable[str] = (), *, again: bool = False
) -> list[Sent]:
    """Sends a closed month's statement to those who lack it, of the named or all recipients.

    The statement is that of the newest close. With `again`, those who have it get it once more.
    Raises `SendError` where one recipient failed and `SeveralError` where several did; all others
    have it.
    """
    names = tuple(names)
    about = {"month": month, "to": names, "again": again}
    with (
        audited(settings.data, "send", about, role="finance"),
        lock(settings.data / "sending", purpose=f"send {month}"),
    ):
        done, failures = _send_all(settings, month, names, again=again)
        _raise(failures)
    return done


def _send_all(
    settings: Settings, month: str, names: tuple[str, ...], *, again: bool
) -> tuple[list[Sent], list[BreakevenError]]:
    """Sends to each recipient who lacks the statement; returns who has it, and the failures."""
    closes = Closes(settings.data)
    close = one_of(closes, month)
    known = set() if again else already_sent(settings.data / FILE, close)
    words = statement_letter(close, closes)
    done: list[Sent] = []
    failures: list[BreakevenError] = []
    for recipient in _chosen(settings, names):
        new = recipient.name not in known
        try:
            if new:
                _send(settings, recipient, close, words)
            done.append(Sent(recipient.name, month, close.version, new))
        except SendError as error:
            failures.append(error)
    return done, failures


def send_due(settings: Settings) -> None:
    """Sends each closed month's statement to recipients who lack it; logs failures, raises none.

    They are sent again the next time.
    """
    for close, names in _owed(settings):
        try:
            for sent in send(settings, close.month, names):
                logger.info("%s", sent.line())
        except BreakevenError as error:
            for line in error.lines:
                logger.warning("%s", line)


def _owed(settings: Settings) -> list[tuple[Close, list[str]]]:
    """Lists (close, recipients who lack it): the newest close, and all since the first they got.

    A recipient gets every close from the first month sent to it on, so that none is missed where
    two months are closed at once or one is closed again.
    """
    closed = Closes(settings.data).newest_versions() if settings.recipients else []
    since: dict[str, str] = {}
    for line in history(settings.data):
        if line["error"] is None and line.get("month"):
            since[line["recipient"]] = min(line["month"], since.get(line["recipient"], "9999"))
    found = []
    for close in closed:
        known = already_sent(settings.data / FILE, close)
        names = [
            one.name
            for one in settings.recipients
            if one.statements
            and one.name not in known
            and (close is closed[-1] or since.get(one.name, "9999") <= close.month)
        ]
        found += [(close, names)] if names else []
    return found


def _chosen(settings: Settings, names: Sequence[str]) -> list[Recipient]:
    known = {recipient.name: recipient for recipient in settings.recipients}
    if not known:
        raise ConfigError("there are no recipients", remedy="add [[recipients]] to the config")
    for name in names:
        if name not in known:
            raise ConfigError("no recipient of this name", value=name, remedy=nearest(name, known))
    return [known[name] for name in dict.fromkeys(names)] or [
        one for one in known.values() if one.statements
    ]


def _raise(failures: Sequence[BreakevenError]) -> None:
    if len(failures) == 1:
        raise failures[0]
    if failures:
        raise SeveralError(f"{len(failures)} recipients were not reached", failures)


def _send(settings: Settings, recipient: Recipient, close: Close, words: str) -> None:
    """Sends a statement to one recipient, with retries, and logs it; `SendError` if all fail."""
    sha256 = close.statement.sha256
    mark = f"{close.month}.v{close.version}.{sha256[:16]}"
    files = _files(recipient, close)
    about = {"month": close.month, "version": close.version, "sha256": sha256}
    manifest = statement_files.name(Paper(close.statement, close), "manifest.json")
    letter = Letter(mark, subject(close), words, files, manifest, sha256)
    error = send_with_retries(settings, recipient, letter, about)
    if error is not None:
        raise SendError(f"{recipient.name} was not sent {close.called}", value=error, remedy=REMEDY)


def _files(recipient: Recipient, close: Close) -> Mapping[str, bytes]:
    paper = Paper(close.statement, close)
    return {
        statement_files.name(paper, form): statement_files.KINDS[form](paper)
        for form in recipient.formats
    }
