"""Computes the what-if of a workload and draws its curve. METHOD §6."""

from __future__ import annotations

from decimal import Decimal

from dash.development.base_component import Component

from dashboard.pages.decide import queries
from dashboard.pages.decide.assumptions import HUNDRED, Assumptions
from dashboard.pages.decide.moved_and_unmoved import MovedAndUnmoved
from dashboard.pages.decide.ranking.prospects import saving_share, unmoved_point
from dashboard.pages.decide.what_if_chart import what_if as drawn_what_if
from dashboard.widgets.card import chart
from dashboard.widgets.indicators import empty
from dashboard.wording.format import dollars, percent, sentence
from models.contract.rules.not_moved_yet import NOT_MOVED_YET
from models.forecast.assumptions import assumed
from models.forecast.horizon import MONTHS as HORIZON
from models.forecast.migration import Migration
from models.forecast.starting_point import StartingPoint
from models.forecast.what_if import Outcome, what_if

D = Decimal


def outcome_of(asked: Assumptions, own: StartingPoint) -> tuple[Migration, Outcome]:
    """Returns a what-if's inputs (the reader's, else the workload's figures) and its outcome."""
    given = {
        "gpu_cost_per_run": asked.gpu,
        "trn_cost_per_run": asked.trn,
        "runs_per_month": asked.runs,
        "porting_cost": asked.port,
        "upkeep_per_month": asked.upkeep,
        "gpu_price_change": fraction(asked.gpu_price),
        "trn_price_change": fraction(asked.trn_price),
    }
    migration = assumed(given, own, HORIZON)
    return migration, what_if(migration)


def starting_point_of(workload: str, of: MovedAndUnmoved) -> tuple[StartingPoint, bool]:
    """Returns the figures that a workload's what-if starts from, and whether it has moved.

    One that has not moved is among the unmoved only if it has comparable GPU runs of known cost.
    """
    for row in of.unmoved:
        if row["workload"] == workload:
            return unmoved_point(row, saving_share(of.moved, Assumptions())), False
    own = queries.starting_point(workload)
    return own, own.status not in NOT_MOVED_YET


def assumptions_made(
    asked: Assumptions, own: StartingPoint, moved: bool, of: MovedAndUnmoved
) -> list[str]:
    """Lists in words what a what-if assumes: what a move saves, and which costs count."""
    saved = None if moved else saving_share(of.moved, Assumptions())
    parts = []
    if not moved and asked.trn is None and saved:
        otherwise = (asked.gpu, asked.gpu_price, asked.trn_price) != (None, None, None)
        today = "at today's cost " if otherwise else ""
        parts.append(f"{today}it saves the {percent(saved[1], 1)} that moved workloads here saved")
    if asked.port is None and own.porting_cost:
        parts += _cost_of_the_move(own, moved)
    return parts


def _cost_of_the_move(own: StartingPoint, moved: bool) -> list[str]:
    """Says which dollars a what-if takes for the cost of the move, and which it leaves out."""
    planned = own.planned_port
    if moved:
        return [f"the {dollars(planned)} still planned are left out"] if planned else []
    spent = (own.porting_cost or D(0)) - planned
    sums = [f"the {dollars(spent)} spent so far"] if spent else []
    sums += [f"the {dollars(planned)} planned"] if planned else []
    return [f"{' and '.join(sums)} {'are' if len(sums) > 1 else 'is'} the whole cost"]


def what_if_curve(asked: Migration, found: Outcome) -> Component:
    """Draws the cumulative net of a move by month, or renders why it is unknown."""
    if found.net_per_month is None or asked.porting_cost is None or asked.saved_so_far is None:
        return empty("No curve yet", sentence(found.reason))
    start = asked.saved_so_far - asked.porting_cost
    payback = None if found.ends_first else found.payback_months
    figure = drawn_what_if(asked, start, found.net_per_month, payback)
    words = "Cumulative net of the move by month, if every month is the same."
    return chart(
        figure,
        words,
        f"Assumes {HORIZON} equal months. This is not a forecast.",
    )


def fraction(per_cent: Decimal | None) -> Decimal | None:
    """Converts per cent to a fraction: −33 into −0.33."""
    return None if per_cent is None else per_cent / HUNDRED
