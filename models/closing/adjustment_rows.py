"""Builds the rows of `adjustments` in a statement: what changed in closed months, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal

from models.closing import adjustment_causes
from models.closing.adjustment_causes import Inputs
from models.closing.changed_by_method_or_inputs import Change, Figures, changes_since
from models.records.adjustment_amounts import (
    KEYS,
    NOTHING,
    Key,
    Movement,
    adjusted,
    movements,
)
from models.records.closes import Close
from models.records.statement import Row


def adjustments(
    month: str,
    now: Figures,
    closes: Iterable[Close],
    inputs: Inputs,
    by_this_edition: Callable[[Close], Figures | None],
) -> list[Row]:
    """Lists rows, with causes, for amounts of closed months that changed and were not yet adjusted.

    These are the rows of `adjustments` in the statement of `month`. `now` holds today's rows of
    `summary` and `tie_out`, of all months. `closes` are the newest closes of other months; those of
    months before `month` are adjusted.
    """
    others = list(closes)
    found: list[Row] = []
    for close in (close for close in others if close.month < month):
        latest = max(
            (later for later in others if later.month >= close.month),
            key=lambda later: (later.closed_at, later.month),
        )
        changes = changes_since(close.month, latest, now, inputs, by_this_edition)
        found += _moved(close, others, list(changes))
    return found


def _moved(close: Close, others: Sequence[Close], changes: Sequence[Change]) -> list[Row]:
    """Lists a row per changed amount of a closed month, less what other closes already adjusted."""
    found: list[Row] = []
    for change in changes:
        made = {tuple(row[name] for name in KEYS) for row in found}
        for moved in movements(close, change.after, others, tuple(found)):
            contained = NOTHING if moved.key in made else _contained(close, moved.key, others)
            cause = _cause(moved, contained, change.why)
            found.append(_row(close, moved) | {"changed_by": change.changed_by, "cause": cause})
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


def _cause(moved: Movement, contained: Decimal, why: Callable[[Key], str]) -> str:
    """Returns, as text, why an amount of a closed month changed; several causes are joined by `; `.

    `contained` is the part that its month, closed again, already holds.
    """
    if moved.unknown:
        return adjustment_causes.UNKNOWN
    if not contained:
        return why(moved.key)
    alone = moved.amount == -contained
    return "; ".join((adjustment_causes.REOPENED, *(() if alone else (why(moved.key),))))


def _contained(close: Close, key: Key, others: Sequence[Close]) -> Decimal:
    """Returns the dollars of an earlier adjustment that a reclosed month already contains; else 0.

    A close names the versions of other months that it was computed from.
    """
    if close.version == 1:
        return NOTHING
    version = close.month, close.version
    after = [other for other in others if version in other.closes]
    before = [other for other in others if version not in other.closes]
    taken_back = key in adjusted(close.month, after)
    return NOTHING if taken_back else adjusted(close.month, before).get(key, NOTHING)
