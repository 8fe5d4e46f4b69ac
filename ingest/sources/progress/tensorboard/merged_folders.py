"""Tells of folders that count as one run, and may be runs of their own: both begin anew.

A restart writes a folder of its own below that of the run (`runs/Oct20_01-00-00_host`, `version_1`)
and goes on where it was; another run with the same folder begins where the first one did.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

import pyarrow.compute as pc
import pyarrow.parquet as pq

from ingest.files.store import FileEntry
from models.raw.delivery import Delivery


def notices(runs: Mapping[tuple[str, str], list[FileEntry]], live: list[Delivery]) -> Iterator[str]:
    """Yields a line if runs have several folders that begin at the same step.

    `runs` has the event files of each run, by its name and tags; `live` is what is delivered.
    """
    anew = {run: found for run, files in runs.items() if len(found := _alike(files, live)) > 1}
    for (run, _), found in list(anew.items())[:1]:
        more = f" (and those of {len(anew) - 1:,} other runs)" if len(anew) > 1 else ""
        yield (
            f"{len(found)} folders of {run} begin at the same step, such as {found[-1]}{more}: if "
            'each is a run of its own, set `path`, such as path = "runs/{run}"'
        )


def _alike(files: list[FileEntry], live: list[Delivery]) -> list[str]:
    """Lists the folders of a run whose first step is the lowest of all."""
    folders = defaultdict[str, set[str]](set)
    for entry in files:
        folders[entry.uri.rpartition("/")[0]].add(entry.uri)
    by_step = defaultdict[int, list[str]](list)
    for folder, uris in folders.items() if len(folders) > 1 else ():
        delivered = [d for d in live if any(file.origin in uris for file in d.files)]
        steps = [step for one in delivered if (step := _first_step(one)) is not None]
        if steps:
            by_step[min(steps)].append(folder)
    return by_step[min(by_step)] if by_step else []


def _first_step(delivery: Delivery) -> int | None:
    if not (delivery.present and delivery.rows):
        return None
    tables = (pq.read_table(path, columns=["step"]) for path in delivery.paths)
    found = [pc.min(table["step"]).as_py() for table in tables]
    return min((step for step in found if step is not None), default=None)
