"""Says in one sentence what a comparison found, and what it leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dashboard.pages.compare.cost_per_epoch import per_epoch, several_units
from dashboard.snapshot.runs.compared_runs import Axes
from dashboard.wording.dimensions import Dimension
from dashboard.wording.format import cents, count
from dashboard.wording.units import Unit, words
from models.contract.units import shared

Row = dict[str, Any]
NAME = 60
DIFFERENT_UNITS = (
    "These runs count their work in different units, so their costs per unit cannot be compared."
)
NOUNS = {"identified_by": "form of identification", "comparability": "group of work"}
"""What sentences call a value of a dimension whose label is no noun that counts."""
NAMED = 5
"""How many workloads a notice names."""


def unit_of(found: Row) -> Unit:
    """Returns the words for the unit of work that all compared runs share, else for `a unit`."""
    return words(shared(found.get("units") or ()))


def question(of: Axes, unit: Unit) -> str:
    """Writes the Compare page's question: what a unit of work costs, by the chosen dimensions."""
    return f"What does {unit.one} cost, by {' and '.join(_word(one) for one in of.each)}?"


def comparison_sentence(rows: Sequence[Row], of: Axes, found: Row) -> str:
    """Says for how many groups Trainium cost less than GPU, or the range of costs per unit.

    The first where hardware is one of two dimensions and the groups did the same work.
    """
    one = _capital(unit_of(found).one)
    known = [row for row in rows if per_epoch(row) is not None]
    apart = several_units(*rows)
    if not known and not apart:
        return "No run with progress and a known cost meets these filters."
    if known and of.then and of.has("hardware") and _comparable(of, found):
        return _both_kinds(known, of, found["differ"] or (), one)
    if apart:
        return DIFFERENT_UNITS
    ranked = sorted(known, key=lambda row: per_epoch(row) or 0)
    low, high = ranked[0], ranked[-1]
    if low is high:
        return f"{one} cost ${cents(per_epoch(low))} ({_name(low, of)})."
    return (
        f"{one} cost from ${cents(per_epoch(low))} ({_name(low, of)}) "
        f"to ${cents(per_epoch(high))} ({_name(high, of)})."
    )


def left_out_note(found: Row, of: Axes, any_purpose: bool) -> str:
    """Says how many runs are compared, how many are left out, and why."""
    rest = found["found"] - found["counted"]
    why = "runs without accelerator-hours, of unknown cost, or of work not counted in their unit"
    if not any_purpose:
        why = f"port, validation and benchmark runs, GPU runs with an unknown purpose, and {why}"
    text = f"; {rest:,} left out: {why}." if rest else ", none left out."
    then = " Costs are as paid then; the Overview compares with what GPUs cost today."
    return count(found["counted"], "run") + text + (then if of.has("hardware") else "")


def different_work(of: Axes, found: Row) -> str:
    """Says which workloads' runs differ in recipe or unit, so that costs cannot be compared.

    Empty where none do, or hardware is not compared.
    """
    names = found["differ"] or []
    if not names or not of.has("hardware"):
        return ""
    text = ", ".join(_short(name) for name in names[:NAMED])
    rest = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return (
        f"{text}{rest}: not all runs share recipe and unit of work, so their costs cannot be "
        "compared."
    )


def _unlike(count: int) -> str:
    noun = "workload is" if count == 1 else "workloads are"
    return f"{count:,} more {noun} not counted, because the runs did different work"


def _comparable(of: Axes, found: Row) -> bool:
    return of.has("workload") or (found["workloads"] < 2 and not found["differ"])


def _both_kinds(rows: Sequence[Row], of: Axes, differ: Sequence[str], one: str) -> str:
    first = of.by.key == "hardware"
    sides: dict[str | None, dict[str | None, Row]] = {}
    for row in rows:
        kind, other = (row["by"], row["then"]) if first else (row["then"], row["by"])
        sides.setdefault(other, {})[kind] = row
    paired = {name for name, found in sides.items() if {"gpu", "trainium"} <= found.keys()}
    what = of.then if first and of.then else of.by
    apart = len(paired & set(differ)) if what.key == "workload" else 0
    both = [sides[name] for name in paired - set(differ if apart else ())]
    if apart and not both:
        return f"No {_word(what)} here did the same work on both GPU and Trainium."
    if not both:
        return f"No {_word(what)} here has trained on both GPU and Trainium."
    cheaper = sum((per_epoch(f["trainium"]) or 0) < (per_epoch(f["gpu"]) or 0) for f in both)
    rest = f"; {_unlike(apart)}." if apart else "."
    if len(both) == 1:
        less = "less" if cheaper else "no less"
        return (
            f"{one} cost {less} on Trainium than on GPU for the one {_word(what)} "
            f"that has trained on both{rest}"
        )
    noun = f"{_word(what)} values" if what.key.startswith("tag_") else _plural(what)
    whole = f"{cheaper} of {len(both)} {noun}"
    return f"{one} cost less on Trainium than on GPU for {whole} that trained on both{rest}"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _plural(what: Dimension) -> str:
    first, *rest = _word(what).split(" of ")
    return " of ".join([f"{first[:-1]}ies" if first.endswith("ty") else f"{first}s", *rest])


def _word(what: Dimension) -> str:
    label = what.label
    lower = label if label.isupper() else label[0].lower() + label[1:]
    return NOUNS.get(what.key, lower)


def _name(row: Row, of: Axes) -> str:
    names = [of.by.name(row["by"])] + ([of.then.name(row["then"])] if of.then else [])
    return ", ".join(_short(name) for name in names)


def _short(name: str) -> str:
    """Returns a name cut to 60 letters and isolated from the text, as it may be right to left."""
    return f"\u2068{name if len(name) <= NAME else name[: NAME - 1] + '…'}\u2069"
