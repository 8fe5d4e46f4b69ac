"""Decides which runs a comparison counts, and by which dimensions it groups. METHOD §4.

Runs count as in `cost_per_epoch`: production and baseline runs, and Trainium runs whose purpose is
unknown, if their lineage has accelerator-hours on the bill at a known cost, and its work is counted
in the unit of its kind.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from dashboard.address.view import View
from dashboard.snapshot.runs.run_filters import filter_values, run_conditions
from dashboard.wording.dimensions import NONE, Dimension, Dimensions

Row = dict[str, Any]
NOT_SIDE_RUNS = """(purpose IN ('production', 'baseline') OR list_contains(flags, 'unknown_purpose')
    AND hardware = 'trainium')"""


class Axes(NamedTuple):
    """The one or two dimensions by which the Compare page groups runs."""

    by: Dimension
    then: Dimension | None

    @property
    def each(self) -> tuple[Dimension, ...]:
        """Returns the one or two dimensions of a comparison as a tuple."""
        return (self.by, self.then) if self.then else (self.by,)

    def has(self, key: str) -> bool:
        """Returns whether a key is that of one of the comparison's dimensions."""
        return any(one.key == key for one in self.each)


def axes(view: View, dims: Dimensions) -> Axes:
    """Returns the URL's one or two dimensions to compare runs by; workload for an unknown first.

    An unknown second dimension, or one like the first, is none.
    """
    by = dims.get(view.by, dims["workload"])
    then = None if view.then == NONE else dims.get(view.then)
    return Axes(by, None if then is by else then)


def purpose_named(view: View, dims: Dimensions, of: Axes) -> bool:
    """Whether the dimensions or the filters of a comparison name the purpose of runs."""
    return of.has("purpose") or "purpose" in filter_values(view.where, dims)


def counted(view: View, dims: Dimensions) -> tuple[str, Row]:
    """Builds the SQL and parameters that select the runs to compare, by the URL's dimensions."""
    return counted_by(view, dims, axes(view, dims))


def counted_by(view: View, dims: Dimensions, of: Axes) -> tuple[str, Row]:
    """Builds the SQL and parameters that select the runs to compare by given dimensions.

    Port, validation and benchmark runs, and GPU runs of unknown purpose, count only where the
    purpose is named.
    """
    where, parameters = run_conditions(view, dims)
    # of a lineage of known cost, a run without any is one that nothing was charged to
    cost = "CASE WHEN cost IS NULL THEN 0 ELSE {} END".format(
        "list_cost" if view.basis == "list" else "cost"
    )
    own = "TRUE" if purpose_named(view, dims, of) else NOT_SIDE_RUNS
    return (
        f"""SELECT *, row_number() OVER () AS id, {cost} AS paid, accelerator_hours AS hours
        FROM counted_runs WHERE {own} AND {where}""",
        parameters,
    )
