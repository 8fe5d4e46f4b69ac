"""Builds small recurring parts: status, hardware, quality, progress bar, empty state, notice."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

from dash import html
from dash.development.base_component import Component

from dashboard.widgets.attributes import aria
from dashboard.widgets.explain import term
from dashboard.wording.format import percent
from dashboard.wording.statuses import PARITY, status
from dashboard.wording.theme import hardware
from dashboard.wording.unknown import MISSING

CACHED = 64
"""How many rendered parts are cached: a table shows a few different ones many times."""


@lru_cache(CACHED)
def status_pill(name: str | None) -> Component:
    """Shows a workload's status as icon, word and colour; hovering shows its meaning."""
    shown = status(name)
    return html.Span(
        [_icon(shown.icon), term(shown.label, shown.meaning)], className=f"pill {shown.tone}"
    )


@lru_cache(CACHED)
def hardware_name(name: str | None, unit: str = "") -> Component:
    """Shows a hardware's name beside a sample of its line in the charts."""
    found = hardware(name)
    mark = html.I(className=found.css, **aria(hidden="true"))
    return html.Span([mark, found.label + unit], className="hardware")


@lru_cache(CACHED)
def parity_mark(name: str | None) -> Component | str:
    """Shows a quality verdict (`parity`, …) as its word; its meaning appears on hovering."""
    if name not in PARITY:
        return MISSING
    word, meaning = PARITY[name]
    return html.Span(term(word, meaning), className=f"parity {name}")


def progress_bar(progress: Decimal | None, tone: str, label: str) -> Component:
    """Shows the recovered share of the investment as a bar."""
    share = progress or Decimal(0)
    return html.Div(
        html.Div(className="fill", style={"width": f"{float(share) * 100:.2f}%"}),
        className=f"bar {tone}",
        role="img",
        **aria(label=f"{label}: {percent(progress)}"),
    )


def empty(title: str, text: str, icon: str = "dots", read: str = "") -> Component:
    """Builds the text that replaces a chart or table with nothing to show.

    `read` is the page of documentation that says how to fill it, such as `docs/schedulers.md`.
    """
    more: list[Component | str] = [" ", html.A(read, href=f"/{read}")] if read else []
    return html.Div(
        [_icon(icon), html.Strong(title), html.P([text, *more])], className="empty", role="status"
    )


def notice(title: str, text: str, tone: str = "warn", leads: Component | None = None) -> Component:
    """Builds a one-line notice that qualifies the content below it, with an optional link."""
    icon = "down" if tone == "bad" else "question"
    content = html.P([html.Strong(f"{title}. "), text, " " if leads else None, leads])
    return html.Div([_icon(icon), content], className=f"notice {tone}")


def _icon(name: str) -> Component:
    return html.I(className=f"icon {name}", **aria(hidden="true"))
