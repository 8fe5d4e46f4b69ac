"""Says in one sentence what a month saved, and whether it is closed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.wording.format import day, dollars, month_name, percent, saving
from models.contract.month import last_day
from models.contract.schema import PORTFOLIO
from models.documents.not_moved import nothing_moved
from models.documents.paper import Paper
from models.documents.wording import NOT_SETTLED, net_saving_at_old_volume
from models.records.statement import Row, Statement


def month_sentence(made: Paper) -> str:
    """Says what a month saved or lost, the move's total so far, and what waits for allocations.

    Adjustments of closed months are named, too, if there are any.
    """
    month, row = month_name(made.statement.month), made.statement.row(PORTFOLIO)
    sentence = nothing_moved(row, dollars) or _saved(month, _incomplete(made), row)
    return " ".join(filter(None, (sentence, made.waiting.allocations)))


def _incomplete(made: Paper) -> str:
    """Returns words that mark a month as `so far` or incomplete; empty if no day is missing."""
    if not made.waiting.days:
        return " so far" if made.close is None and _goes_on(made.statement) else ""
    return ", which is incomplete," if made.close else " so far, which is incomplete,"


def _goes_on(statement: Statement) -> bool:
    """Whether days of a month are still to come, or to settle."""
    through = statement.facts.get("settled_through")
    return through is not None and through < f"{last_day(statement.month)}"


def _saved(month: str, part: str, row: Row) -> str:
    net, total, moved = row["net_saving"], row["cumulative_net"], row["adjustments"]
    if net is None and row["settled_through"] is None:
        return f"What {month} saved is not known: {NOT_SETTLED}."
    if net is None:
        return f"What {month} saved is unknown; the tables below show which amounts are."
    verb = "saved" if net >= 0 else "lost"
    parts = [f"In {month}{part} training on Trainium {verb} {dollars(abs(net))}"]
    if moved is None:
        parts.append("what closed months would be today is unknown")
    elif moved:
        parts.append(f"closed months are adjusted by {saving(moved)}")
    if total is not None:
        stands = "ahead" if total >= 0 else "short of break-even"
        earned = "" if row["roi"] is None else f", a return of {percent(row['roi'], 0)}"
        parts.append(f"since the beginning the migration is {dollars(abs(total))} {stands}{earned}")
    if (old := net_saving_at_old_volume(row)) not in (None, net):
        parts.append(f"at the volume trained before the move the month comes to {dollars(old)} net")
    if (share := row.get("covered_share")) is not None:
        parts.append(f"this covers {percent(share)} of the month's Trainium spend")
    return "; ".join(parts) + "."


def closing_state(made: Paper) -> Component:
    """Renders the label of a statement: `Draft`, or the version of a closed month."""
    if made.close is None:
        return html.Span("Draft", className="pill warn", title=made.status_line)
    text = f"Closed, version {made.close.version}"
    return html.Span(text, className="pill good", title=made.status_line)


def month_and_version(made: Paper) -> str:
    """Returns a month, and its closed version or `draft`, for a sentence copied from the page."""
    month = month_name(made.statement.month)
    if made.close is None:
        return f"{month}, draft"
    return f"{month}, version {made.close.version}, closed on {day(made.dated.date())}"


def basis(facts: Mapping[str, str | None]) -> dict[str, Any]:
    """Returns a statement's facts with the settled-through text turned into a date."""
    settled = facts["settled_through"]
    through = date.fromisoformat(settled) if settled else None
    return {**facts, "settled_through": through}
