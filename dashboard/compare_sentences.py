"""What a comparison says in one sentence, and what it leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dashboard.comparison import Axes, per_epoch
from dashboard.format import cents, count

Row = dict[str, Any]
NAME = 60


def question(of: Axes) -> str:
    """By what an epoch's cost is asked."""
    return f"What does an epoch cost, by {' and '.join(_word(one.label) for one in of.each)}?"


def compared(rows: Sequence[Row], of: Axes) -> str:
    """Trainium against GPU where hardware is one of the two, else the span of the groups."""
    known = [row for row in rows if per_epoch(row) is not None]
    if not known:
        return "No run with an epoch and a known cost meets these filters."
    if of.then and of.has("hardware"):
        return _both_kinds(known, of)
    ranked = sorted(known, key=lambda row: per_epoch(row) or 0)
    low, high = ranked[0], ranked[-1]
    if low is high:
        return f"An epoch cost ${cents(per_epoch(low))} ({_name(low, of)})."
    return (
        f"An epoch cost from ${cents(per_epoch(low))} ({_name(low, of)}) "
        f"to ${cents(per_epoch(high))} ({_name(high, of)})."
    )


def left_out_note(found: Row) -> str:
    """What the groups do not hold."""
    rest = found["found"] - found["counted"]
    if not rest:
        return f"{count(found['counted'], 'run')}, none left out."
    why = "port and validation runs, and runs without accelerator-hours or of unknown cost"
    return f"{count(found['counted'], 'run')}; {rest:,} left out: {why}."


def _both_kinds(rows: Sequence[Row], of: Axes) -> str:
    first = of.by.key == "hardware"
    sides: dict[str | None, dict[str | None, Row]] = {}
    for row in rows:
        kind, other = (row["by"], row["then"]) if first else (row["then"], row["by"])
        sides.setdefault(other, {})[kind] = row
    both = [found for found in sides.values() if {"gpu", "trainium"} <= found.keys()]
    what = of.then if first and of.then else of.by
    if not both:
        return f"No {_word(what.label)} here has trained on both GPU and Trainium."
    cheaper = sum((per_epoch(f["trainium"]) or 0) < (per_epoch(f["gpu"]) or 0) for f in both)
    whole = "the one" if len(both) == 1 else f"{cheaper} of {len(both)}"
    if len(both) == 1:
        less = "less" if cheaper else "no less"
        return (
            f"An epoch cost {less} on Trainium than on GPU for {whole} {_word(what.label)} "
            "that has trained on both."
        )
    noun = f"{_word(what.label)} values" if what.key.startswith("tag_") else _plural(what.label)
    return f"An epoch cost less on Trainium than on GPU for {whole} {noun} that trained on both."


def _plural(label: str) -> str:
    word = _word(label)
    return f"{word[:-1]}ies" if word.endswith("ty") else f"{word}s"


def _word(label: str) -> str:
    return label if label.isupper() else label[0].lower() + label[1:]


def _name(row: Row, of: Axes) -> str:
    names = [of.by.name(row["by"])] + ([of.then.name(row["then"])] if of.then else [])
    return ", ".join(name if len(name) <= NAME else name[: NAME - 1] + "…" for name in names)
