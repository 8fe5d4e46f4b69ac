"""Closing a month, and proving later that it was computed from what it says.

Both derive every mart anew, in memory, from named deliveries and a named config: what a close holds
is by construction what `verify` computes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ibis.backends.duckdb import Backend

from models.closing.book import Ask, Sources, statement
from models.closing.conditions import Condition, conditions
from models.closing.differences import differences
from models.config.settings import Settings, parse
from models.contract.errors import CloseError, MissingDataError, NotReadyError
from models.engine import build, cost_source
from models.engine.context import BuildContext
from models.engine.sql.compiled_sql import Compiled
from models.engine.warehouse import connection
from models.engine.warehouse.lock import lock
from models.raw import disk
from models.raw.zone import Delivery, RawZone
from models.raw.zone import live as live_of
from models.records.closes import Close, Closes, Delivered
from models.records.statement import Row, Statement

NOT_FROZEN = {"warehouse", "schedule", "notice", "raw", "recipients", "smtp", "alerts"}
"""Of the config: where things lie and when they run moves no number."""


@dataclass(frozen=True)
class Drafted:
    """What would be closed now, and whether it may be."""

    close: Close
    conditions: tuple[Condition, ...]

    @property
    def lines(self) -> list[str]:
        """For people: each condition."""
        return [condition.line for condition in self.conditions]

    def closed_line(self) -> str:
        """For people, once it is closed."""
        close = self.close
        return f"closed {close.called} by {close.closed_by} (sha256 {close.statement.sha256})"

    def document(self) -> dict[str, Any]:
        """For machines."""
        return told(self.close) | {"conditions": [one.document() for one in self.conditions]}


@dataclass(frozen=True)
class Verified:
    """A close that was computed again from its own deliveries, and is the same."""

    close: Close

    def line(self) -> str:
        """For people."""
        count = len(self.close.deliveries)
        return (
            f"{self.close.called}: as closed by {self.close.closed_by} at {self.close.closed_at}; "
            f"computed again from {count} deliveries, every figure agrees "
            f"(sha256 {self.close.statement.sha256})"
        )

    def document(self) -> dict[str, Any]:
        """For machines."""
        return told(self.close) | {"agrees": True}


def told(close: Close) -> dict[str, Any]:
    """What a close is, without its figures."""
    names = ("month", "version", "closed_by", "closed_at", "reason")
    return {name: getattr(close, name) for name in names} | {"sha256": close.statement.sha256}


def draft(
    settings: Settings, month: str, *, by: str = "", reason: str = "", explanation: str = ""
) -> Drafted:
    """The close of `month` from what is live now; nothing is written."""
    every = RawZone(settings.data / "raw").deliveries()
    live = live_of(every)
    closes = Closes(settings.data)
    others = closes.standing(without=month)
    delivered, config = tuple(named(one) for one in live), frozen(settings)
    with _derived(settings, every, live) as ask:
        sources = Sources(ask, settings, others, delivered, config)
        found = statement(month, sources)
        held = conditions(found, ask, settings, others, explanation)
    made = Close(
        found,
        version=len(closes.versions(month)) + 1,
        closed_by=by,
        closed_at=datetime.now(UTC).isoformat(timespec="seconds"),
        reason=reason,
        deliveries=delivered,
        config=config,
        closes=tuple((close.month, close.version) for close in others),
        notes=tuple(condition.line for condition in held),
    )
    return Drafted(made, tuple(held))


def close(
    settings: Settings, month: str, *, by: str, reason: str = "", explanation: str = ""
) -> Drafted:
    """Freezes `month` as its next version. Raises `NotReadyError` with what is not met.

    A month that was closed before needs a `reason`: it stays, and the new version counts.
    """
    with lock(settings.data, purpose=f"close {month}"):
        closes = Closes(settings.data)
        _sweep(closes.folder)
        if (known := closes.versions(month)) and not reason:
            raise CloseError(
                f"{month} is closed already",
                value=f"version {known[-1].version} by {known[-1].closed_by}",
                remedy="--reason TEXT says why it is opened again, as a new version",
            )
        made = draft(settings, month, by=by, reason=reason, explanation=explanation)
        if missing := [one for one in made.conditions if not one.holds]:
            raise NotReadyError(
                f"{month} cannot be closed", [f"{one.name}: {one.said}" for one in missing]
            )
        closes.add(made.close)
    return made


def verify(settings: Settings, month: str, number: int | None = None) -> Verified:
    """Computes a close again from the deliveries it names. Raises `CloseError` where it differs."""
    closes = Closes(settings.data)
    found = one_of(closes, month, number)
    every = {delivery.id: delivery for delivery in RawZone(settings.data / "raw").deliveries()}
    mine = [_still(one, every) for one in found.deliveries]
    others = [
        next(known for known in closes.versions(other) if known.version == version)
        for other, version in found.closes
    ]
    config = thawed(found.config, settings)
    with _derived(config, mine, mine) as ask:
        sources = Sources(ask, config, others, found.deliveries, found.config)
        again = _as_told(statement(month, sources), found.statement)
    if again.sha256 != found.statement.sha256:
        raise CloseError(
            f"{found.called} is not what its deliveries give",
            value=next(differences(found.statement, again)),
            remedy="keep the close; find out what changed before anyone relies on either",
        )
    return Verified(found)


def _as_told(again: Statement, told: Statement) -> Statement:
    """What an older program told of it: what came later is no difference, nor is the program."""
    facts = {**again.facts, "version": told.facts.get("version")}
    return replace(again, facts=facts, tables={name: again.tables[name] for name in told.tables})


def one_of(closes: Closes, month: str, number: int | None = None) -> Close:
    """A version of a month, the newest if none is named. `MissingDataError` without it."""
    versions = closes.versions(month)
    wanted = [known for known in versions if number in (None, known.version)]
    if not wanted:
        named = (
            ", ".join(sorted({known.called for known in closes.every()})) or "no month is closed"
        )
        what = month if number is None else f"{month} version {number}"
        raise MissingDataError("there is no such close", value=what, remedy=named)
    return wanted[-1]


def frozen(settings: Settings) -> dict[str, Any]:
    """What of the config the numbers come from, as JSON; `as_of` is the day of the close."""
    said = settings.model_dump(mode="json", by_alias=True, exclude=NOT_FROZEN)
    return said | {"as_of": f"{settings.today}"}


def thawed(config: Mapping[str, Any], settings: Settings) -> Settings:
    """The settings of a close; where things lie is said by those of today."""
    here = {"warehouse": {"path": str(settings.warehouse_file)}}
    return parse({**config, **here}, home=settings.home, where="the closed config")


@contextmanager
def _derived(
    settings: Settings, every: Sequence[Delivery], live: Sequence[Delivery]
) -> Iterator[Ask]:
    """Every mart from `live`, in memory; the warehouse is neither read nor written."""
    bills = cost_source.bills(live, settings)
    compiled = Compiled(settings.data)
    with connection.scratch() as backend:
        build.derive(BuildContext(settings, backend, compiled, every, live, bills))
        yield _asking(backend)


def _asking(backend: Backend) -> Ask:
    def ask(sql: str) -> list[Row]:
        cursor = backend.con.execute(sql)
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    return ask


def named(delivery: Delivery) -> Delivered:
    return {
        "source": delivery.key.source,
        "unit": delivery.key.unit,
        "period": delivery.key.period,
        "id": delivery.id,
        "format": delivery.format,
        "pulled_at": delivery.pulled_at.isoformat(),
        "rows": delivery.rows,
        "fingerprint": delivery.fingerprint,
        "totals": {name: dict(sums) for name, sums in delivery.totals.items()},
    }


def _still(named: Delivered, every: Mapping[str, Delivery]) -> Delivery:
    """The delivery that a close names, its files as they were. Raises `CloseError`."""
    called = f"{named['source']} {named['unit']} {named['period']} ({named['id']})"
    found = every.get(str(named["id"]))
    if found is None or not found.present:
        raise CloseError(
            "a delivery that it was computed from is gone",
            value=called,
            remedy="restore raw/ from your backup",
        )
    same = all(disk.sha256(found.folder / file.name) == file.sha256 for file in found.files)
    if not same or found.fingerprint != named["fingerprint"]:
        raise CloseError(
            "a delivery that it was computed from was changed",
            value=called,
            remedy="restore raw/ from your backup",
        )
    return found


def _sweep(folder: Path) -> None:
    """Drafts that a crash left; only the one writer removes them."""
    for stale in folder.glob("*/.*.json.*"):
        stale.unlink()
