"""Draws the sections of a workload's page: the answer, charts, costs, runs and the baseline."""

from __future__ import annotations

from urllib.parse import urlencode

from dash import html
from dash.development.base_component import Component

from dashboard.address import ids
from dashboard.address.view import View
from dashboard.pages.workload import queries
from dashboard.pages.workload.arithmetic import arithmetic
from dashboard.pages.workload.cost_breakdown import dollars_table, unknown_note
from dashboard.pages.workload.epoch_cost import epoch_cost
from dashboard.pages.workload.loss_curve import loss_curve, placed
from dashboard.pages.workload.result_card import result_card
from dashboard.pages.workload.wording import (
    loss_note,
    no_period_drawn,
    not_compared,
    saving_note,
)
from dashboard.snapshot import break_even, portfolio, published
from dashboard.snapshot.runs.units import unit_of
from dashboard.snapshot.unpublished import once_published
from dashboard.widgets.card import card, chart
from dashboard.widgets.controls import choice
from dashboard.widgets.headline.going_on import going_on
from dashboard.widgets.headline.judged import judged
from dashboard.widgets.headline.sentence import basis_line, headline
from dashboard.widgets.indicators import empty, status_pill
from dashboard.widgets.notices import notices
from dashboard.widgets.page_states import not_found, nothing_published
from dashboard.widgets.sql_section import sql_section
from dashboard.widgets.tables.runs_grid import identified_note, runs_grid
from dashboard.wording.break_even import workload_sentence
from dashboard.wording.explanations import workload as explained
from dashboard.wording.units import words
from dashboard.wording.unknown import NO_HOURS, shown_status

MARTS = (
    "break_even",
    "recent_windows",
    "gpu_volume",
    "gpu_overhead",
    "results",
    "result_runs",
    "judged_daily",
    "unjudged_kinds",
    "savings_daily",
    "all_savings_daily",
    "cost_per_epoch",
    "baselines",
    "runs",
)
WEEKS = {"week": "Weeks", "month": "Months"}
AXES = {"dollars": "Dollars", "hours": "Machine-hours", "clock": "Wall clock"}


@once_published(nothing_published)
def draw_headline(workload: str) -> list[Component | None]:
    """Renders whether a workload's move has paid for itself, its basis, and its warnings."""
    standing, snapshot = break_even.standing(workload), published.snapshot()
    if standing is None or snapshot is None:
        return [not_found(workload, "The current snapshot no longer names this workload.")]
    question = f"Has moving {workload} to Trainium paid for itself?"
    return [
        headline(
            question,
            workload_sentence(standing),
            status_pill(shown_status(standing)),
            _brief(workload),
        ),
        basis_line(snapshot, standing),
        html.Div(notices(standing, whole=portfolio.is_whole()), className="notices"),
    ]


def _brief(workload: str) -> Component:
    """Links to the workload's one-page brief."""
    href = f"/brief.pdf?{urlencode({'workload': workload})}"
    return html.A("One-page brief (PDF)", href=href, className="take", download="")


@once_published()
def draw_forward(workload: str) -> Component | None:
    """Renders the cost of a result, the return of the move, and how much spend is compared."""
    standing = break_even.standing(workload) or {}
    cards = [
        result_card(standing, queries.results(workload)),
        going_on(standing, break_even.last_settled(workload), break_even.paceless_kinds(workload)),
        judged(standing, break_even.unjudged_kinds(workload)),
    ]
    shown = [each for each in cards if each]
    return html.Div(shown, className="pair") if shown else None


@once_published()
def draw_epoch_cost(workload: str, view: View) -> Component:
    """Draws a workload's cost per unit on GPU and Trainium by week or month."""
    periods = queries.cost_per_epoch(workload, view)
    if not periods:
        return empty(*no_period_drawn(view))
    baseline, changes = queries.baselines(workload, view), queries.price_changes(workload, view)
    standing = break_even.standing(workload) or {}
    figure = epoch_cost(periods, baseline, changes, view.period, standing)
    note = saving_note(standing, queries.further_kinds(workload))
    text = f"Cost {words(standing.get('unit')).per} of {workload} on GPU and on Trainium."
    return chart(figure, text, note)


@once_published()
def draw_loss(workload: str, view: View) -> Component:
    """Draws training loss of a workload's runs against dollars or time, or renders why not."""
    rows, left_out = queries.loss(workload, view), queries.losses_not_compared(workload, view)
    if not rows:
        why = not_compared(left_out) or "Runs that report their loss are drawn here."
        title = (
            "No loss of a run that is compared" if any(left_out.values()) else "No loss reported"
        )
        return empty(title, why)
    on_axis = placed(rows, view.axis)
    if not on_axis:
        return empty("No cost or hours to draw the loss against", NO_HOURS, "question")
    figure = loss_curve(on_axis, view.axis, queries.target_loss(workload))
    words = f"Training loss of each run against {AXES[view.axis].lower()}."
    return chart(figure, words, loss_note(rows, on_axis, left_out))


@once_published()
def draw_dollars(workload: str, view: View) -> Component:
    """Renders the card of what the dollars of a workload's runs paid for, by hardware."""
    rows = queries.spending(workload, view)
    body = empty("No run in this range", "Choose another range.")
    if rows:
        spent = any(row["cost"] for row in rows)
        body = empty("No cost is known", NO_HOURS, "question")
        if spent:
            table = dollars_table(rows, queries.cluster_idle(workload, view))
            body = html.Div([table, *unknown_note(rows)])
    return card("Where each dollar went", body, explained.WHERE)


@once_published()
def draw_runs(workload: str, view: View) -> Component:
    """Renders the card with the grid of a workload's runs that started in the range."""
    rows = queries.runs(workload, view)
    none = empty("No run in this range", "Choose another range.")
    note = html.P(identified_note(rows), className="note")
    body = html.Div([runs_grid(rows, ids.WORKLOAD_GRID), note]) if rows else none
    return card(f"Runs ({len(rows):,})", body, explained.RUNS)


@once_published()
def draw_baseline(workload: str) -> Component:
    """Renders the card with the arithmetic of a workload's GPU baseline."""
    found, snapshot = queries.baseline(workload), published.snapshot()
    body = empty("No baseline", "No GPU run of this workload has ended yet.")
    if found and snapshot:
        body = arithmetic(found, queries.baseline_parts(workload), snapshot["basis"])
    return card("How the GPU baseline is computed", body, explained.BASELINE)


@once_published()
def draw_sql() -> Component:
    """Renders the section of a workload's page with the SQL behind its numbers."""
    return sql_section(MARTS, published.pulled_at())


def epoch_card(workload: str, view: View) -> Component:
    """Renders the card of the cost per unit by week or month, with the choice between them."""
    body = html.Div(draw_epoch_cost(workload, view), id=ids.WORKLOAD_EPOCH_COST)
    periods = choice(ids.WORKLOAD_PERIOD, "Period", WEEKS, view.period)
    return card(f"Cost {words(unit_of(workload)).per}", body, explained.EPOCH_COST, periods)


def loss_card(workload: str, view: View) -> Component:
    """Renders the card of training losses, with the choice of what they are drawn against."""
    body = html.Div(draw_loss(workload, view), id=ids.WORKLOAD_LOSS)
    axes = choice(ids.WORKLOAD_AXIS, "Against", AXES, view.axis)
    return card("Loss against cost", body, explained.LOSS, axes)
