"""Warns of folders that count as one run but may be several, since they begin at the same step.

A restart writes a folder of its own below that of the run (`runs/Oct20_01-00-00_host`, `version_1`)
and goes on where it was; another run with the same folder begins where the first one did.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

Run = tuple[str, str]
"""The name of a run and its tags."""


def notices(runs: Mapping[Run, Mapping[str, int]], path: str) -> Iterator[str]:
    """Yields one line for the first run with several folders that begin at the same step.

    `runs` has the first step of each folder of each run. `path` is an example of a pattern under
    which each folder is a run.
    """
    anew = {run: found for run, first in runs.items() if len(found := _lowest_start(first)) > 1}
    for (run, _), found in sorted(anew.items())[:1]:
        more = f" (and those of {len(anew) - 1:,} other runs)" if len(anew) > 1 else ""
        yield (
            f"{len(found)} folders of {run} begin at the same step, such as {found[-1]}{more}: "
            f'if each is a run of its own, set `path`, such as path = "{path}"'
        )


def _lowest_start(first: Mapping[str, int]) -> list[str]:
    """Lists, sorted, the folders whose first step is the lowest of all."""
    lowest = min(first.values(), default=None)
    return sorted(folder for folder, step in first.items() if step == lowest)
