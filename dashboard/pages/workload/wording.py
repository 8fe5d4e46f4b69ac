"""Says what the charts of a workload show and leave out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dashboard.address.view import LOSS_RUNS
from dashboard.wording.format import GAP, count, saving
from dashboard.wording.unknown import NOT_ENOUGH

BAND_KEY = "Shaded: Trainium's mean, 80 of 100 within."
BANDS_KEY = "Shaded: the GPU baseline and Trainium's mean, 80 of 100 within."
Row = dict[str, Any]


def saving_note(row: Row, further: Sequence[str] = ()) -> str | None:
    """Says what an epoch saved, if known, and why `further` kinds hide baselines; else None.

    `further` names the kinds of work besides the main one, each with a baseline that is not drawn.
    """
    if further:
        text = (
            "Each line is of several kinds of work together, so no baseline stands beside them: "
            f"the main kind and {', '.join(further)} are each held against GPU runs of their own."
        )
        return " ".join(filter(None, (_saved(row, f" {BAND_KEY}"), text)))
    return _saved(row, f" {BANDS_KEY}")


def _saved(row: Row, key: str) -> str | None:
    if row.get("saving_per_epoch") is None:
        return None
    mean = f"Saved per epoch so far: {saving(row['saving_per_epoch'])}"
    if row["saving_low"] is None:
        return f"{mean}; its interval: {row['forecast_reason'] or NOT_ENOUGH}."
    interval = f"{saving(row['saving_low'])} to {saving(row['saving_high'])}"
    return f"{mean} (80{GAP}%: {interval}), {row['forecast_reason']}.{key}"


def loss_note(rows: Sequence[Row], shown: Sequence[Row]) -> str | None:
    """Says how many runs the loss chart leaves out, for want of cost or as older; else None."""
    runs, placed = ({row["run"] for row in found} for found in (rows, shown))
    notes = []
    if missing := len(runs) - len(placed):
        notes.append(f"Not drawn: {count(missing, 'run')} without accelerator-hours on the bill.")
    if len(runs) == LOSS_RUNS:
        notes.append(f"Only the {LOSS_RUNS} newest runs of the range are drawn.")
    return " ".join(notes) or None
