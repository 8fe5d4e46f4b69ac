"""Cost per epoch by one or two dimensions: the statements, and what follows from their rows.

A run counts as in `cost_per_epoch`: production and baseline runs, and those on Trainium that were
for nobody knows what, whose lineage has accelerator-hours on the bill at a known cost (METHOD §4).
Σ cost ÷ Σ epochs, never a mean of ratios. Where the charges of one run differ in a dimension, cost
stands where it was charged and the run's epochs are split by accelerator-hours, the residue going
to the largest part.
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
    """What is compared: by one dimension, and within it by another or by none."""

    by: Dimension
    then: Dimension | None

    @property
    def each(self) -> tuple[Dimension, ...]:
        """The one or both."""
        return (self.by, self.then) if self.then else (self.by,)

    def has(self, key: str) -> bool:
        """Whether one of them is it."""
        return any(one.key == key for one in self.each)


def axes(view: View, known: Known) -> Axes:
    """As the address asks; what it names wrongly is the default, and nothing stands twice."""
    by = known.get(view.by, known["workload"])
    then = None if view.then == NONE else known.get(view.then)
    return Axes(by, None if then is by else then)


def counted(view: View, known: Known) -> tuple[str, Row]:
    """The runs that count, whole."""
    return counted_by(view, known, axes(view, known))


def counted_by(view: View, known: Known, of: Axes) -> tuple[str, Row]:
    """The runs that count; side runs only where purposes are told apart or asked for."""
    where, parameters = run_conditions(view, known)
    side = of.has("purpose") or "purpose" in filter_values(view.where, known)
    cost = "list_cost" if view.basis == "list" else "coalesce(cost, 0)"
    own = "TRUE" if side else OWN
    return (
        f"""SELECT *, rowid AS id, {cost} AS paid, accelerator_hours AS hours
        FROM counted_runs WHERE {own} AND {where}""",
        parameters,
    )
