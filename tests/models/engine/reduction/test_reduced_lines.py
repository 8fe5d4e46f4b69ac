"""Bills that one statement reduces have the same sums as bills that are reduced one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path

import duckdb
import pytest
from ibis.backends.duckdb import Backend

from models.config.loading import validated_settings
from models.config.settings import Settings
from models.engine.context import BuildContext
from models.engine.reduction import machine_lines, reduced_lines
from models.engine.sql import mart_sql
from models.engine.warehouse import connection
from models.formats import allocations
from models.formats.bill import cur2, focus
from models.raw.delivery import Delivery, File
from models.raw.delivery_key import Key
from tests.support.bills.cur2_reports import reported
from tests.support.bills.odd_lines import CUR2, LINE, OTHERWISE
from tests.support.ingest.cut_off import cut_off

Lines = Sequence[Mapping[str, object]]
PULLED = datetime(2026, 10, 1, tzinfo=UTC)
FOCUS = [LINE | other for other in OTHERWISE]
REPORT = [
    reported("2025-09-02T05:00:00", kind, cost, net, line_item_usage_type=meter, **columns)
    for kind, cost, net, meter, columns in CUR2
]
GROSS = [line | {"line_item_net_unblended_cost": ""} for line in REPORT]
"""The same month and payer, of a report without net figures: a rebate of one is none of another."""
HELD = Delivery(Key("slurm", "hpc", "2026-09-02"), "held", allocations.stated.NAME, PULLED, ())


@pytest.fixture
def config(tmp_path: Path) -> Settings:
    rule = {"match": {"Name": "ruled"}, "run": "t9"}
    return validated_settings({"tags": {"extra": ["team"]}, "tag_rules": [rule]}, home=tmp_path)


def delivered(folder: Path, form: str, unit: str, *files: Lines) -> Delivery:
    """A delivery whose files have the same columns."""
    columns = list(dict.fromkeys(name for lines in files for line in lines for name in line))
    made = [File(f"{unit}-{n}.parquet", f"{unit}-{n}", len(lines), 1) for n, lines in zip(
        count(), files
    )]  # fmt: skip
    for file, lines in zip(made, files, strict=True):
        values = ", ".join(
            "(" + ", ".join(f"'{line.get(name) or ''}'" for name in columns) + ")" for line in lines
        )
        bill = duckdb.sql(f"FROM (VALUES {values}) AS lines({', '.join(columns)})")
        bill.write_parquet(str(folder / file.name))
    return Delivery(Key(unit, "export", "2026-09"), unit, form, PULLED, tuple(made), folder=folder)


def bills(folder: Path) -> list[Delivery]:
    """Four bills by FOCUS and two reports; one has two files, two the same lines."""
    names = list(dict.fromkeys(name for line in [*REPORT, *GROSS] for name in line))
    first, second = ([dict.fromkeys(names, "") | line for line in each] for each in (REPORT, GROSS))
    return [
        delivered(folder, focus.NAME, "whole", FOCUS),
        delivered(folder, focus.NAME, "parts", FOCUS[::2], FOCUS[1::2]),
        delivered(folder, focus.NAME, "few", FOCUS[:3]),
        delivered(folder, focus.NAME, "o'other", FOCUS[:9:-1]),
        delivered(folder, cur2.NAME, "net", first),
        delivered(folder, cur2.NAME, "gross", second),
    ]


def reduced(
    config: Settings, found: Sequence[Delivery], live: Sequence[Delivery]
) -> list[tuple[object, ...]]:
    """All rows that are stored of deliveries, those of machines among them."""
    with connection.in_memory() as backend:
        context = BuildContext.reading(config, backend, found, live)
        assert reduced_lines.reduce(context) == len(found)
        return stored(backend)


def stored(backend: Backend) -> list[tuple[object, ...]]:
    stores = [reduced_lines.STORE]
    if machine_lines.exists(backend):
        stores += [machine_lines.STORE, machine_lines.PODS]
    rows = [
        (store, *row) for store in stores for row in backend.con.sql(f"FROM {store}").fetchall()
    ]
    return sorted(rows, key=repr)


@pytest.mark.parametrize("live", [[], [HELD]], ids=["by day", "by machine"])
def test_sums_are_the_same_together_and_one_by_one(
    config: Settings, tmp_path: Path, live: list[Delivery], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = bills(tmp_path)
    together = reduced(config, found, live)
    monkeypatch.setattr(reduced_lines, "LINES_TOGETHER", 0)
    assert together == reduced(config, found, live)
    assert {row[2] for row in together} == {"whole", "parts", "few", "o'other", "net", "gross"}


@pytest.mark.parametrize(
    "statement",
    [
        f"CREATE OR REPLACE TEMP TABLE {machine_lines.SCANNED}",
        f"CREATE TABLE IF NOT EXISTS {machine_lines.PODS}",
        f"INSERT INTO {machine_lines.STORE}",
        f'INSERT INTO {reduced_lines.STORE} BY NAME SELECT "',
    ],
)
def test_cut_off_before_a_statement_a_bill_is_reduced_by_the_next_build(
    config: Settings, tmp_path: Path, statement: str
) -> None:
    found = [delivered(tmp_path, focus.NAME, "whole", FOCUS)]
    with connection.in_memory() as backend:
        context = BuildContext.reading(config, backend, found, [HELD])
        cut_off(backend, partial(reduced_lines.reduce, context), statement)
        assert reduced_lines.reduce(context) == 1
        assert stored(backend) == reduced(config, found, [HELD])


def test_a_bill_of_many_lines_is_reduced_by_itself(config: Settings, tmp_path: Path) -> None:
    found = bills(tmp_path)
    with connection.in_memory() as backend:
        context = BuildContext.reading(config, backend, found)
        due = [reduced_lines.bill_of(context, each, reduced_lines.HERE) for each in found]
    batches = reduced_lines.batches(due, most=len(FOCUS) + 3)
    grouped = [[bill.delivery.id for bill in batch] for batch in batches]
    assert sorted(grouped) == [["net", "gross"], ["o'other"], ["parts", "few"], ["whole"]]


def test_sums_are_kept_until_a_column_has_another_name_or_type(config: Settings) -> None:
    with connection.in_memory() as backend:
        context = BuildContext.reading(config, backend)
        columns = mart_sql.reduced_columns(config, context.sql_cache)
        columns = {**columns, **machine_lines.COLUMNS}
        (amount, *_) = [name for name, kind in columns.items() if kind.startswith("decimal")]

        def kept(wanted: Mapping[str, str]) -> set[str]:
            return reduced_lines.stored_keys(backend, reduced_lines.STORE, wanted)

        assert kept(columns) == set()
        for changed in ({amount: "decimal(38, 2)"}, {"another": "string"}):
            backend.con.execute(f"INSERT INTO {reduced_lines.STORE} (delivery) VALUES ('k')")
            assert kept(columns) == {"k"}
            assert kept({**columns, **changed}) == set()
            assert kept(columns) == set()
