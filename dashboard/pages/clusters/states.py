"""Renders Clusters where no pool exists, and warnings, such as of missing allocations."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.pages.clusters.wording import UNKNOWN_JOBS, total
from dashboard.widgets.indicators import notice
from dashboard.wording.format import count, dollars, number

Row = dict[str, Any]
HOW = "docs/schedulers.md"
SOURCES = """# breakeven.toml
[[sources]]
kind = "slurm"                 # or "kubernetes", "hyperpod", "sagemaker_jobs", "batch"
location = "s3://our-bucket/slurm\""""
COMMANDS = "breakeven ingest\nbreakeven build\nbreakeven doctor"
NO_CLUSTER = "No machine is shared by jobs, as far as the sources tell."
NOT_YOURS = "None of your workloads held a machine that jobs share."


def no_clusters(question: str, whole: bool) -> Component:
    """Renders the Clusters page without pools: how to add a source, or that the reader has none."""
    if not whole:
        heading = [html.P(question, className="question"), html.H1(NOT_YOURS)]
        return html.Div(heading, className="nothing")
    return html.Div(
        [
            html.P(question, className="question"),
            html.H1(NO_CLUSTER),
            html.P(
                "A bill names machines, not the jobs on them. Once a source tells which job held "
                "which machine, this page shows who held each pool, what stood idle and why, and "
                "how long jobs waited."
            ),
            html.Ol([html.Li(step) for step in _steps()], className="ways"),
            html.P("This page fills itself with the next build.", className="note"),
        ],
        className="nothing",
    )


def _steps() -> list[list[Component | str]]:
    return [
        [
            html.Strong("Add the scheduler as a source. "),
            html.A(HOW, href=f"/{HOW}"),
            " says what each needs: Slurm, Kubernetes, HyperPod, SageMaker, AWS Batch, or a file.",
            html.Pre(html.Code(SOURCES)),
        ],
        [
            html.Strong("Export resource ids and hours. "),
            "Without them the bill does not say which machine an hour was of.",
        ],
        [html.Strong("Then pull and build again."), html.Pre(html.Code(COMMANDS))],
    ]


def notices(pools: Sequence[Row], missing: Row, whole: bool) -> list[Component]:
    """Builds warnings: allocations missing, a bill by day, over-allocated hours, unknown jobs.

    `missing` has the days without allocations, and what waits for these.
    """
    sums = {
        name: sum((row[name] for row in pools), Decimal(0))
        for name in ("daily_hours", "over_allocated_hours", "unknown_hours")
    }
    found: list[Component] = []
    if whole and missing["days"]:
        found.append(_missing(missing))
    if whole and missing["early_days"]:
        found.append(_early(missing["early_days"]))
    if sums["daily_hours"]:
        found.append(_by_day(sums["daily_hours"]))
    if sums["over_allocated_hours"]:
        found.append(_over(sums["over_allocated_hours"]))
    if whole and sums["unknown_hours"]:
        found.append(_unknown_jobs(pools, sums["unknown_hours"]))
    return found


def _missing(missing: Row) -> Component:
    cost = missing["cost"]
    worth = "an unknown cost" if cost is None else dollars(cost)
    text = (
        f"Of {count(missing['days'], 'day')} no allocations of a cluster are delivered in full: "
        f"who held {worth} of its machines then is unknown, and in no figure here. "
    )
    return notice("Allocations are missing", text, leads=_how())


def _early(days: int) -> Component:
    text = (
        f"Of {count(days, 'day')} before a cluster's first allocations its machines' own tags say "
        "whose they were; those days are in no figure here."
    )
    return notice("Before the first allocations", text, "quiet")


def _by_day(hours: Decimal) -> Component:
    text = (
        f"{number(hours)} accelerator-hours are on the bill by day, so jobs share whole days of a "
        "machine: export the bill by hour. "
    )
    return notice("Divided by the day", text, leads=_how())


def _over(hours: Decimal) -> Component:
    text = (
        f"In {number(hours)} accelerator-hours jobs held more than the machine had; their parts "
        "were scaled to it."
    )
    return notice("Over-allocated", text, "quiet")


def _unknown_jobs(pools: Sequence[Row], hours: Decimal) -> Component:
    cost = total(pools, "unknown_cost")
    worth = "at a cost that is unknown" if cost is None else f"for {dollars(cost)}"
    text = (
        f"They held {number(hours)} accelerator-hours {worth}. A label of the job, or an entry of "
        "[[tag_rules]], says whose they are. "
    )
    return notice(UNKNOWN_JOBS, text, leads=_how())


def _how() -> Component:
    return html.Span(["See ", html.A(HOW, href=f"/{HOW}"), "."])
