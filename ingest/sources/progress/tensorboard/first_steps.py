"""Finds the step at which each folder of event files begins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import pyarrow.compute as pc
import pyarrow.parquet as pq

from ingest.files.store import FileEntry
from models.raw.delivery import Delivery


def first_steps(files: Iterable[FileEntry], live: list[Delivery]) -> dict[str, int]:
    """Maps each folder of a run's event files to its first step; {} if there is only one.

    `live` is what is delivered. A folder without a step is left out.
    """
    folders = defaultdict[str, set[str]](set)
    for entry in files:
        folders[entry.uri.rpartition("/")[0]].add(entry.uri)
    steps: dict[str, int] = {}
    for folder, uris in folders.items() if len(folders) > 1 else ():
        delivered = [d for d in live if any(file.origin in uris for file in d.files)]
        found = [step for one in delivered if (step := _first_step(one)) is not None]
        if found:
            steps[folder] = min(found)
    return steps


def _first_step(delivery: Delivery) -> int | None:
    if not (delivery.present and delivery.rows):
        return None
    tables = (pq.read_table(path, columns=["step"]) for path in delivery.paths)
    found = [pc.min(table["step"]).as_py() for table in tables]
    return min((step for step in found if step is not None), default=None)
