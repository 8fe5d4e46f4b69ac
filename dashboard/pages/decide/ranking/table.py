"""Renders the table of workloads still on GPU, and the sources of the effort estimates."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from urllib.parse import urlencode

from dash import html
from dash.development.base_component import Component

from dashboard.address import ids
from dashboard.pages.decide.assumptions import Assumptions
from dashboard.pages.decide.ranking.prospects import NEVER, Prospect, Range
from dashboard.widgets.attributes import data
from dashboard.widgets.indicators import empty
from dashboard.widgets.tables.plain_table import Cell, listing
from dashboard.wording.format import cents, number
from dashboard.wording.unknown import MISSING, UNKNOWN_AMOUNT

TRAINING = "https://awsdocs-neuron.readthedocs-hosted.com/en/latest/training.html"
AUTOPORT = (
    "https://awsdocs-neuron.readthedocs-hosted.com/en/latest/tools/"
    "neuron-agentic-development/developer_guides/neuron-framework-autoport.html"
)
SHOWN = 50


def prospects_table(rows: Sequence[Prospect], asked: Assumptions) -> Component:
    """Builds the table of the first 50 workloads to move: payback with interval, or why unknown."""
    if not rows:
        return empty(
            "No GPU workload is left to move",
            "Every workload with GPU runs has trained on Trainium, or none names its runs.",
            "check",
        )
    head = (
        "Workload",
        "Expected payback, months",
        "Saving, $ a month",
        "Port, $",
        "GPU, $ a month",
    )
    body: list[list[Cell]] = [
        [
            html.A(one.workload, href=_address(one, asked), **data(go="decide")),
            _payback(one),
            _range(one.saving),
            _range(one.porting),
            one.gpu_per_month,
        ]
        for one in rows[:SHOWN]
    ]
    more = f"The first {SHOWN} of {len(rows):,}." if len(rows) > SHOWN else None
    return html.Div([listing("GPU workloads not yet moved", head, body), html.P(more)])


def effort_sources() -> Component:
    """Renders where the engineering days per class of porting effort come from, with links."""
    return html.Ul(
        [
            html.Li(
                [
                    "Days (1 to 5): plain PyTorch or Hugging Face code on a supported model; AWS "
                    "says that most of it runs with minimal changes (",
                    _link("Train models on Neuron", TRAINING),
                    ").",
                ]
            ),
            html.Li(
                [
                    "Weeks (5 to 30): an architecture without ready support; AWS says that a port "
                    "by hand usually takes multiple days of engineering for inference alone (",
                    _link("Autoport", AUTOPORT),
                    "); distributed training and proof of equal loss come on top.",
                ]
            ),
            html.Li(
                "Months (30 to 120): own CUDA kernels, which must be rewritten for Neuron. No "
                "source gives a figure."
            ),
            html.Li(
                "The day counts are assumptions, not measurements: replace them with your own."
            ),
        ],
        className="notes",
    )


def _address(one: Prospect, asked: Assumptions) -> str:
    """Returns the URL of a workload's what-if at the expected cost of its port."""
    query = {"workload": one.workload}
    if one.porting:
        query["port"] = format(one.porting[1].quantize(Decimal("0.01")), "f")
    values = {name: getattr(asked, name) for name in ids.DECIDE_RANKING}
    query |= {name: str(value) for name, value in values.items() if value not in ("", None)}
    return f"/decide?{urlencode(query)}"


def _link(text: str, where: str) -> Component:
    return html.A(text, href=where, target="_blank", rel="noreferrer")


def _payback(one: Prospect) -> Cell:
    low, expected, high = one.payback
    if expected is None:
        shown = "never" if one.reason in NEVER else UNKNOWN_AMOUNT
        return html.Span([shown, html.Small(one.reason)], className="stack why-not")
    if low == high:
        return number(expected, 1)
    to = "never" if high is None else number(high, 1)
    return _stack(number(expected, 1), f"{number(low, 1)} to {to}")


def _range(found: Range | None) -> Cell:
    if found is None:
        return MISSING
    low, expected, high = found
    if low == high:
        return cents(expected)
    return _stack(cents(expected), f"{cents(low)} to {cents(high)}")


def _stack(value: str, interval: str) -> Component:
    return html.Span([value, html.Small(interval)], className="stack")
