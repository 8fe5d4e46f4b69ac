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
    """Says which GPU on offer needs the least speed-up to beat Trainium."""
    first = next(row for row in rows if row["platform"] != row["baseline_platform"])
    return (
        f"{first['instance_type']} {OFFERS[first['offer']]} would beat Trainium if it trained this "
        f"{number(first['needed_speedup'], 2)} times as fast as {first['baseline_platform']}."
    )
