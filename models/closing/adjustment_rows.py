"""The rows of `adjustments` in a statement: what moved of closed months, and why.

What another edition of the method changes stands in rows of its own (`changed_by` is `edition`):
the month as this edition computes it from what was closed, less what finance was told. What AWS or
the config changed since is the rest (`inputs`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from models.closing import adjustment_causes
from models.closing.adjustment_causes import Inputs
from models.contract.edition import EDITION
from models.records.adjustment_amounts import (
    KEYS,
    NOTHING,
    Amounts,
    Movement,
    amounts,
    movements,
)
from models.records.closes import Close
from models.records.statement import Row

Figures = Mapping[str, Sequence[Row]]


class Step(NamedTuple):
    """One thing that changed a closed month: its amounts after it, by what, and why in words."""

    after: Amounts
    changed_by: str
    why: Callable[[str | None], str]


def adjustments(
    month: str,
    now: Figures,
    closes: Iterable[Close],
    inputs: Inputs,
    by_this_edition: Callable[[Close], Figures | None],
) -> list[Row]:
    """Lists each amount of earlier closed months that has moved since, with its cause.

    These are the rows of `adjustments` in the statement of `month`. `now` holds today's rows of
    `summary` and `tie_out`, of all months. `closes` are the standing closes of other months; those
    of months before `month` are adjusted.
    """
    others = list(closes)
    found: list[Row] = []
    for close in (close for close in others if close.month < month):
        latest = max(
            (later for later in others if later.month >= close.month),
            key=lambda later: (later.closed_at, later.month),
        )
        steps = _steps(close.month, latest, now, inputs, by_this_edition)
        found += _moved(close, others, list(steps))
    return found


def _steps(
    month: str,
    latest: Close,
    now: Figures,
    inputs: Inputs,
    by_this_edition: Callable[[Close], Figures | None],
) -> Iterator[Step]:
    """Yields what changed a closed month since the latest close: the edition first, then inputs."""

    def why(account: str | None) -> str:
        return adjustment_causes.since(latest, month, inputs, account)

    today, edition = amounts(now, month), latest.statement.edition
    if edition == EDITION:
        yield Step(today, "inputs", lambda account: why(account) or adjustment_causes.LATER)
        return
    name = adjustment_causes.by_edition(edition)
    same = by_this_edition(latest) if why(None) else now
    if same is None:
        yield Step(today, "edition", lambda account: "; ".join(filter(None, (why(account), name))))
        return
    yield Step(amounts(same, month), "edition", lambda _: name)
    yield Step(today, "inputs", lambda account: why(account) or adjustment_causes.LATER)


def _moved(close: Close, others: Sequence[Close], steps: Sequence[Step]) -> list[Row]:
    """Makes a row per amount that a step changed: less what was told and what went before."""
    found: list[Row] = []
    for step in steps:
        made = {tuple(row[name] for name in KEYS) for row in found}
        for moved in movements(close, step.after, others, tuple(found)):
            known = "" if moved.key in made else _cause(moved)
            cause = known or step.why(moved.key[3])
            found.append(_row(close, moved) | {"changed_by": step.changed_by, "cause": cause})
    keys = [*KEYS, "changed_by"]
    return sorted(found, key=lambda row: tuple(row[key] or "" for key in keys))


def _row(close: Close, moved: Movement) -> Row:
    return {
        "month": close.month,
        "version": close.version,
        **dict(zip(KEYS, moved.key, strict=True)),
        "closed": moved.closed,
        "adjusted_before": moved.adjusted_before,
        "now": moved.now,
        "amount": moved.amount,
    }


def _cause(moved: Movement) -> str:
    """Says why an amount of a closed month moved where the amounts alone tell it; else empty."""
    if moved.unknown:
        return adjustment_causes.UNKNOWN
    reopened = moved.adjusted_before and moved.now == (moved.closed or NOTHING)
    return adjustment_causes.REOPENED if reopened else ""
