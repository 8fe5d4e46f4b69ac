"""Renders the GPU baseline step by step, to be checked with a calculator. METHOD §5."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.wording.format import cents, count, number, plain
from dashboard.wording.units import Unit, words
from dashboard.wording.unknown import MISSING, UNKNOWN_AMOUNT

Row = dict[str, Any]
Step = tuple[str, str, str]
"""Title, working and result of a step."""
ZERO = Decimal(0)


def arithmetic(baseline: Row, parts: Sequence[Row], basis: str) -> Component:
    """Renders the GPU baseline's computation step by step, with the result and why.

    `basis` is the configured one, on which its cost is.
    """
    unit = words(baseline["unit"])
    steps = [step for row in parts for step in _term(row, unit, basis)]
    steps += [*_sums(parts, unit, basis), *_result_steps(baseline)]
    return html.Div(
        [
            html.Ol([_step(*step) for step in steps], className="steps"),
            html.P([html.Strong("Why: "), baseline["reason"] or MISSING], className="why"),
        ],
        className="arithmetic",
    )


def _step(title: str, working: str, result: str) -> Component:
    return html.Li(
        [
            html.Span(title, className="step-title"),
            html.Span(working, className="working"),
            html.Span(result, className="result"),
        ]
    )


def _term(row: Row, unit: Unit, basis: str) -> list[Step]:
    """Lists the steps that reprice GPU hours of one machine type, region and purchase option."""
    bought = f"{row['instance_type']} · {row['region']} · {_option(row)}"
    hours = (
        f"{plain(row['instance_hours'])} instance-hours ÷ {number(row['epochs'], 2)} {unit.many}"
    )
    paid = f"${cents(row['effective_cost'])} {basis}"
    listed = row["list_cost"] if row["purchase_option"] == "on_demand" else None
    of = f"${cents(listed)} at list" if listed else "their price then"
    return [
        (f"{bought}: hours {unit.per}", hours, f"{plain(row['hours_per_epoch'])} h"),
        ("Share of the price that was paid", f"{paid} ÷ {of}", plain(row["factor"])),
        *_payer(row),
        ("At the price of the last settled day", *_repriced(row)),
    ]


def _payer(row: Row) -> list[Step]:
    """Returns a step with the payer account's present price factor, if lower; else no step."""
    if row["payer_factor"] is None:
        return []
    hours = f"all {row['instance_type']} of the payer on demand, last 84 settled days"
    return [("The payer now pays less", hours, plain(row["payer_factor"]))]


def _repriced(row: Row) -> tuple[str, str]:
    if row["price"] is None:
        return "no public price is known for this hardware", "price unavailable"
    if row["repriced"] is None:
        return "no price is known for the days of these runs", "price unavailable"
    taken = row["factor"] if row["payer_factor"] is None else row["payer_factor"]
    hours, price = plain(row["hours_per_epoch"]), plain(row["price"])
    return f"{hours} h × ${price} × {plain(taken)}", _dollars(row["repriced"])


def _sums(parts: Sequence[Row], unit: Unit, basis: str) -> list[Step]:
    """Lists the steps that add up to measured and repriced cost per unit."""
    if not parts:
        return []
    other, epochs = parts[0]["other_per_epoch"] or ZERO, parts[0]["epochs"]
    paid = [row["effective_cost"] for row in parts]
    again = [row["repriced"] for row in parts]
    extra = f" + ${cents(other)} storage, network and other" if other else ""
    steps: list[Step] = []
    if epochs and None not in paid:
        total = sum(paid, ZERO)
        working = f"${cents(total)} {basis} ÷ {number(epochs, 2)} {unit.many}{extra}"
        steps.append(("Measured", working, _dollars(total / epochs + other)))
    if None not in again:
        working = " + ".join(_dollars(value) for value in again) + extra
        steps.append(("Repriced", working, _dollars(sum(again, ZERO) + other)))
    return steps


def _result_steps(baseline: Row) -> list[Step]:
    found = [
        (name, baseline[name])
        for name in ("measured", "repriced", "fixed")
        if baseline[name] is not None
    ]
    if baseline["value"] is None or not found:
        return [
            (
                "GPU baseline",
                f"{count(baseline['runs'] or 0, 'qualifying GPU run')}",
                UNKNOWN_AMOUNT,
            )
        ]
    working = " and ".join(f"{name} ${cents(value)}" for name, value in found)
    title = f"GPU baseline, {baseline['method']}"
    return [(title, f"of {working}", _dollars(baseline["value"]))]


def _option(row: Row) -> str:
    return str(row["purchase_option"]).replace("_", " ")


def _dollars(value: Decimal | None) -> str:
    return UNKNOWN_AMOUNT if value is None else f"${cents(value)}"
