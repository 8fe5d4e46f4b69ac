"""Lists the days for which each source has delivered data, per account."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import NamedTuple

from models.config.settings import Settings
from models.engine.context import BuildContext
from models.engine.reduction.delivered_files import read_all, view_of
from models.engine.reduction.reduced_lines import DAYS
from models.raw.delivery import Delivery

PROGRESS = "progress"
REGIONAL = re.compile(r"(\d{12})-[a-z]+(?:-[a-z]+)+-\d+")
"""The key of what an account says in one region."""
Owner = tuple[str, str | None]
"""A source, and an account."""


class DeliveredDay(NamedTuple):
    """A day for which a source delivered an account's data, and when the source was last pulled.

    `pulled_at` is when the source's newest delivery was pulled; of progress, the account's.
    `billed`: it is a day of a bill, whose account may have no name.
    """

    source: str
    account: str | None
    day: date | None
    pulled_at: datetime
    billed: bool


def delivered_days(context: BuildContext) -> Iterator[DeliveredDay]:
    """Yields days with delivered data by source and account; a null day for a source without any.

    The account is the billing account of a bill, and of progress the one in the delivery's key, if
    any. Where one source brought all progress, its days are read from the view `progress`.
    """
    backend, live = context.backend, context.live
    newest = {d.key.source: d.pulled_at for d in sorted(live, key=_pulled)}
    seen: defaultdict[Owner, list[date | None]] = defaultdict(list)
    billed = backend.con.execute(f"SELECT DISTINCT source, billing_account, date FROM {DAYS}")
    for source, account, day in billed.fetchall():
        seen[source, account].append(day)
    bills = {*seen}
    progress = _progress_by_account(live, context.settings)
    for owner, mine in progress.items():
        rows = PROGRESS if len(progress) == 1 else f"({read_all(context, 'progress_of', mine)})"
        days = backend.con.execute(f"SELECT DISTINCT observed_at::DATE FROM {rows}").fetchall()
        seen[owner] = [day for (day,) in days]
    for source in set(newest) - {source for source, _ in seen}:
        seen[source, None] = []
    for owner in sorted(seen, key=str):
        at = max(map(_pulled, progress.get(owner, [])), default=newest[owner[0]])
        for day in seen[owner] or [None]:
            yield DeliveredDay(*owner, day, at.replace(tzinfo=None), owner in bills)


def _progress_by_account(
    live: Sequence[Delivery], settings: Settings
) -> dict[Owner, list[Delivery]]:
    """Maps source and account to their deliveries of training progress."""
    found: defaultdict[Owner, list[Delivery]] = defaultdict(list)
    for delivery in live:
        if view_of(delivery) == "progress":
            found[delivery.key.source, _account(delivery, settings)].append(delivery)
    return dict(found)


def _account(delivery: Delivery, settings: Settings) -> str | None:
    """Returns the account that a progress delivery's key names; None if it names none.

    The key names the account together with a region, or begins with an account id that the config
    lists.
    """
    metrics = REGIONAL.fullmatch(delivery.key.unit)
    first = delivery.key.unit.partition("/")[0]
    known = any(entry.id == first for entry in settings.accounts)
    return metrics[1] if metrics else first if known else None


def _pulled(delivery: Delivery) -> datetime:
    return delivery.pulled_at
