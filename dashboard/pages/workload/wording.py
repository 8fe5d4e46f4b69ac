"""Says what the charts of a workload show and leave out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dashboard.address.view import LOSS_RUNS, View
from dashboard.wording.format import GAP, count, saving
from dashboard.wording.units import words
from dashboard.wording.unknown import NOT_ENOUGH

BANDS_KEY = "Shaded: 80 % intervals of the GPU baseline and Trainium's mean."
Row = dict[str, Any]


def saving_note(row: Row, further: Sequence[str] = ()) -> str | None:
    """Says what a unit of work saved, and which further recipes are not drawn; None if neither."""
    saved = saved_per_unit(row, further)
    parts = [saved, BANDS_KEY if saved and row["saving_low"] is not None else ""]
    if further:
        parts += [
            "The chart shows the recipe with most Trainium cost. See savings_by_kind for "
            f"{', '.join(further)}."
        ]
    return " ".join(filter(None, parts)) or None


def saved_per_unit(row: Row, further: Sequence[str]) -> str:
    """Says what a unit of the main recipe saved, with its interval; empty if that is unknown."""
    if row.get("saving_per_epoch") is None:
        return ""
    mean = f"Saved {words(row['unit']).per} so far: {saving(row['saving_per_epoch'])}"
    why = row["forecast_reason"] or NOT_ENOUGH
    if row["saving_low"] is None:
        return f"{mean}; its interval: {why if why.startswith(NOT_ENOUGH) else NOT_ENOUGH}."
    interval = f"{saving(row['saving_low'])} to {saving(row['saving_high'])}"
    of = "from the runs of this recipe" if further else why
    return f"{mean} (80{GAP}%: {interval}), {of}."


def no_period_drawn(view: View) -> tuple[str, str]:
    """Returns title and remedy for a range in which no week or month of known cost begins."""
    settled = "Work counts once its day is settled."
    narrow = {"week": "Choose a longer range.", "month": "Choose weeks, or a longer range."}
    remedy = f"{narrow[view.period]} {settled}" if view.start or view.end else settled
    return f"No {view.period} with a known cost of work begins in this range", remedy


def not_compared(losses: Row) -> str | None:
    """Says how many trials and other runs are not drawn, as they do not compare; else None."""
    trials, others = losses["trials"], losses["others"]
    parts = [count(trials, "validation, port or benchmark run")] if trials else []
    parts += [f"{count(others, 'run')} that cannot be compared"] if others else []
    return f"Not drawn: {' and '.join(parts)}." if parts else None


def loss_note(rows: Sequence[Row], shown: Sequence[Row], losses: Row) -> str | None:
    """Says which runs the loss chart leaves out: not compared, without hours, not among the newest.

    None where it draws them all.
    """
    runs, placed = ({row["run"] for row in found} for found in (rows, shown))
    notes = [note] if (note := not_compared(losses)) else []
    if missing := len(runs) - len(placed):
        notes.append(f"Not drawn: {count(missing, 'run')} without accelerator-hours on the bill.")
    if any(row["has_older"] for row in rows):
        notes.append(f"Of each hardware only the {LOSS_RUNS} newest runs of the range are drawn.")
    return " ".join(notes) or None
