"""The rows of `adjustments` in a statement: what moved of closed months, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial

from models.closing import adjustment_causes
from models.records.adjustment_amounts import KEYS, NOTHING, Movement, amounts, movements
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
    """Lists each amount of earlier closed months that has moved since, with its cause.

    These are the rows of `adjustments` in the statement of `month`. `now` holds today's rows of
    `summary` and `tie_out`, of all months. `closes` are the standing closes of other months; those
    of months before `month` are adjusted.
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
    """Says why an amount of a closed month moved where the amounts alone tell it; else empty."""
    if moved.unknown:
        return adjustment_causes.UNKNOWN
    reopened = moved.adjusted_before and moved.now == (moved.closed or NOTHING)
    return adjustment_causes.REOPENED if reopened else ""
