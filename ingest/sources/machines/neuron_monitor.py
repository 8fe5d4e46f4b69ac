"""Fetches files of neuron-monitor's JSON reports, which say how busy each NeuronCore was.

Key: the path and `all`; a file that vanished stays live. Cursor: none; a file is read again when
its bytes changed. A row is one runtime's report of one NeuronCore in use, so the file of an idle
machine has none.
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from textwrap import shorten
from typing import Annotated, Any, ClassVar, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import AfterValidator, BaseModel, Field, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from ingest.files.feed import FileFeed
from ingest.files.folder import describe_location
from ingest.files.store import FileEntry, Store, file_key, select_readable
from ingest.source import ALL, Batch, FetchContext, Group
from models.contract.errors import InputError
from models.raw.staging import Staging

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
Count = Annotated[int, Field(ge=0, lt=2**31)]
Seconds = Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]
Percent = Annotated[float, Field(allow_inf_nan=False)]
CLOCK = re.compile(r"\d{4}-\d\d-\d\d[T ][^,]*$")
"""The form of ISO 8601 that DuckDB reads as well: no weeks, and fractions with a point."""


def _moment(text: str) -> str:
    """Returns a time's text unchanged; raises a validation error if it is not ISO 8601."""
    try:
        datetime.fromisoformat(text if CLOCK.match(text) else "")
    except ValueError:
        raise PydanticCustomError("moment", "Input should be a time in ISO 8601") from None
    return text


Moment = Annotated[str, AfterValidator(_moment)]
"""A time as it was written; what is no time is refused, else it would silently become null."""


class Core(BaseModel):
    """How busy one NeuronCore was, in percent."""

    neuroncore_utilization: Percent


class Counters(BaseModel):
    """How busy each NeuronCore of a runtime was over `period` seconds."""

    period: Seconds | None = None
    neuroncores_in_use: dict[str, Core] | None = None


class Sections(BaseModel):
    """The part of a Neuron runtime's report that is read: its counters; null if they failed."""

    neuroncore_counters: Counters | None = None


class Runtime(BaseModel):
    """One process that uses NeuronCores, and its report."""

    pid: int | str | None = None
    neuron_runtime_tag: str | None = None
    report: Sections | None = None


class Instance(BaseModel):
    """The EC2 instance of a neuron-monitor report, where its metadata could be read."""

    instance_id: str | None = None
    instance_type: str | None = None
    instance_region: str | None = None


class Hardware(BaseModel):
    """The number of Neuron devices of an instance, and of cores per device."""

    neuron_device_count: Count | None = None
    neuroncore_per_device_count: Count | None = None


class Report(BaseModel):
    """One neuron-monitor report; its list of runtimes is empty or null where nothing ran."""

    neuron_runtime_data: list[Runtime] | None
    timestamp: Moment | None = None
    instance_info: Instance | None = None
    neuron_hardware_info: Hardware | None = None


Shape = TypeVar("Shape")
ONE, EVERY = TypeAdapter(Report), TypeAdapter(list[Report])


@dataclass(frozen=True)
class NeuronMonitor(FileFeed):
    """The neuron-monitor feed: files of reports at one location."""

    kind: ClassVar[str] = "neuron_monitor"
    group: ClassVar[Group] = "progress"
    format: ClassVar[str] = "neuron_monitor"

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Yields a delivery per neuron-monitor file; `InputError` if none, or one is compressed."""
        store = self.store(context)
        entries = select_readable(store.entries(), SUFFIXES)
        if not entries and not self.delivered(context):
            raise InputError(
                f"{self.name}: no report of neuron-monitor found",
                value=describe_location(store),
                remedy=f"deliver one of {', '.join(SUFFIXES)}, or correct `location`",
            )
        for entry in entries:
            yield Batch(
                file_key(entry, self.settings), ALL, partial(_copy_cores, store, entry), empty=True
            )


def _copy_cores(store: Store, entry: FileEntry, staging: Staging) -> None:
    """Writes the rows of one neuron-monitor file, or reuses the live delivery if unchanged."""
    fingerprint = store.fingerprint(entry)
    if known := staging.known(entry.uri, fingerprint):
        staging.reuse(*known)
        return
    rows = [row for report in _reports(entry, store.read(entry)) for row in _core_rows(report)]
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), staging.next_path)
    staging.add(staging.next_path, origin=entry.uri, etag=fingerprint)


def _reports(entry: FileEntry, text: bytes) -> list[Report]:
    """Parses a neuron-monitor file: one list, or one report per line.

    Raises `InputError` with the first line that is neither.
    """
    text = text.removeprefix(BOM_UTF8)
    if text.lstrip().startswith(b"["):
        found = _parse(entry, text, "the list", EVERY)
    else:
        lines = ((f"line {n}", line) for n, line in enumerate(text.splitlines(), 1))
        found = [_parse(entry, line, what, ONE) for what, line in lines if line.strip()]
    if not found:
        raise _unreadable(entry, "no report in it")
    return found


def _parse(entry: FileEntry, text: bytes, what: str, shape: TypeAdapter[Shape]) -> Shape:
    """Parses a neuron-monitor report, or a list of them. Raises `InputError` with what is wrong."""
    try:
        return shape.validate_json(text, strict=True)
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
    where = f"{'.'.join(map(str, wrong['loc']))}: " if wrong["loc"] else ""
    unlike = wrong["type"] not in ("json_invalid", "missing")
    given = f", not {shorten(json.dumps(wrong['input']), 60)}" if unlike else ""
    raise _unreadable(entry, f"{what}: {where}{wrong['msg']}{given}")


def _unreadable(entry: FileEntry, value: str) -> InputError:
    return InputError(
        f"cannot read {entry.uri}", value=value, remedy="deliver what neuron-monitor wrote"
    )


def _core_rows(report: Report) -> Iterator[dict[str, Any]]:
    """Yields a row of utilisation for each Neuron runtime and each core that it uses."""
    where, hardware = report.instance_info or Instance(), report.neuron_hardware_info or Hardware()
    about = {
        "timestamp": report.timestamp,
        "instance_id": where.instance_id,
        "instance_type": where.instance_type,
        "region": where.instance_region,
        "devices": hardware.neuron_device_count,
        "cores_per_device": hardware.neuroncore_per_device_count,
    }
    for runtime in report.neuron_runtime_data or ():
        counters = (runtime.report or Sections()).neuroncore_counters or Counters()
        for core, counter in (counters.neuroncores_in_use or {}).items():
            yield {
                **about,
                "pid": None if runtime.pid is None else str(runtime.pid),
                "tag": runtime.neuron_runtime_tag,
                "core": core,
                "period": counters.period,
                "utilization": counter.neuroncore_utilization,
            }
