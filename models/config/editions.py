"""What an option means otherwise since the second edition of the method (docs/method/editions.md).

A config of the first edition is read as it is: no option fell. Some mean something else now, and a
config that sets one of them is told so, once.
"""

from __future__ import annotations

from collections.abc import Iterator

from models.config.settings import Settings


def changed_meanings(settings: Settings) -> Iterator[str]:
    """Yields a line for each option that the config sets and whose meaning edition 2 changed."""
    baseline = settings.baseline.model_fields_set
    if "window_days" in baseline:
        yield (
            "baseline.window_days counts back from the newest GPU run of a kind of work: no "
            "baseline changes because time passes"
        )
    if "min_runs" in baseline:
        yield "baseline.min_runs is asked of each GPU platform by itself"
    if any(workload.target_loss is not None for workload in settings.workloads):
        yield (
            "[[workloads]] target_loss: results count; a run that misses it earns nothing, one "
            "that reaches it early earns what GPU needs for a result"
        )
    if any(investment.kind == "upkeep" for investment in settings.investments):
        yield '[[investments]] kind = "upkeep" is part of overhead day by day, no investment'
