"""A plausible published snapshot, written straight from the contract in `models.contract.schema`.

Six workloads, one of every status that a reader meets. The numbers are made up but hold
together: the days add up to the months, the months to the standing.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from inspect import signature
from pathlib import Path

import ibis
import pyarrow as pa
from ibis.backends.duckdb import Backend

from models.contract.schema import EXPLAINERS, MARTS, NUMBER, with_tags
from models.engine.warehouse.connection import in_memory
from models.engine.warehouse.snapshots import POINTER, Snapshots
from models.marts.cost.accelerator_days import accelerator_days
from models.marts.cost.counted_runs import counted_runs
from models.marts.work.runs.by_region_and_purchase import run_parts
from models.raw import atomic_files
from tests.support.dashboard import ledger
from tests.support.dashboard.days import Row

AS_OF = date(2026, 10, 31)
SETTLED = AS_OF - timedelta(days=3)
CUT = date(2026, 6, 1)


@dataclass(frozen=True)
class Workload:
    """What a workload's days are made from; `gpu` and `trn` are dollars per epoch."""

    name: str
    status: str
    start: date = date(2025, 12, 1)
    gpu: Decimal = Decimal("262.50")
    gpu_after_cut: Decimal = Decimal("175.875")
    trn: Decimal = Decimal("110")
    epochs_a_day: Decimal = Decimal("0.8")
    investments: tuple[tuple[date, str, Decimal], ...] = ()
    parity: str = "parity"
    flagged: Mapping[str, Decimal] = field(default_factory=dict)
    left_out: Mapping[str, Decimal] = field(default_factory=dict)
    gpu_type: str = "p4d.24xlarge"
    trn_type: str = "trn1.32xlarge"
    reason: str = ""
    baseline_flags: tuple[str, ...] = ()

    @property
    def compares(self) -> bool:
        return self.status not in {"insufficient_baseline", "not_comparable", "investing"}

    @property
    def trains(self) -> bool:
        return self.status not in {"investing", "not_started"}

    def baseline(self, day: date) -> Decimal | None:
        """The conservative cost of one GPU epoch, lower from the price cut on."""
        if self.status == "insufficient_baseline":
            return None
        return self.gpu_after_cut if day >= CUT else self.gpu


WORKLOADS = (
    Workload(
        "atlas-7b",
        "broke_even",
        investments=(
            (date(2025, 11, 17), "engineering", Decimal("10000")),
            (date(2026, 1, 20), "validation", Decimal("1480.25")),
        ),
        left_out={"unsettled": Decimal("148.32")},
    ),
    Workload(
        "orion-13b",
        "recovering",
        start=date(2026, 1, 12),
        gpu=Decimal("1480"),
        gpu_after_cut=Decimal("981.40"),
        trn=Decimal("640"),
        epochs_a_day=Decimal("0.55"),
        investments=(
            (date(2025, 12, 8), "engineering", Decimal("96000")),
            (date(2026, 2, 2), "partner", Decimal("35000")),
            (date(2026, 3, 3), "validation", Decimal("8212.40")),
        ),
        gpu_type="p5.48xlarge",
        parity="unverified",
        flagged={"unverified": Decimal("66000.12")},
        left_out={"unsettled": Decimal("563.10")},
    ),
    Workload(
        "vega-bert",
        "losing",
        start=date(2026, 3, 9),
        trn=Decimal("190.00"),
        epochs_a_day=Decimal("1.2"),
        investments=((date(2026, 2, 16), "engineering", Decimal("12000")),),
        parity="below_parity",
    ),
    Workload(
        "lyra-vit",
        "insufficient_baseline",
        start=date(2026, 7, 6),
        trn=Decimal("88.10"),
        investments=((date(2026, 6, 22), "engineering", Decimal("9000")),),
        reason="insufficient baseline: fewer than 2 qualifying GPU runs have ended",
    ),
    Workload(
        "draco-moe",
        "not_comparable",
        start=date(2026, 5, 4),
        trn=Decimal("402.00"),
        epochs_a_day=Decimal("0.3"),
        investments=((date(2026, 4, 13), "engineering", Decimal("18000")),),
        reason="no Trainium run shares recipe and unit of work with the GPU runs",
    ),
    Workload(
        "nova-70b",
        "investing",
        start=date(2026, 10, 5),
        investments=((date(2026, 10, 5), "engineering", Decimal("48000")),),
        trn_type="trn2.48xlarge",
        reason="no settled production run on Trainium yet",
        parity="pending",
    ),
)


def hostile(name: str) -> tuple[Workload, ...]:
    """The same world with its first workload renamed to whatever a tag may hold."""
    return (replace(WORKLOADS[0], name=name), *WORKLOADS[1:])


def publish(
    data: Path,
    workloads: Iterable[Workload] = WORKLOADS,
    *,
    snapshot_id: str = "000001",
    settled: date = SETTLED,
    through: date | None = None,
    edit: Callable[[dict[str, list[Row]]], None] = lambda tables: None,
) -> dict[str, list[Row]]:
    """Publishes a snapshot beside `data`/warehouse.duckdb and returns every table's rows.

    One of the same rows as another is a copy of it. `through` is the last settled day of the bill
    that is most behind, if that is none of the workloads'.
    """
    tables = ledger.tables(tuple(workloads), settled, AS_OF)
    edit(tables)
    tables["snapshot"] = [
        {
            "version": "0.1.0",
            "snapshot_id": snapshot_id,
            "as_of": AS_OF,
            "settled_through": through or settled,
            "basis": "effective",
            "baseline_method": "conservative",
            "edition": 2,
        }
    ]
    key = pickle.dumps(tables)
    if key in _PUBLISHED:
        _copy(_PUBLISHED[key], data / "snapshots")
    else:
        _PUBLISHED[key] = _publish(tables, data / "snapshots").read_bytes()
    return tables


_PUBLISHED: dict[bytes, bytes] = {}
"""What was published from the same rows before, in this process."""


def _copy(snapshot: bytes, folder: Path) -> None:
    """Publishes a snapshot file beside those that are there."""
    folder.mkdir(parents=True, exist_ok=True)
    number = max((int(file.stem) for file in folder.glob("*.duckdb")), default=0) + 1
    target = folder / f"{number:06}.duckdb"
    target.write_bytes(snapshot)
    atomic_files.replace_json(folder / POINTER, {"file": target.name})


def _publish(tables: dict[str, list[Row]], folder: Path) -> Path:
    """Makes a snapshot of these rows and of the marts that are sums over them."""
    with in_memory() as backend:
        for name, columns in {**MARTS, **EXPLAINERS}.items():
            _fill(backend, name, _table(tables[name], with_tags(columns, ("team",))))
        for name, made in _behind(tables).items():
            backend.con.register(name, _table(made, ibis.schema(BEHIND[name])))
        for summed in (accelerator_days, run_parts, counted_runs):
            of = {name: backend.table(name) for name in signature(summed).parameters}
            backend.raw_sql(f"DELETE FROM {summed.__name__}")
            backend.insert(summed.__name__, summed(**of))
        return Snapshots(folder).publish(backend, tables)


def _fill(backend: Backend, name: str, rows: pa.Table) -> None:
    backend.con.register("rows_of_table", rows)
    backend.raw_sql(f"CREATE TABLE {name} AS SELECT * FROM rows_of_table")
    backend.con.unregister("rows_of_table")


USUAL = {"unit": "epoch", "main": True}
BEHIND = {
    "unit_daily": {
        "date": "date", "workload": "string", "run": "string", "epochs": NUMBER,
        "settled": "boolean", "own": "boolean", "counted_in_unit": "boolean",
    },
}  # fmt: skip


def _behind(tables: dict[str, list[Row]]) -> dict[str, list[Row]]:
    """What `run_parts` and `counted_runs` read and no snapshot holds: settled days and their work.

    The work is on a day of its own, without a charge, and the unit counts all of it.
    """
    through = {r["workload"]: r["date"] for r in tables["savings_daily"] if r["settled"]}
    days = {
        (row["date"], row["workload"], row["run"])
        for row in tables["spend_daily"]
        if row.get("run") and row["date"] <= through.get(row["workload"], row["date"])
    }
    names = ("date", "workload", "run", "epochs")
    work = [(None, r["workload"], r["run"], r["epochs"]) for r in tables["runs"]]
    rows = [*((*day, Decimal(0)) for day in sorted(days)), *work]
    usual = dict.fromkeys(("settled", "own", "counted_in_unit"), True)
    return {"unit_daily": [dict(zip(names, row, strict=True)) | usual for row in rows]}


def _table(rows: list[Row], schema: ibis.Schema) -> pa.Table:
    """`rows` in `schema`; a column that a row leaves out is unknown, but work is in epochs."""
    filled = [{n: _plain(row.get(n, USUAL.get(n))) for n in schema} for row in rows]
    return pa.Table.from_pylist(filled, schema=schema.to_pyarrow())


def _plain(value: object) -> object:
    return list(value.items()) if isinstance(value, Mapping) else value
