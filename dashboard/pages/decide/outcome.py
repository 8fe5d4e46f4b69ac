"""Renders the result of a what-if as a table: its figures, and what they lead to."""

from __future__ import annotations

from decimal import Decimal

from dash import html
from dash.development.base_component import Component

from dashboard.widgets.attributes import aria
from dashboard.wording.format import cents, count, number, percent, sentence, signed
from models.forecast.migration import Migration
from models.forecast.verdict import UNKNOWN
from models.forecast.what_if import Outcome


def outcome_table(asked: Migration, found: Outcome) -> Component:
    """Builds the table of a what-if's result: cost, saving, payback and return."""
    none, runs, months = found.unreached, found.runs_to_break_even, found.payback_months
    lines = (
        ("A run on GPU", _dollars(found.gpu_cost_per_run)),
        ("A run on Trainium", _dollars(found.trn_cost_per_run)),
        ("Saving per run", _saving(found.saving_per_run)),
        ("Saving per month, before upkeep", _saving(found.saving_per_month)),
        ("Saving per month, after upkeep", _saving(found.net_per_month)),
        ("Cost of the move", _dollars(asked.porting_cost)),
        ("Saved so far", _saving(asked.saved_so_far)),
        *_at_old_volume(asked),
        ("Runs to break-even", none if runs is None else count(runs, "run")),
        ("Months to break-even", none if months is None else number(months, 1)),
        (f"Left after {asked.months} months", _saving(found.cumulative_net)),
        ("Return on the move by then", UNKNOWN if found.roi is None else percent(found.roi)),
    )
    rows = [html.Tr([html.Th(name, scope="row"), html.Td(text)]) for name, text in lines]
    table = html.Table(html.Tbody(rows), className="outcome", **aria(label="Result"))
    why = html.P([html.Strong("Why: "), sentence(found.why)], className="why")
    return html.Div([table, why])


def _at_old_volume(asked: Migration) -> tuple[tuple[str, str], ...]:
    """Returns a tuple of the table row on the balance at the earlier volume; empty if unknown."""
    if asked.net_at_old_volume is None:
        return ()
    return (("Balance at the volume before the move", _saving(asked.net_at_old_volume)),)


def _dollars(value: Decimal | None) -> str:
    return UNKNOWN if value is None else f"${cents(value)}"


def _saving(value: Decimal | None) -> str:
    if value is None:
        return UNKNOWN
    size = f"${cents(abs(value))}"
    return signed(size, value) if value >= 0 else f"\u2212{size}"
