"""Builds the sections "Benchmark" and "The GPU you could rent instead" of Decide."""

from __future__ import annotations

from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.pages.decide.evidence import queries
from dashboard.pages.decide.evidence.wording import (
    AT_MOST,
    NO_ALTERNATIVE,
    NO_BENCHMARK,
    NO_WORK,
    OFFERS,
    alternative_sentence,
    benchmark_sentence,
)
from dashboard.widgets.card import card
from dashboard.widgets.indicators import empty
from dashboard.widgets.tables.plain_table import listing
from dashboard.wording.explanations import decide as explained
from dashboard.wording.format import count, number
from dashboard.wording.units import words
from dashboard.wording.unknown import MISSING

Row = dict[str, Any]
BENCHMARK_HEAD = (
    "Platform", "Measured, instance-hours", "Instance-hours a unit", "A unit, $", "A result, $",
    "Saving of a result, $",
)  # fmt: skip
ALTERNATIVE_HEAD = ("Machine", "Offer", "An hour, $")
SPEED_UPS = {
    "needed_speedup": "Speed-up needed", "peak_speedup": "Speed-up at most, by data sheet",
}  # fmt: skip


def benchmark_card(workload: str) -> Component:
    """Renders the card of what benchmark runs cost on GPU and Trainium, or how to make some."""
    rows = queries.benchmarks(workload)
    body = [_benchmarks(rows)] if rows else [empty(*NO_BENCHMARK)]
    return card("Benchmark", html.Div(body), explained.BENCHMARK)


def alternative_card(workload: str) -> Component:
    """Renders the card of GPU offers: how fast each must train to cost what Trainium does."""
    rows = queries.alternatives(workload)
    known = [row for row in rows if row["needed_speedup"] is not None]
    if _has_other(known):
        body = _alternatives(known, alternative_sentence(known))
    elif _has_other(rows) and not any(row["trn_cost_per_epoch"] for row in rows):
        body = _alternatives(rows, NO_WORK.format(workload))
    else:
        body = empty(*NO_ALTERNATIVE)
    return card("The GPU you could rent instead", html.Div(body), explained.ALTERNATIVES)


def _has_other(rows: list[Row]) -> bool:
    """Returns whether any row is a machine of another platform than the GPU baseline's."""
    return any(row["platform"] != row["baseline_platform"] for row in rows)


def _benchmarks(rows: list[Row]) -> Component:
    lines = [
        (
            " ".join(filter(None, (row["platform"] or MISSING, row["recipe"]))),
            f"{number(row['instance_hours'], 1)} in {count(row['runs'], 'run')}",
            number(row["instance_hours_per_epoch"], 2),
            row["cost_per_epoch"],
            row["cost_per_result"],
            row["saving_per_result"],
        )
        for row in rows
    ]
    unit = words(rows[0]["unit"]).one
    notes = [html.P(f"{row['reason']}.", className="note") for row in rows if row["reason"]]
    at_list = any(row["priced"] == "list" for row in rows)
    if at_list:
        notes.append(
            html.P(
                "At today's list prices, because not all benchmarks are settled.", className="note"
            )
        )
    return html.Div(
        [
            html.P(benchmark_sentence(rows), className="verdict"),
            listing("Benchmarks", BENCHMARK_HEAD, lines),
            html.P(f"A unit is {unit}.", className="note"),
            *notes,
        ]
    )


def _alternatives(rows: list[Row], sentence: str) -> Component:
    """Renders the table of GPU machines on offer, without columns of speed-ups that are empty."""
    known = [name for name in SPEED_UPS if any(row[name] is not None for row in rows)]
    head = (*ALTERNATIVE_HEAD, *(SPEED_UPS[name] for name in known))
    lines = [
        (
            row["instance_type"], OFFERS[row["offer"]], row["usd_per_hour"],
            *(number(row[name], 2) for name in known),
        )
        for row in rows
    ]  # fmt: skip
    note = html.P(AT_MOST, className="note") if "peak_speedup" in known else None
    return html.Div(
        [
            html.P(sentence, className="verdict"),
            listing("GPU machines on offer", head, lines, words=2),
            note,
        ]
    )
