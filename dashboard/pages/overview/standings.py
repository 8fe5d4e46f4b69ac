"""Renders the table of workloads: status, progress, cost per unit on both sides, next action."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.address.links import workload_path
from dashboard.pages.overview.sparkline import sparkline
from dashboard.pages.overview.wording import next_action
from dashboard.widgets.attributes import data
from dashboard.widgets.explain import explain
from dashboard.widgets.indicators import parity_mark, progress_bar, status_pill
from dashboard.widgets.serialisation import element
from dashboard.wording.break_even import funding_beyond
from dashboard.wording.explanations import overview as explained
from dashboard.wording.explanations.explanation import Explanation
from dashboard.wording.format import cents, dollars, month, percent, signed
from dashboard.wording.statuses import status
from dashboard.wording.units import words
from dashboard.wording.unknown import MISSING, NOT_ENOUGH, UNKNOWN_AMOUNT, shown_status
from models.contract.units import shared

Row = dict[str, Any]
ATTENTION = ("losing", "not_comparable", "insufficient_baseline", "recovering")


def workload_order(row: Row) -> tuple[int, Decimal]:
    """Returns a workload's sort key: by status, those to act on first; then by most invested."""
    place = ATTENTION.index(row["status"]) if row["status"] in ATTENTION else len(ATTENTION)
    return place, -(row["cumulative_investment"] or Decimal(0))


Columns = tuple[tuple[str, Explanation | None, str], ...]


def columns(unit: str | None) -> Columns:
    """Returns heading, explanation and alignment of each column of the table of workloads."""
    price = words(unit).price
    return (
        ("Workload", None, ""),
        ("Status", None, ""),
        ("Recovered", explained.RECOVERED, ""),
        (f"GPU today, {price}", explained.GPU_EPOCH, "number"),
        (f"Trainium last month, {price}", explained.TRN_EPOCH, "number"),
        (f"Saved so far, {price}", explained.PER_EPOCH, "number"),
        ("Quality", None, ""),
        ("Next", None, ""),
    )


def standings_table(rows: Sequence[Row]) -> Component:
    """Builds the Overview's table of workloads, each row linked to its workload's page."""
    unit = shared(row["unit"] for row in rows)
    titled = columns(unit)
    head = html.Thead(html.Tr([_header(*column) for column in titled]))
    titles = [title for title, _, _ in titled]
    body = html.Tbody([_row(row, titles, unit is None) for row in rows])
    return html.Table([head, body], className="standings")


def show_all(every: int) -> Component:
    """Builds the link "Show all N workloads", which replaces the first ones with all."""
    label = f"Show all {every:,} workloads"
    link = html.A(label, href="/?every=workload", className="action", **data(go="all", stay="here"))
    return html.P(link, className="more-rows")


def _header(title: str, of: Explanation | None, kind: str) -> Component:
    content = [html.Span(title), explain(of)] if of else title
    return html.Th(html.Div(content, className="th"), scope="col", className=kind)


def _row(row: Row, titles: Sequence[str], named: bool) -> Any:  # noqa: ANN401 - a node of HTML
    name = str(row["workload"])
    link = element("A", name, href=workload_path(name), **data(carry="from to"))
    cells = (
        (status_pill(shown_status(row)), ""),
        (_recovered(row), ""),
        (_with_unit(cents(row["gpu_cost_per_epoch"]), row, named), "number"),
        (_trainium(row), "number"),
        (_saving(row), "number"),
        (parity_mark(row["parity"]), ""),
        (next_action(row), "next"),
    )
    head = element("Th", link, scope="row", **data(label=titles[0]))
    parts = [
        element("Td", cell, className=kind, **data(label=title))
        for title, (cell, kind) in zip(titles[1:], cells, strict=True)
    ]
    return element("Tr", [head, *parts])


def _recovered(row: Row) -> Component | str:
    invested = row["cumulative_investment"]
    if invested is None:
        return "investment unknown"
    if not invested:
        return "nothing invested"
    if invested < 0:
        return funding_beyond(invested)
    known = row["cumulative_net_saving"] is not None
    share = html.B(percent(row["progress"]) if known else UNKNOWN_AMOUNT)
    spent = f" of {dollars(invested)}" if known else f"; {dollars(invested)} invested"
    return html.Div(
        [
            html.Span([share, spent]),
            progress_bar(row["progress"], status(row["status"]).tone, "Recovered"),
        ],
        className="recovered",
    )


def _with_unit(price: str, row: Row, named: bool) -> Component | str:
    """Renders a price, with its unit below it where the column's heading cannot name the unit."""
    if not named or row["unit"] is None:
        return price
    return html.Span([price, html.Small(words(row["unit"]).per)], className="stack")


def _trainium(row: Row) -> Component | str:
    if row["trn_cost_per_epoch"] is None:
        return MISSING
    return html.Div(
        [
            sparkline(row["trend"], "Trainium", words(row["unit"]).per),
            html.Span(
                [cents(row["trn_cost_per_epoch"]), html.Small(month(row["trn_month"]))],
                className="stack",
            ),
        ],
        className="trend",
    )


def _saving(row: Row) -> Component | str:
    mean = row["saving_per_epoch"]
    if mean is None:
        return MISSING
    low, high = row["saving_low"], row["saving_high"]
    spread = NOT_ENOUGH if low is None else f"{_signed(low)} to {_signed(high)}"
    label = f"± {spread}" if low is None else spread
    tone = "good" if mean > 0 else "bad"
    return html.Span([html.B(_signed(mean), className=tone), html.Small(label)], className="stack")


def _signed(value: Decimal) -> str:
    return signed(cents(value), value)
