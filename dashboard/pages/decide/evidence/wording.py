"""Says in a sentence what benchmarks and other GPUs mean for the decision."""

from __future__ import annotations

from collections.abc import Sequence
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
NEWEST = ("p6-b300", "p6-b200", "p5en", "p5e", "p5", "p4de", "p4d")
"""GPU platforms that train what Trainium does, the newest first."""
MOST_NAMED = 2
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
    """Says what the newest GPU platforms on offer need to beat Trainium, and which beats it now.

    Each platform is told by its offer that needs least; smaller GPUs only where nothing else is
    on offer. The baseline's own platform needs no other speed: below 1 it beats Trainium already.
    """
    base = rows[0]["baseline_platform"]
    least = {row["platform"]: row for row in reversed(_by_need(rows))}
    others = [least[name] for name in NEWEST if name in least and name != base][:MOST_NAMED]
    others = others or [row for row in _by_need(rows) if row["platform"] != base][:1]
    first, *more = others
    text = (
        f"{_offer(first)} would beat Trainium if it trained this "
        f"{number(first['needed_speedup'], 2)} times as fast as {base}"
    )
    text += "".join(f"; {_offer(row)} if {number(row['needed_speedup'], 2)} times" for row in more)
    own = least.get(base)
    if own and own["needed_speedup"] < 1:
        text += f". {_offer(own)} beats Trainium already"
    return f"{text}."


def _by_need(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: row["needed_speedup"])


def _offer(row: Row) -> str:
    return f"{row['instance_type']} {OFFERS[row['offer']]}"
