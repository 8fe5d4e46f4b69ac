"""Says when break-even is expected, and explains the marks of the savings curve."""

from __future__ import annotations

from datetime import date
from typing import Any

from dashboard.wording.format import GAP, day, number
from dashboard.wording.unknown import NOT_ENOUGH, why_no_balance

CURVE_KEY = "▼ investment · ◆ break-even · hatched: days without a complete bill and allocations."
FAN_KEY = "Dashed: forecast; shaded: 80 % of simulations."
EXPECTED_KEY = "◇ expected break-even; bar: 80 % interval."
HORIZON = "24 months"
"""How far a forecast looks."""
TOO_LATE = f"after {HORIZON} or never"
"""When simulations break even that do not within the horizon: training may end before."""
Row = dict[str, Any]


def break_even_span(low: date, median: date | None, high: date | None) -> str:
    """Writes the median and 80 % interval of the forecast break-even date as text."""
    interval = f"80{GAP}%: {day(low)} – {day(high) if high else TOO_LATE}"
    return f"on {day(median)} ({interval})" if median else f"{TOO_LATE} ({interval})"


def pace_and_forecast(row: Row, settled: date | None) -> str:
    """Says when break-even comes by recent pace and by forecast, and why they may differ; or empty.

    Empty if one of them is missing.
    """
    months, expected = row.get("payback_months"), row.get("forecast_median")
    if not months or expected is None or settled is None:
        return ""
    ahead = (expected - settled).days * 12 / 365
    return (
        f"{number(months, 1)} months at the pace of the last 84{GAP}days; the forecast expects "
        f"break-even on {day(expected)}, {number(ahead, 1)} months from {day(settled)}. It uses "
        "every week since the move, at today's GPU price, and planned investment. The two differ "
        "if the last 84 days were better or worse than earlier weeks."
    )


def curve_note(row: Row, drawn: bool, unknown_since: date | None = None) -> str:
    """Returns the note under the savings curve: its marks, the forecast or why there is none."""
    if unknown_since:
        return f"{CURVE_KEY} Unknown since {day(unknown_since)}: {why_no_balance(row)}."
    if drawn:
        return " ".join([CURVE_KEY, FAN_KEY, *([EXPECTED_KEY] if row["forecast_low"] else [])])
    if row.get("status") in ("recovering", "losing") and row["never_share"] is None:
        return f"{CURVE_KEY} Forecast: {row['forecast_reason'] or NOT_ENOUGH}."
    return CURVE_KEY
