"""neuron-monitor: its JSON reports, written down by whoever runs it, one a line or in one list.

Key: the path and `all`; a file that vanished stays live. Cursor: none; a file is read again when
its bytes changed. What is brought is each runtime's report of each NeuronCore in use.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.bucket import Place, opened
from ingest.source import ALL, Group, Options, Parcel, Visit
from ingest.store import Item, Store, described, unit
from models.errors import InputError
from models.raw import Staging
from models.settings import Settings

SUFFIXES = (".json", ".jsonl", ".ndjson", ".log")
TEXTS = ("timestamp", "instance_id", "instance_type", "region", "pid", "tag", "core")
SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in TEXTS),
        ("devices", pa.int64()),
        ("cores_per_device", pa.int64()),
        ("period", pa.float64()),
        ("utilization", pa.float64()),
    ]
)
Report = dict[str, Any]


@dataclass(frozen=True)
class NeuronMonitor:
    """One file, a folder, a glob, or an S3 prefix."""

    kind: ClassVar[str] = "neuron_monitor"
    group: ClassVar[Group] = "progress"
    format: ClassVar[str] = "neuron_monitor"
    accepts: ClassVar[type[Options]] = Place
    append: ClassVar[bool] = False
    regional: ClassVar[bool] = False

    name: str
    options: Place
    settings: Settings

    @property
    def location(self) -> str:
        """Where the files lie."""
        return opened(self.options, self.settings).location

    def fetch(self, visit: Visit) -> Iterable[Parcel]:
        """One parcel per file. Raises `InputError` where there never was one."""
        store = opened(self.options, self.settings)
        items = [item for item in store.items() if item.path.lower().endswith(SUFFIXES)]
        if not items and not any(d.key.source == self.name for d in visit.zone.live(self.format)):
            raise InputError(
                f"{self.name}: no report of neuron-monitor found",
                value=described(store),
                remedy=f"deliver one of {', '.join(SUFFIXES)}, or correct `location`",
            )
        for item in items:
            yield Parcel(unit(item, self.settings), ALL, partial(_bring, store, item))


def _bring(store: Store, item: Item, staging: Staging) -> None:
    mark = store.mark(item)
    if known := staging.known(item.uri, mark):
        staging.reuse(*known)
        return
    rows = [row for report in _reports(item, store.read(item)) for row in _cores(report)]
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), staging.next_path)
    staging.add(staging.next_path, origin=item.uri, etag=mark)


def _reports(item: Item, text: bytes) -> Iterator[Report]:
    """One list, or one report a line. Raises `InputError` with the line that is neither."""
    if text.lstrip().startswith(b"["):
        yield from _read(item, text, "the list")
        return
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield _read(item, line, f"line {number}")


def _read(item: Item, text: bytes, what: str) -> Any:  # noqa: ANN401
    try:
        return json.loads(text)
    except ValueError as error:
        raise InputError(
            f"cannot read {item.uri}",
            value=f"{what}: {error}",
            remedy="deliver what neuron-monitor wrote",
        ) from None


def _cores(report: Report) -> Iterator[dict[str, Any]]:
    """A line for each runtime and each core that it uses."""
    where, hardware = report.get("instance_info", {}), report.get("neuron_hardware_info", {})
    about = {
        "timestamp": report.get("timestamp"),
        "instance_id": where.get("instance_id"),
        "instance_type": where.get("instance_type"),
        "region": where.get("instance_region"),
        "devices": hardware.get("neuron_device_count"),
        "cores_per_device": hardware.get("neuroncore_per_device_count"),
    }
    for runtime in report.get("neuron_runtime_data") or []:
        counters = runtime.get("report", {}).get("neuroncore_counters", {})
        for core, told in (counters.get("neuroncores_in_use") or {}).items():
            yield {
                **about,
                "pid": _text(runtime.get("pid")),
                "tag": runtime.get("neuron_runtime_tag"),
                "core": core,
                "period": counters.get("period"),
                "utilization": told.get("neuroncore_utilization"),
            }


def _text(given: object) -> str | None:
    return None if given is None else str(given)
