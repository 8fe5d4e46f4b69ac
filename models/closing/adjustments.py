"""The rows of `adjustments` in a statement: what moved of closed months, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial

from models.closing import adjustment_causes
from models.records.adjustments import KEYS, NOTHING, Movement, amounts, movements
from models.records.closes import Close, Delivered
from models.records.statement import Row


def adjustments(
    month: str,
    now: Mapping[str, Sequence[Row]],
    closes: Iterable[Close],
    delivered: Sequence[Delivered],
    config: Mapping[str, object],
    program: str | None,
) -> list[Row]:
    """The rows of `adjustments` in the statement of `month`: one for each amount that moved.

    `now`: rows of all months, `summary` and `tie_out`, as they are computed today. `closes`: the
    standing ones of other months; those before `month` are adjusted.
    """
    others = list(closes)
    found = []
    for close in (close for close in others if close.month < month):
        latest = max(
            (later for later in others if later.month >= close.month),
            key=lambda later: (later.closed_at, later.month),
        )
        why = cache(
            partial(adjustment_causes.since, latest, close.month, delivered, config, program)
        )
        for moved in movements(close, amounts(now, close.month), others):
            cause = _cause(moved) or why(moved.key[3])
            found.append(_row(close, moved) | {"cause": cause})
    return found


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
    """The cause that the amounts themselves tell; empty where it lies in what they came from."""
    if moved.unknown:
        return adjustment_causes.UNKNOWN
    reopened = moved.adjusted_before and moved.now == (moved.closed or NOTHING)
    return adjustment_causes.REOPENED if reopened else ""
