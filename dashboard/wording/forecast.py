"""Says when break-even is expected, and explains the marks of the savings curve."""

from __future__ import annotations

from datetime import date
from typing import Any

from dashboard.wording.format import GAP, day
from dashboard.wording.unknown import NOT_ENOUGH, why_unknown

CURVE_KEY = "▼ investment · ◆ break-even · hatched: days whose bill is not complete."
FAN_KEY = "Dashed: forecast; shaded: 80 of 100 futures."
EXPECTED_KEY = "◇ expected break-even, 80 of 100 within the bar."
HORIZON = "24 months"
"""How far a forecast looks."""
Row = dict[str, Any]


def break_even_span(low: date, median: date | None, high: date | None) -> str:
    """Writes the median and 80 % interval of the forecast break-even date."""
    interval = f"80{GAP}%: {day(low)} – {day(high) if high else f'beyond {HORIZON}'}"
    return f"on {day(median)} ({interval})" if median else f"beyond {HORIZON} ({interval})"


def curve_note(row: Row, drawn: bool, unknown_since: date | None = None) -> str:
    """Explains the marks of the savings curve; `drawn` if the forecast is in it."""
    if unknown_since:
        return f"{CURVE_KEY} Unknown since {day(unknown_since)}: {why_unknown(row)}."
    if drawn:
        return " ".join([CURVE_KEY, FAN_KEY, *([EXPECTED_KEY] if row["forecast_low"] else [])])
    if row.get("status") in ("recovering", "losing") and row["never_share"] is None:
        return f"{CURVE_KEY} Forecast: {row['forecast_reason'] or NOT_ENOUGH}."
    return CURVE_KEY
