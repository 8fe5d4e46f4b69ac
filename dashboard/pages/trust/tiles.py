"""Builds the four tiles of the Trust page."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.pages.trust.wording import checked_alone, open_months
from dashboard.widgets.explain import explain
from dashboard.wording.explanations import trust as explained
from dashboard.wording.explanations.explanation import Explanation
from dashboard.wording.format import cents, count, day, dollars, percent
from dashboard.wording.unknown import MISSING, UNKNOWN_AMOUNT

Row = dict[str, Any]


def tiles(snapshot: Row, sources: Sequence[Row], months: Sequence[Row], untagged: Row) -> Component:
    """Builds Trust's tiles: settled-through date, remainder, untagged share, AWS request cost."""
    return html.Div(
        [_settled(snapshot, sources), _in_no_bucket(months), _nameless(untagged), _paid(sources)],
        className="tiles",
    )


def _settled(snapshot: Row, sources: Sequence[Row]) -> Component:
    gaps = sum(row["gap_days"] or 0 for row in sources)
    newest = max((row["newest_day"] for row in sources if row["newest_day"]), default=None)
    return _tile(
        "Settled through",
        day(snapshot["settled_through"]),
        f"newest day delivered: {day(newest)}; {count(gaps, 'day')} missing",
        explained.TRUST_SOURCES,
        "wordy",
    )


def _in_no_bucket(months: Sequence[Row]) -> Component:
    left = sum((row["unheld"] for row in open_months(months)), Decimal(0))
    alone = checked_alone(months)
    held = "compared with independent totals" if months else "no month to compare"
    if alone:
        held = f"{count(alone, 'month')} with a bill compared only with the export's own total"
    return _tile(
        "In no bucket",
        f"${cents(left)}" if months else MISSING,
        held,
        explained.TRUST_TIE_OUT,
    )


def _nameless(untagged: Row) -> Component:
    loose, spent = untagged.get("untagged"), untagged.get("cost")
    share = loose / spent if loose is not None and spent else None
    return _tile(
        "Names no workload",
        percent(share, 1),
        f"{UNKNOWN_AMOUNT if loose is None else dollars(loose)} of accelerator spend",
        explained.UNTAGGED_SHARE,
    )


def _paid(sources: Sequence[Row]) -> Component:
    asked = sum(row["requests_today"] or 0 for row in sources)
    spent = sum((row["dollars_today"] or Decimal(0) for row in sources), Decimal(0))
    return _tile(
        "Paid for AWS requests today",
        f"${cents(spent)}",
        count(asked, "request"),
        explained.TRUST_SOURCES,
        align="end",
    )


def _tile(
    title: str, value: str, small: str, of: Explanation, kind: str = "", align: str = ""
) -> Component:
    head = html.Div([html.H2(title), explain(of, align)], className="tile-head")
    body = [html.P(value, className=f"value {kind}"), html.P(small, className="small")]
    return html.Article([head, *body], className="tile")
