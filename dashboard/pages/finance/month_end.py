"""Reads statements, closes and conditions of a month for the Finance page. METHOD §7.

Everything is read from the published snapshot and the closes; only closing computes a month again.
A statement is the company's, so readers with a limited scope do not see it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from dashboard.snapshot.context import data_context
from models.closing import closing, conditions, monthly_statement
from models.closing.conditions import Condition
from models.closing.statement_differences import Difference, differences
from models.documents import paper as papers
from models.documents.paper import Paper
from models.records.closes import Close, Closes
from models.records.statement import Statement

Row = dict[str, Any]
MOST_DIFFERENCES = 200
EXPLAINABLE = "tied"
"""The condition that an explanation meets as well."""
DRAFTS = 24
"""How many drafts one process caches; one takes up to half a second to compute."""


class Drafts:
    """Caches up to 24 draft statements of the current snapshot, those last asked for.

    Those of an earlier one are dropped: nobody can ask for them again. Safe between threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._snapshot: str | None = None
        self._drafts: OrderedDict[tuple[str, str], Statement] = OrderedDict()

    def get(
        self, snapshot: str | None, key: tuple[str, str], make: Callable[[], Statement]
    ) -> Statement:
        """Returns a month's draft statement from the cache of this snapshot, or makes it."""
        with self._lock:
            if snapshot != self._snapshot:
                self._drafts.clear()
                self._snapshot = snapshot
            known = self._drafts.pop(key, None)
        made = known or make()
        with self._lock:
            if snapshot == self._snapshot:
                self._drafts[key] = made
                while len(self._drafts) > DRAFTS:
                    self._drafts.popitem(last=False)
        return made


_DRAFTS = Drafts()


def months() -> list[str]:
    """Lists every month of the snapshot and of the closed months, newest first."""
    known = {row["month"] for row in _ask("SELECT DISTINCT month FROM month_facts")}
    return sorted(known | {close.month for close in closes()}, reverse=True)


def default_month(known: Sequence[str]) -> str:
    """Returns the first ended month of a newest-first list, else its first, else empty text."""
    today = f"{data_context().company.today:%Y-%m}"
    return next((month for month in known if month < today), next(iter(known), ""))


def closes() -> list[Close]:
    """Lists every closed version of every month: a month that was reopened has several."""
    return Closes(data_context().company.data).every()


def versions(month: str) -> list[Close]:
    """Lists every closed version of a month, oldest first."""
    return Closes(data_context().company.data).versions(month)


def paper(month: str, version: int | None = None) -> Paper:
    """Returns a month's statement: a closed version, by default the newest; else its draft."""
    known = Closes(data_context().company.data)
    if version is not None or known.versions(month):
        close = closing.one_of(known, month, version)
        return Paper(close.statement, close)
    return draft(month)


def draft(month: str) -> Paper:
    """Returns a month's draft statement from the published snapshot, computed unless cached."""
    snapshot = data_context().mark
    sources = papers.drawn_from(data_context().company, month, _ask)
    closed = [close.called for close in sources.closes]
    held = f"{closed} {sources.delivered} {sources.config}"
    make = partial(monthly_statement.statement, month, sources)
    return Paper(_DRAFTS.get(snapshot, (month, held), make))


def open_conditions(made: Paper) -> list[Condition]:
    """Lists each condition for closing a draft statement's month, and whether it is met."""
    settings = data_context().company
    closes = Closes(settings.data)
    others = closes.newest_versions(without=made.statement.month)
    found = conditions.conditions(made.statement, _ask, settings, others)
    return [*found, *conditions.new_edition(closes.newest_versions())]


def obstacles(month: str) -> list[str]:
    """Returns the reasons why a month cannot be closed by hand; empty if a close may be tried.

    A closed month may be opened again. A remainder is no obstacle, since its cause may be entered.
    """
    known = months()
    if month not in known:
        there_are = f" (there are {known[-1]} to {known[0]})" if known else ""
        return [f"nothing is known of this month{there_are}"]
    if versions(month):
        return []
    unmet = [each for each in open_conditions(draft(month)) if not each.holds]
    return [each.text for each in unmet if each.name != EXPLAINABLE]


def close(month: str, by: str, remainder: str, reason: str) -> Close:
    """Closes a month: freezes its figures as its next version, which is returned.

    `remainder` says why a part of the bill is in no cost bucket, `reason` why a closed month is
    closed again.
    """
    settings = data_context().company
    return closing.close(settings, month, by=by, reason=reason, explanation=remainder).close


def version_differences(month: str, version: int, against: int) -> list[Difference]:
    """Lists the first 200 figures that differ between two closed versions of a month."""
    old, new = (paper(month, number).statement for number in (against, version))
    return list(differences(old, new))[:MOST_DIFFERENCES]


def _ask(sql: str) -> list[Row]:
    return data_context().rows(sql, {})
