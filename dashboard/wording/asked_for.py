"""Says in words which days and runs a page was asked for, for a sentence copied from it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from dashboard.address.view import View
from dashboard.wording.dimensions import Dimensions
from dashboard.wording.format import day


def asked_for(view: View, dims: Dimensions) -> str:
    """Returns a page's range, filters and basis in words; empty where it shows everything.

    Conditions on one dimension are alternatives: `from 1 Sep 2026; Team: nlp or vision`.
    """
    parts = [_days(view), *_conditions(view, dims)]
    parts += [f'name contains "{view.named}"'] if view.named else []
    parts += ["at list prices"] if view.basis == "list" else []
    return "; ".join(part for part in parts if part)


def _days(view: View) -> str:
    first = f"from {day(view.start)}" if view.start else ""
    last = f"to {day(view.end)}" if view.end else ""
    return " ".join(part for part in (first, last) if part)


def _conditions(view: View, dims: Dimensions) -> Iterator[str]:
    values: defaultdict[str, list[str]] = defaultdict(list)
    for key, _, value in (each.partition("=") for each in view.where):
        if key in dims and not dims[key].charged:
            values[key].append(dims[key].name(value))
    for key, names in values.items():
        yield f"{dims[key].label}: {' or '.join(names)}"
