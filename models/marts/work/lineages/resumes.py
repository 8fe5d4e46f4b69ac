"""Groups runs that resume one another into lineages (METHOD §1).

This follows `resumed_from` in plain Python: an expression cannot recurse, and there are thousands
of runs, not millions. Example: c resumes b, b resumes a: all three are the lineage a.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Link(NamedTuple):
    """A run, the lineage it belongs to, and whether it resumes a known run."""

    workload: str
    run: str
    lineage: str
    resumes: bool


def lineages(runs: Iterable[tuple[str, str, str | None]]) -> list[Link]:
    """Returns a link per run: its lineage, named after the first of a chain of resumed runs.

    A parent that no run has the name of is ignored. Runs that resume each other in a circle have no
    start, so each of them is a lineage of its own.
    """
    parents = {(workload, run): resumed for workload, run, resumed in runs}
    return [_link(parents, workload, run) for workload, run in parents]


def _link(parents: dict[tuple[str, str], str | None], workload: str, run: str) -> Link:
    """Follows `resumed_from` back to the first run, which names the lineage."""
    passed = [run]
    while (parent := parents[workload, passed[-1]]) and (workload, parent) in parents:
        if parent in passed:
            return Link(workload, run, run, resumes=False)
        passed.append(parent)
    return Link(workload, run, passed[-1], resumes=len(passed) > 1)
