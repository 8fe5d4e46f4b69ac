"""Delivers allocations to a raw zone, a cluster and UTC day each, as a reader of them does."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from models.contract.schema import ALLOCATIONS
from models.raw.delivery_key import Key
from models.raw.zone import RawZone

Row = Mapping[str, Any]
DAY = timedelta(days=1)


def held(since: str, until: str | None, **columns: object) -> dict[str, Any]:
    """One interval of cluster `hpc`; times are UTC, `resource` i-1 unless said otherwise."""
    about: dict[str, Any] = {
        "cluster": "hpc",
        "resource": "i-1",
        "instance_type": "trn1.32xlarge",
        "held_from": f"{since}Z",
        "held_to": f"{until}Z" if until else None,
    }
    return about | columns


def deliver(
    data: Path,
    rows: Iterable[Row],
    *,
    source: str = "slurm",
    form: str = "observed_allocations",
    place: str = "",
    empty: Iterable[tuple[str, str]] = (),
    missing: Collection[str] = (),
) -> None:
    """Delivers rows to the zone of `data`: each day of a cluster has every row that touches it.

    `empty` are clusters and days of which is told that no job held anything, `missing` are days of
    which nothing is told. `place` stands before the cluster in each key.
    """
    days: dict[tuple[str, str], list[Row]] = {key: [] for key in empty}
    for row in rows:
        for day in set(_days(row)) - set(missing):
            days.setdefault((str(row["cluster"]), day), []).append(row)
    zone = RawZone(data / "raw")
    schema = pa.schema([(name, pa.string()) for name in ALLOCATIONS])
    for (cluster, day), mine in sorted(days.items()):
        given = [{n: None if r.get(n) is None else str(r[n]) for n in ALLOCATIONS} for r in mine]
        with zone.staging(Key(source, f"{place}{cluster}", day)) as staging:
            path = staging.next_path
            pq.write_table(pa.Table.from_pylist(given, schema=schema), path)
            staging.add(path)
            if staging.unchanged() is None:
                staging.seal(form)


def _days(row: Row) -> Iterable[str]:
    first = _time(row["held_from"])
    last = _time(row["held_to"] or row.get("observed_at") or row["held_from"])
    day = first.replace(hour=0, minute=0, second=0, microsecond=0)
    while day < last or day <= first:
        yield f"{day:%Y-%m-%d}"
        day += DAY


def _time(text: object) -> datetime:
    return datetime.fromisoformat(str(text).removesuffix("Z"))
