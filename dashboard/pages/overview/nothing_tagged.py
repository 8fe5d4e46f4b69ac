"""Renders the Overview for a bill on which no charge names a workload."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.widgets.explain import explain
from dashboard.widgets.headline.sentence import emphasised
from dashboard.widgets.indicators import hardware_name
from dashboard.wording.explanations import overview as explained
from dashboard.wording.format import cents, day, dollars, number
from dashboard.wording.unknown import UNKNOWN_AMOUNT

Row = dict[str, Any]

RULE = """# breakeven.toml
[[tag_rules]]
match = { "aws:autoscaling:groupName" = "atlas-*" }
workload = "atlas-7b\""""
COMMANDS = "breakeven ingest\nbreakeven build"


def nothing_tagged(
    question: str, keys: tuple[str, str], spend: Sequence[Row], invested: Decimal | None
) -> Component:
    """Renders the Overview for an untagged bill: how many dollars that hides, and the remedy.

    `keys` are the configured tag keys of workload and run; `spend` is settled accelerator spend
    without a workload, a row per hardware.
    """
    return html.Div(
        [
            html.P(question, className="question"),
            html.H1("No workload is tagged yet, so there is nothing to compare."),
            html.P(emphasised(_meaning(keys[0], spend, invested))),
            _table(spend),
            html.Ol([html.Li(step) for step in _steps(*keys)], className="ways"),
            html.P(
                "This page fills itself as soon as a charge names a workload.", className="note"
            ),
        ],
        className="nothing untagged",
    )


def _meaning(key: str, spend: Sequence[Row], invested: Decimal | None) -> str:
    costs = [row["cost"] for row in spend]
    total = "An unknown amount" if None in costs else dollars(sum(costs, Decimal(0)))
    hidden = (
        f"{total} of GPU and Trainium spend belongs to no workload, so no saving is known."
        if spend
        else "Nor is there any GPU or Trainium spend on a settled day: check that the export "
        "covers the accounts that train."
    )
    paid = f" {dollars(invested)} has been invested in moving." if invested else ""
    return f"No charge on the bill has the tag {key}. {hidden}{paid}"


def _table(spend: Sequence[Row]) -> Component | None:
    if not spend:
        return None
    titles = ("Accelerator-hours", "Cost, $")
    title = html.Div([html.Span("Untagged"), explain(explained.UNTAGGED)], className="th")
    head = [html.Th(title, scope="col")]
    head += [html.Th(title, scope="col", className="number") for title in titles]
    body = [html.Tr(_cells(row)) for row in spend]
    first, last = (pick(row[end] for row in spend) for pick, end in ((min, "first"), (max, "last")))
    when = day(first) if first == last else f"{day(first)} – {day(last)}"
    return html.Table(
        [
            html.Thead(html.Tr(head)),
            html.Tbody(body),
            html.Caption(f"Settled days with such charges: {when}"),
        ],
        className="untagged-spend",
    )


def _cells(row: Row) -> list[Component]:
    return [
        html.Th(hardware_name(row["hardware"]), scope="row"),
        html.Td(number(row["hours"], 1), className="number"),
        html.Td(UNKNOWN_AMOUNT if row["cost"] is None else cents(row["cost"]), className="number"),
    ]


def _steps(workload: str, run: str) -> list[list[Component | str]]:
    """Lists the steps to tag workloads and runs on the bill, with the configured tag keys."""
    both: list[Component | str] = [html.Code(workload), " and ", html.Code(run)]
    return [
        [
            html.Strong("Tag the resources that train. "),
            "Give each training instance or job the tags ",
            *both,
            "; other names go into the configuration as ",
            html.Code("tags.workload"),
            " and ",
            html.Code("tags.run"),
            ".",
        ],
        [
            html.Strong("Activate both tags for billing. "),
            "In the payer account, under Billing, Cost allocation tags. AWS takes up to a day to "
            "list a tag and up to a day to activate it; a backfill adds up to twelve past "
            "months.",
        ],
        [
            html.Strong("Or name what is billed already. "),
            "A rule reads the workload from any other tag, without a change in AWS:",
            html.Pre(html.Code(RULE)),
        ],
        [html.Strong("Then pull and build again."), html.Pre(html.Code(COMMANDS))],
    ]
