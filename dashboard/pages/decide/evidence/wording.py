"""Says in a sentence what benchmarks and other GPUs mean for the decision."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from dashboard.wording.format import cents, count, dollars, number
from dashboard.wording.units import words

Row = dict[str, Any]
NO_BENCHMARK = (
    "No benchmark of this workload yet",
    "Run the same one-hour job on GPU and on Trainium with purpose “benchmark”, reporting every "
    "five minutes. One run per side is enough.",
)
NO_ALTERNATIVE = (
    "What another GPU would need is not known yet",
    "It needs a GPU baseline, settled work on Trainium, and a price (source “price_list”, free).",
)
NO_WORK = (
    "No settled work of {} on Trainium in the last 84 days: its cost there is not known, so "
    "neither is the speed-up that would match it. These machines will be compared with it:"
)
MOST_NAMED = 2
AT_MOST = (
    "At most: what the machine computes, dense in BF16, as a multiple of the baseline's. Training "
    "rarely reaches it; a benchmark there shows how much."
)
OFFERS = {"on_demand": "on demand", "capacity_block": "in a Capacity Block"}


def benchmark_sentence(rows: Sequence[Row]) -> str:
    """Says how much less or more a unit cost on Trainium in benchmarks, or that a side is missing.

    Names how many results would pay for the port, if its cost is declared.
    """
    known = [row for row in rows if row["saving_per_epoch"] is not None]
    if not known:
        return _nothing_compared(rows)
    best = max(known, key=lambda row: row["saving_per_epoch"])
    per = words(best["unit"])
    other = best["against_platform"]
    against = f"in the {other} benchmark" if other else "on GPU"
    saving = best["saving_per_epoch"]
    more = "less" if saving >= 0 else "more"
    text = f"On {best['platform']} {per.one} costs ${cents(abs(saving))} {more} than {against}"
    return f"{text}{_port(best)}. {_measured(rows)}"


def _nothing_compared(rows: Sequence[Row]) -> str:
    """Says why benchmarks do not compare: a chip, a cost or a common recipe is missing."""
    unmeasured = [row for row in rows if row["cost_per_epoch"] is None]
    why = "; ".join(row["reason"] for row in unmeasured if row["reason"])
    both = {row["hardware"] for row in rows} >= {"gpu", "trainium"}
    if both and not unmeasured:
        return "Both sides are measured, but not of one recipe: run the same one on both chips."
    if both:
        return f"Both sides ran, and what a unit costs is not known for each of them: {why}."
    if len(unmeasured) == len(rows):
        return f"No side is measured yet: {why}."
    return "Only one side is measured. Run the benchmark on the other chip."


def _port(best: Row) -> str:
    """Says after how many results the declared cost of the port is repaid, if ever; or empty text.

    Empty where none is declared, or more funding than cost.
    """
    if best["results_to_pay"]:
        results, port = count(best["results_to_pay"], "result"), dollars(best["declared_port"])
        return f"; {results} would pay for the declared port of {port}"
    if not best["declared_port"] or best["declared_port"] < 0:
        return ""
    if best["saving_per_epoch"] <= 0:
        return "; the declared port would never pay off"
    return "; how many results pay for the declared port is unknown until planned_epochs is set"


def _measured(rows: Sequence[Row]) -> str:
    known = [row for row in rows if row["cost_per_epoch"] is not None]
    parts = [
        f"{number(row['instance_hours'], 1)} instance-hours on {row['platform']}" for row in known
    ]
    return f"Measured: {', '.join(parts)}."


def alternative_sentence(rows: Sequence[Row]) -> str:
    """Says which other GPUs could cost less than Trainium, and which GPU offer already does.

    Of each platform the offer that needs least of its data sheet's speed counts. One that needs
    more than all of it cannot cost less. The baseline's own platform trains at the same speed, and
    a smaller machine of it at its part of that: an offer that needs less costs less already.
    """
    base = rows[0]["baseline_platform"]
    nearest_last = sorted(rows, key=_part_needed, reverse=True)
    closest = {row["platform"]: row for row in nearest_last if row["platform"] != base}
    others = sorted(closest.values(), key=_part_needed)
    able = [row for row in others if _part_needed(row) < 1]
    text = _able(able[:MOST_NAMED], base) if able else _unable(others[0], base)
    own = [row for row in rows if row["platform"] == base and _trains_as_fast(row)]
    if own:
        text += f" {_offer(min(own, key=_part_needed))} beats Trainium already."
    return text


def _trains_as_fast(row: Row) -> bool:
    """Returns whether an offer of the baseline's platform has the speed it needs to cost less."""
    peak = row["peak_speedup"]
    return bool(row["needed_speedup"] < (1 if peak is None else min(peak, 1)))


def _able(rows: Sequence[Row], base: str) -> str:
    first, *more = rows
    text = f"{_offer(first)} would beat Trainium if it trained this {_needed(first)} as fast as "
    text += f"{base} ({_most(first)})"
    text += "".join(f"; {_offer(row)} if {_needed(row)} ({_most(row)})" for row in more)
    return f"{text}."


def _unable(row: Row, base: str) -> str:
    peak = row["peak_speedup"]
    text = f"{_offer(row)} would beat Trainium if it trained this {_needed(row)} as fast as {base}"
    if peak is None:
        return f"{text}."
    return (
        "No other GPU on offer could beat Trainium by its speed. The closest: "
        f"{text}, and it computes {number(peak, 2)} times as much at most."
    )


def _needed(row: Row) -> str:
    return f"{number(row['needed_speedup'], 2)} times"


def _most(row: Row) -> str:
    return f"at most: {number(row['peak_speedup'], 2)} times"


def _part_needed(row: Row) -> float:
    """Returns which part of its data sheet's speed-up an offer needs; infinite if unknown."""
    peak = row["peak_speedup"]
    return float(row["needed_speedup"] / peak) if peak else inf


def _offer(row: Row) -> str:
    return f"{row['instance_type']} {OFFERS[row['offer']]}"
