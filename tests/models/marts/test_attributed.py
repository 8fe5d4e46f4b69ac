"""Charges that mean the same become one row, and nothing else does."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import ibis
import ibis.expr.types as ir
import pyarrow as pa
import pytest

from models import catalog, engines
from models.compiled import Compiled
from models.marts.attributed import attributed
from models.marts.charge_kinds import charge_kinds
from models.marts.hosted import hosted
from models.marts.usages import usages
from models.settings import parse

DAY = date(2026, 9, 1)
RUN = {"workload": "atlas", "run": "t1"}
HOURS = {"sku": "BoxUsage:trn1.32xlarge", "unit": "Hours", **RUN}
FEE = {"sku": "CapacityBlockFee:p5.48xlarge", "category": "Purchase", "quantity": None}


def row(billed: int, **said: object) -> dict[str, Any]:
    """A reduced charge of that many dollars on every basis."""
    costs = ("list_cost", "contracted_cost", "effective_cost", "billed_cost")
    usual = {"billing_period": DAY, "billing_account": "1", "account": "1", "date": DAY}
    marks = {"named": False, "invoiced": True, "free": billed == 0, "category": "Usage"}
    return {**usual, **marks, "quantity": 1, **dict.fromkeys(costs, billed), **said}


@pytest.fixture
def reduced(tmp_path: Path) -> Mapping[str, str]:
    settings = parse({"as_of": "2026-10-31"}, home=tmp_path)
    return engines.reduced_columns(settings, Compiled(tmp_path))


def found(reduced: Mapping[str, str], tmp_path: Path, *charges: dict[str, Any]) -> list[Any]:
    """Kind, hours and billed dollars of each row that the charges become."""
    backend = ibis.duckdb.connect()

    def table(name: str, columns: Mapping[str, str], rows: list[dict[str, Any]]) -> ir.Table:
        typed = ibis.schema(dict(columns)).to_pyarrow()
        known = [{column: line.get(column) for column in columns} for line in rows]
        backend.con.register(name, pa.Table.from_pylist(known, schema=typed))
        return backend.table(name)

    bill = table("spend_reduced", reduced, list(charges))
    known = engines.inputs(parse({}, home=tmp_path))["catalog"]
    kinds = table("catalog", known, [entry._asdict() for entry in catalog.accelerators()])
    said = usages(bill, kinds)
    owners = table("run_workloads", {"run": "string", "workload": "string"}, [])
    made = attributed(
        charge_kinds(bill, said),
        bill,
        said,
        owners,
        hosted(bill, said, owners),
        table(
            "settled_accounts",
            {"billing_account": "string", "settled_through": "date"},
            [{"billing_account": "1", "settled_through": DAY}],
        ),
        parse({"as_of": "2026-10-31"}, home=tmp_path),
    )
    columns = ("attribution", "component", "instance_hours", "billed_cost")
    rows = backend.to_pyarrow(made).to_pylist()
    return sorted((tuple(line[name] for name in columns) for line in rows), key=str)


def test_a_runs_many_usage_types_are_a_row_for_each_component(
    reduced: Mapping[str, str], tmp_path: Path
) -> None:
    disks = [row(2, sku=f"EBS:VolumeUsage.{kind}", unit="GB-Mo", **RUN) for kind in ("gp3", "io2")]
    assert found(reduced, tmp_path, row(20, **HOURS), row(22, **HOURS, provider="AWS"), *disks) == [
        ("direct", "accelerator", Decimal(2), Decimal(42)),
        ("direct", "storage", None, Decimal(4)),
    ]


def test_hours_taken_back_stand_apart_from_hours_used(
    reduced: Mapping[str, str], tmp_path: Path
) -> None:
    back = row(0, **HOURS, commitment="plan", quantity=-1)
    assert found(reduced, tmp_path, row(0, **HOURS, commitment="plan"), back) == [
        ("direct", "accelerator", Decimal(-1), Decimal(0)),
        ("direct", "accelerator", Decimal(1), Decimal(0)),
    ]


def test_a_fee_and_its_refund_of_the_same_day_stand_apart(
    reduced: Mapping[str, str], tmp_path: Path
) -> None:
    assert found(reduced, tmp_path, row(3000, **FEE), row(-3000, **FEE)) == [
        ("purchase", "other", None, Decimal(-3000)),
        ("purchase", "other", None, Decimal(3000)),
    ]


def test_rows_of_pods_are_no_charges(reduced: Mapping[str, str], tmp_path: Path) -> None:
    pods = row(1, sku="EKSPod-EC2:trn1.32xlarge", unit="Hours", **RUN)
    assert found(reduced, tmp_path, row(20, **HOURS), pods) == [
        ("direct", "accelerator", Decimal(1), Decimal(20))
    ]
