"""Renders sources, tie-out, restatements and what is left out as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.widgets.explain import term
from dashboard.widgets.indicators import empty
from dashboard.widgets.tables.plain_table import Cell, listing
from dashboard.wording.format import cents, day, month_name, signed
from dashboard.wording.reasons import WITHOUT_GPU_COST, reason
from dashboard.wording.unknown import MISSING, UNKNOWN_AMOUNT

Row = dict[str, Any]
BUCKETS = {
    "direct": ("Runs", "Charges that name a run."),
    "shared": ("Shared", "Charges that name only a workload, split over its runs."),
    "cluster_idle": ("Cluster idle", "Time of shared machines that no job held."),
    "overhead": ("Overhead", "Charges of a workload on days without a run."),
    "idle_commitment": ("Idle", "Commitments, reservations and blocks that nobody used."),
    "untagged": ("Untagged", "Accelerator charges that name neither a run nor a workload."),
    "purchase": ("Purchases", "Upfront and recurring fees of commitments."),
    "credit": ("Credits", "Funding, not price: never part of a run's cost."),
    "refund": ("Refunds", "Refunds that name no charge that they reverse."),
    "tax": ("Tax", "Tax."),
    "support": ("Support", "AWS Support."),
    "other": ("Other", "Everything else outside any workload."),
}

TOTALS = {
    "invoice": "invoice",
    "cost_explorer": "Cost Explorer",
    "self_check": "export",
}


def source_list(rows: Sequence[Row]) -> Component:
    """Builds the table of sources and accounts with freshness, gaps and paid requests."""
    head = (
        "Source",
        "Account",
        "Status",
        "Last success",
        "Newest day",
        "Settled through",
        "Days missing",
        "Requests today",
        "Dollars today",
    )
    return listing("Sources", head, [_source(row) for row in rows], words=3)


def _source(row: Row) -> list[Cell]:
    problem = row["why"] or row["last_error"] or row["notice"]
    days = None if row["gap_days"] is None else f"{row['gap_days']:,}"
    return [
        str(row["source"]),
        row["account"] or MISSING,
        html.Span(problem, className="bad") if problem else "OK",
        _instant(row["last_success"]),
        day(row["newest_day"]),
        day(row["settled_through"]),
        days,
        f"{row['requests_today'] or 0:,}",
        row["dollars_today"],
    ]


def tie_out_table(rows: Sequence[Row]) -> Component:
    """Builds the tie-out table: a row per month, a column per cost bucket that has dollars."""
    if not rows:
        return empty("No bill in this range", "Choose another range.")
    used = [name for name in BUCKETS if any(row[name] for row in rows)]
    more = [name for name in ("bridge", "block_spread") if any(row[name] for row in rows)]
    titles = {"bridge": "Bridge from billed, $", "block_spread": "Blocks moved, $"}
    head = [
        "Month",
        "Compared with",
        *(f"{BUCKETS[name][0]}, $" for name in used),
        "Bill total, $",
        *(titles[name] for name in more),
        "Remainder, $",
    ]
    body = [_month(row, used, more) for row in rows]
    meanings = html.P([html.Span([term(*BUCKETS[n]), " "]) for n in used], className="note terms")
    return html.Div([listing("Tie-out by month", head, body, words=2), meanings])


def _month(row: Row, used: Sequence[str], more: Sequence[str]) -> list[Cell]:
    by = ", ".join(TOTALS.get(name, name) for name in row["sources"])
    left = html.Strong(cents(row["remainder"]), className="bad" if row["unheld"] else "good")
    amounts = [row[name] for name in used]
    return [
        month_name(row["month"]),
        by,
        *amounts,
        row["bill_total"],
        *(row[n] for n in more),
        left,
    ]


def restatement_list(rows: Sequence[Row]) -> Component:
    """Builds the table of bills that AWS changed afterwards, the newest first."""
    if not rows:
        return empty(
            "AWS has changed nothing in this range",
            "No bill delivered on these days differs from what was delivered before.",
            "check",
        )
    head = ("Month", "Account", "Source", "On", "Was settled", "Billed, $", "Effective, $")
    body: list[list[Cell]] = [
        [
            month_name(row["month"]),
            row["account"] or MISSING,
            str(row["source"]),
            _instant(row["pulled_at"]),
            "yes" if row["settled"] else "no",
            signed(cents(row["billed_change"]), row["billed_change"]),
            signed(cents(row["effective_change"]), row["effective_change"]),
        ]
        for row in rows
    ]
    return listing("Restatements", head, body, words=5)


def left_out_list(standings: Sequence[Row]) -> Component:
    """Builds the table of savings left out or flagged, by reason and workload."""
    rows = [
        [reason(name), kind, str(row["workload"]), _amount(amount, effect, name)]
        for effect, kind in (("left_out", "left out"), ("flagged", "counted, flagged"))
        for row in standings
        for name, amount in _largest(row[effect])
    ]
    if not rows:
        return empty(
            "Nothing is left out", "No saving is left out of the headline or flagged.", "check"
        )
    head = ("Reason", "How", "Workload", "Saving or cost, $")
    return listing("Left out or flagged", head, rows, words=3)


def _largest(amounts: Mapping[str, Decimal | None] | None) -> list[tuple[str, Decimal | None]]:
    return sorted((amounts or {}).items(), key=lambda each: -abs(each[1] or Decimal(0)))


def _amount(value: Decimal | None, effect: str, reason_name: str) -> str:
    """Formats a saving with its sign; what is left out without a GPU cost, as its own cost."""
    if value is None:
        return UNKNOWN_AMOUNT
    of_cost = effect == "left_out" and reason_name in WITHOUT_GPU_COST
    return f"cost {cents(value)}" if of_cost else signed(cents(value), value)


def _instant(at: datetime | None) -> str:
    if at is None:
        return "never"
    utc = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    return f"{day(utc.date())}, {utc:%H:%M}"
