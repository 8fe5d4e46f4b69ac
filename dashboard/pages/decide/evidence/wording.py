"""Says in a sentence what benchmarks and other GPUs mean for the decision."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from dashboard.wording.format import cents, count, number
from dashboard.wording.units import words

Row = dict[str, Any]
NO_BENCHMARK = (
    "No benchmark of this workload yet",
    "Run the same hour on each side with purpose “benchmark”, reporting every five minutes: one a "
    "side is enough for an answer.",
)
NO_ALTERNATIVE = (
    "What another GPU would need is not known yet",
    "It needs a GPU baseline, settled work on Trainium, and a price (source “price_list”, free).",
)
MOST_NAMED = 2
AT_MOST = (
    "At most: what the machine computes, dense in BF16, as a multiple of the baseline's. Training "
    "rarely gets all of it; a benchmark there tells."
)
OFFERS = {"on_demand": "on demand", "capacity_block": "in a Capacity Block"}


def benchmark_sentence(rows: Sequence[Row]) -> str:
    """Says whether the port is worth it, by what short runs cost, and on how much that rests."""
    known = [row for row in rows if row["saving_per_epoch"] is not None]
    if not known:
        return "One side is missing: a benchmark on the other chip, or a GPU history, would answer."
    best = max(known, key=lambda row: row["saving_per_epoch"])
    per = words(best["unit"])
    against = f"the {best['against_platform']} benchmark" if best["against_platform"] else "GPU"
    saving = best["saving_per_epoch"]
    verb, more = ("saves", "against") if saving >= 0 else ("costs", "more than")
    text = f"On {best['platform']} {per.one} {verb} ${cents(abs(saving))} {more} {against}"
    if best["results_to_pay"]:
        text += f"; {count(best['results_to_pay'], 'result')} would pay the declared port"
    elif best["declared_port"]:
        text += "; the declared port would never be paid"
    return f"{text}. {_rests_on(rows)}"


def _rests_on(rows: Sequence[Row]) -> str:
    known = [row for row in rows if row["cost_per_epoch"] is not None]
    parts = [
        f"{number(row['instance_hours'], 1)} instance-hours on {row['platform']}" for row in known
    ]
    return f"It rests on {', '.join(parts)}."


def alternative_sentence(rows: Sequence[Row]) -> str:
    """Says which other GPUs could beat Trainium, and which offer of the baseline's already does.

    Each platform is told by its offer that is closest. What needs more than its data sheet promises
    cannot. The baseline's own platform needs no other speed: below 1 it beats Trainium already.
    """
    base = rows[0]["baseline_platform"]
    nearest_last = sorted(rows, key=_part_needed, reverse=True)
    closest = {row["platform"]: row for row in nearest_last if row["platform"] != base}
    others = sorted(closest.values(), key=_part_needed)
    able = [row for row in others if _part_needed(row) < 1]
    text = _able(able[:MOST_NAMED], base) if able else _unable(others[0], base)
    own = [row for row in rows if row["platform"] == base and row["needed_speedup"] < 1]
    if own:
        text += f" {_offer(min(own, key=_part_needed))} beats Trainium already."
    return text


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
    """Returns which part of what its data sheet promises an offer needs; infinite if unknown."""
    peak = row["peak_speedup"]
    return float(row["needed_speedup"] / peak) if peak else inf


def _offer(row: Row) -> str:
    return f"{row['instance_type']} {OFFERS[row['offer']]}"
