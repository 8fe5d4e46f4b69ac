"""Decides which runs a comparison counts, and by which dimensions it groups. METHOD §4.

Runs count as in `cost_per_epoch`: production and baseline runs, and Trainium runs whose purpose is
not understood, if their lineage has accelerator-hours on the bill at a known cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from dashboard.address.view import View
from dashboard.snapshot.run_filters import filter_values, run_conditions
from dashboard.wording.dimensions import NONE, Dimension

Row = dict[str, Any]
Known = Mapping[str, Dimension]
OWN = """(purpose IN ('production', 'baseline') OR list_contains(flags, 'unknown_purpose')
    AND hardware = 'trainium')"""


class Axes(NamedTuple):
    """Holds the dimensions of a comparison: by one, and within it by another or none."""

    by: Dimension
    then: Dimension | None

    @property
    def each(self) -> tuple[Dimension, ...]:
        """Returns the one or two dimensions."""
        return (self.by, self.then) if self.then else (self.by,)

    def has(self, key: str) -> bool:
        """Returns whether a dimension is one of the two."""
        return any(one.key == key for one in self.each)


def axes(view: View, known: Known) -> Axes:
    """Returns the dimensions that the address names; unknown ones become the default."""
    by = known.get(view.by, known["workload"])
    then = None if view.then == NONE else known.get(view.then)
    return Axes(by, None if then is by else then)


def counted(view: View, known: Known) -> tuple[str, Row]:
    """Builds the statement of the runs that a comparison counts."""
    return counted_by(view, known, axes(view, known))


def counted_by(view: View, known: Known, of: Axes) -> tuple[str, Row]:
    """Builds it for given dimensions.

    Port and validation runs count only where purposes are told apart or filtered by.
    """
    where, parameters = run_conditions(view, known)
    side = of.has("purpose") or "purpose" in filter_values(view.where, known)
    cost = "list_cost" if view.basis == "list" else "coalesce(cost, 0)"
    own = "TRUE" if side else OWN
    return (
        f"""SELECT *, rowid AS id, {cost} AS paid, accelerator_hours AS hours
        FROM counted_runs WHERE {own} AND {where}""",
        parameters,
    )
