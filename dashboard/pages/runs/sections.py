"""Draws the sections of the Runs page: the answer, the groups, the grid, and one run's panel."""

from __future__ import annotations

from urllib.parse import unquote

from dash.development.base_component import Component

from dashboard.address import ids
from dashboard.address.view import View
from dashboard.pages.runs import queries
from dashboard.pages.runs.grid import all_runs_grid
from dashboard.pages.runs.groups import run_groups
from dashboard.pages.runs.panel import missing_run, run_panel
from dashboard.pages.runs.runs_sql import grouping
from dashboard.pages.runs.wording import runs_sentence
from dashboard.snapshot import published
from dashboard.snapshot.runs import run_dimensions
from dashboard.snapshot.unpublished import once_published
from dashboard.widgets.card import card
from dashboard.widgets.download import download
from dashboard.widgets.headline.sentence import basis_line, headline
from dashboard.widgets.indicators import empty
from dashboard.widgets.page_states import nothing_published
from dashboard.widgets.sql_section import sql_section
from dashboard.wording.asked_for import asked_for
from dashboard.wording.explanations import runs as explained
from models.contract.units import EPOCH

QUESTION = "Which runs did we pay for, and what progress did each make?"
MARTS = ("runs", "run_jobs", "spend_daily", "savings_daily", "progress_daily")


@once_published(nothing_published)
def draw_headline(view: View) -> list[Component]:
    """Renders in a sentence the cost and work of the filtered runs, or that there is none."""
    totals = queries.chosen_totals(view)
    asked = asked_for(view, run_dimensions.known_dimensions())
    stands = basis_line(published.snapshot() or {})
    parts = [headline(QUESTION, runs_sentence(totals), asked=asked), stands]
    if not totals["runs"]:
        parts.append(empty("No run meets these filters", "Choose another range or other filters."))
    return parts


@once_published()
def draw_groups(view: View) -> Component | None:
    """Builds the card of sums per group of the chosen dimension; None if there is no group."""
    by = grouping(view, run_dimensions.known_dimensions())
    if by is None:
        return None
    rows = queries.run_groups(view)
    if not rows:
        return None
    csv = download("/csv/run_groups")
    return card(f"By {by.label}", run_groups(rows, by, view), explained.RUN_GROUPS, csv)


@once_published()
def draw_run(run: str) -> Component | None:
    """Renders the panel of the run `workload/run`, or that it is unknown; None for empty text."""
    if not run:
        return None
    workload, _, name = (unquote(part) for part in run.partition("/"))
    found = queries.run(workload, name)
    if found is None:
        return missing_run(name or workload)
    days = queries.run_days(workload, name, found["unit"] or EPOCH)
    charges = queries.run_charges(workload, name)
    jobs = queries.run_jobs(workload, name)
    return run_panel(found, days, charges, run_dimensions.known_dimensions(), jobs)


@once_published()
def draw_sql() -> Component:
    """Renders the section of the Runs page with the SQL behind its numbers."""
    return sql_section(MARTS, published.pulled_at())


def grid_card(view: View) -> Component:
    """Builds the card with the grid of all runs, which the browser fills block by block."""
    dims = run_dimensions.known_dimensions()
    grid = all_runs_grid(ids.RUNS_GRID, dims, view.columns, view.sort)
    return card("All runs", grid, explained.ALL_RUNS, download("/csv/runs"))
