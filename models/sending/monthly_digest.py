"""Sends the digest of each month, once to each recipient that asks for one.

It is due from `digest.day` of the next month on, as soon as the month is closed or all of its days
are settled, up to `LATE` months later. What failed is tried again after the next build.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any

from models.config.refusals.unknown_keys import nearest
from models.config.sending import Recipient
from models.config.settings import Settings
from models.contract.errors import BreakevenError, ConfigError, SendError, SeveralError
from models.contract.month import last_day
from models.documents.paper import paper
from models.engine.warehouse.lock import lock
from models.engine.warehouse.reader import Reader
from models.records.audit import audited
from models.records.closes import Closes
from models.sending.attempts import send_with_retries
from models.sending.channels import Letter
from models.sending.digest_letter import digest_letter
from models.sending.sent_log import history

LATE = 3
SETTLED = "SELECT settled_through FROM snapshot"
logger = logging.getLogger(__name__)


def write_digest(settings: Settings, month: str) -> Letter:
    """Returns a month's digest as a letter, from its close or draft and the published snapshot."""
    reader = Reader(settings.data / "snapshots")
    try:
        return digest_letter(paper(settings, month), reader.rows)
    finally:
        reader.close()


def send_digest(
    settings: Settings, month: str, names: Iterable[str] = (), *, again: bool = False
) -> list[str]:
    """Sends a month's digest to recipients, named or all, who lack it; returns a line for each.

    Who has it is sent it only with `again`. Raises `SendError` where one recipient failed and
    `SeveralError` where several did; all others have it.
    """
    names = tuple(names)
    about = {"month": month, "to": names, "again": again}
    with (
        audited(settings.data, "send digest", about, role="finance"),
        lock(settings.data / "sending", purpose=f"send digest {month}"),
    ):
        chosen = _chosen(settings, names)
        known = set() if again else _have(settings, month)
        due = [one for one in chosen if one.name not in known]
        failures = _send(settings, due, month) if due else []
        if len(failures) > 1:
            raise SeveralError(f"{len(failures)} recipients were not reached", failures)
        for failure in failures:
            raise failure
    return [
        f"{one.name}: {'sent' if one in due else 'has it already'} (digest {month})"
        for one in chosen
    ]


def send_due_digests(settings: Settings) -> None:
    """Sends the digests that are due to those who lack them; logs failures and raises none."""
    for month in _due(settings):
        lacking = _lacking(settings, month)
        try:
            if lacking and _is_final(settings, month):
                for line in send_digest(settings, month, lacking):
                    logger.info("%s", line)
        except BreakevenError as error:
            for line in error.lines:
                logger.warning("%s", line)


def _due(settings: Settings) -> list[str]:
    """Lists months whose digests may be due, oldest first; last month from `digest.day` on."""
    months = [_month_before(settings.today)]
    for _ in range(LATE):
        months.insert(0, _month_before(months[0]))
    if settings.today.day < settings.digest.day:
        months.pop()
    return [f"{day:%Y-%m}" for day in months]


def _lacking(settings: Settings, month: str) -> list[str]:
    """Returns the names of recipients who ask for digests and were not sent a month's.

    Last month's is for all. One before it, which was not final in time or could not be sent, is for
    those to whom it or an earlier one was sent, or tried to be.
    """
    last = f"{_month_before(settings.today):%Y-%m}"
    since = dict[str, str]()
    for line in _tried(settings):
        name = line["recipient"]
        since[name] = min(since.get(name, last), line["digest"])
    have = _have(settings, month)
    return [
        one.name
        for one in settings.recipients
        if one.digest and one.name not in have and since.get(one.name, last) <= month
    ]


def _month_before(day: date) -> date:
    return (day.replace(day=1) - timedelta(days=1)).replace(day=1)


def _is_final(settings: Settings, month: str) -> bool:
    """Returns whether a month is closed, or all its days are settled in the published tables."""
    if Closes(settings.data).versions(month):
        return True
    reader = Reader(settings.data / "snapshots")
    try:
        ((through,),) = (row.values() for row in reader.rows(SETTLED))
    finally:
        reader.close()
    return through is not None and through >= last_day(month)


def _have(settings: Settings, month: str) -> set[str]:
    """Returns the names of recipients who were sent the digest of a month."""
    sent = (line for line in _tried(settings) if line["error"] is None)
    return {line["recipient"] for line in sent if line["digest"] == month}


def _tried(settings: Settings) -> list[dict[str, Any]]:
    """Returns the lines of the log of letters that are of digests."""
    return [line for line in history(settings.data) if line.get("digest")]


def _chosen(settings: Settings, names: tuple[str, ...]) -> list[Recipient]:
    known = {one.name: one for one in settings.recipients if one.digest}
    if not known:
        remedy = "set it in a [[recipients]] entry of kind email"
        raise ConfigError("no recipient has `digest = true`", remedy=remedy)
    for name in names:
        if name not in known:
            raise ConfigError(
                "no recipient of digests has this name", value=name, remedy=nearest(name, known)
            )
    return [known[name] for name in dict.fromkeys(names)] or list(known.values())


def _send(settings: Settings, recipients: list[Recipient], month: str) -> list[BreakevenError]:
    letter, failures = write_digest(settings, month), list[BreakevenError]()
    for one in recipients:
        error = send_with_retries(settings, one, letter, {"digest": month})
        if error is not None:
            what = f"{one.name} was not sent the digest of {month}"
            remedy = "correct it; the next build sends it to who does not have it"
            failures.append(SendError(what, value=error, remedy=remedy))
    return failures
