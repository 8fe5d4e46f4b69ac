"""Lists what the controls of the Runs page offer: filters, columns, and what to group by."""

from __future__ import annotations

from dashboard.address.view import View
from dashboard.pages.runs.grid import column_titles
from dashboard.snapshot.runs import run_dimensions
from dashboard.wording.dimensions import NONE, options


def filters() -> list[dict[str, str]]:
    """Lists the dimension values that runs can be filtered by, as choices of a control."""
    return options(run_dimensions.facets(), run_dimensions.known_dimensions())


def column_names() -> list[dict[str, str]]:
    """Lists the columns that the grid of runs can show, as choices of a control."""
    known = column_titles(run_dimensions.known_dimensions())
    return [{"label": title, "value": name} for name, title in known.items()]


def groupings() -> dict[str, str]:
    """Maps the key of each dimension that runs can be grouped by to its label, `nothing` first."""
    dims = run_dimensions.known_dimensions().items()
    return {NONE: "nothing"} | {key: one.label for key, one in dims if not one.charged}


def grouped(view: View) -> str:
    """Returns the dimension that the URL groups runs by, or `none`."""
    return view.group if view.group in groupings() else NONE
