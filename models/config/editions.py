"""Warns of options a config sets whose meaning edition 2 changed (docs/method/editions.md).

A config written for edition 1 is still valid, but some options mean something else now. The first
build by edition 2 warns once about each that the config sets.
"""

from __future__ import annotations

from collections.abc import Iterator

from models.config.settings import Settings


def changed_meanings(settings: Settings) -> Iterator[str]:
    """Yields a text for each option that the config sets and whose meaning edition 2 changed."""
    if any(workload.fixed_cost_per_epoch is not None for workload in settings.workloads):
        yield "[[workloads]] fixed_cost_per_epoch is for every recipe of the workload"
    if any(workload.target_loss is not None for workload in settings.workloads):
        yield "[[workloads]] target_loss credits results: a run without one is credited nothing"
    if "window_days" in settings.baseline.model_fields_set:
        yield "baseline.window_days counts back from the newest GPU run, not from the day"
    if any(investment.kind == "upkeep" for investment in settings.investments):
        yield '[[investments]] kind = "upkeep" is part of overhead day by day, no investment'
