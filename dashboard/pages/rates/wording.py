"""Says in one sentence what an accelerator-hour last cost."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from dashboard.wording.format import GAP, cents, day, month, number, percent

Row = dict[str, Any]
NAMED = 3


def rates_sentence(rows: Sequence[Row], period: str) -> str:
    """Says what an accelerator-hour last cost on the most used platforms, and its list price."""
    if not rows:
        return "No accelerator-hour has settled in this range."
    newest = max(row["period_start"] for row in rows)
    now = [row for row in rows if row["period_start"] == newest and row["hours"]]
    now = sorted(now, key=lambda row: -row["hours"])[:NAMED]
    when = month(newest) if period == "month" else f"the week of {day(newest)}"
    each = [
        f"${cents(row['cost'] / row['hours'])} on {row['platform']}{_against_list(row)}"
        for row in now
    ]
    if not each:
        return f"What an accelerator-hour cost in {when} is unknown: no price is known."
    return f"In {when} an accelerator-hour cost {_listed(each)}."


def unpriced_note(rows: Sequence[Row]) -> str:
    """Says what the lines of the rates chart show, and how many hours have no price."""
    text = "Lines with marks: what was paid; dotted: list price of the same hours."
    missing = sum((row["unpriced"] for row in rows), Decimal(0))
    if missing:
        text += f" Left out: {number(missing)} accelerator-hours without a known price."
    return text


def _against_list(row: Row) -> str:
    if not row["list"]:
        return " (no list price)"
    off = 1 - row["cost"] / row["list"]
    if abs(off) < Decimal("0.0005"):
        return " (list price)"
    return f" ({percent(abs(off))} {'below' if off > 0 else 'above'}{GAP}list)"


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
