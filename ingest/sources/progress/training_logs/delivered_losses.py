"""Reads delivered losses of runs whose logs are gone, to find what later runs repeat of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

Losses = frozenset[tuple[int, float]]
"""Steps with their losses."""


@dataclass(frozen=True)
class DeliveredLosses:
    """The losses that earlier pulls delivered of some runs; read from the files at first use."""

    paths: Iterable[Path]
    runs: frozenset[str]
    metric: str
    """The metric that is the loss."""

    @cached_property
    def by_run(self) -> Mapping[str, Losses]:
        """Maps each run to its delivered (step, loss) pairs."""
        return read_losses(self.paths, self.runs, self.metric)


def read_losses(paths: Iterable[Path], runs: frozenset[str], metric: str) -> dict[str, Losses]:
    """Maps each of the named runs to its (step, loss) pairs, from delivered Parquet files."""
    theirs = pc.field("run_name").isin(sorted(runs)) & (pc.field("metric") == metric)
    found = defaultdict[str, set[tuple[int, float]]](set)
    for path in paths:
        table = pq.read_table(path, columns=["run_name", "step", "value"], filters=theirs)
        for run, step, value in zip(*(column.to_pylist() for column in table), strict=True):
            found[run].add((step, value))
    return {run: frozenset(losses) for run, losses in found.items()}
