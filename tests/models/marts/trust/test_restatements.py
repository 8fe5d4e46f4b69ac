"""What AWS changed of a delivered bill, a second time in plain SQL over the files themselves."""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path

import duckdb
import ibis
import pyarrow as pa
import pytest

from ingest.pull import pull
from models.config.loading import validated_settings
from models.contract import schema
from models.marts.trust.late_changes import late_changes
from tests.conftest import migrated
from tests.support.marts.hand_written_tables import rows, table
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World, write

D = Decimal
OTHER = "999900000002"
ASKED = ("freshness", "late_changes", "restatements")


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """Three deliveries: September and the feed of progress change, October is new in the third."""
    world = World(tmp_path_factory.mktemp("restated"))
    bill(world, "10.25", "4")
    world.sample("2025-09-01T00:00:00", "r", 1)
    world.pulled()
    bill(world, "9.125", "4")
    world.sample("2025-09-02T00:00:00", "r", 2)
    world.pulled()
    bill(world, "9.5", "7")
    world.charge("2025-10-02T00:00:00", "3", x_UsageType="Requests-Tier1")
    return some_marts(world.pulled(), *ASKED)


def bill(world: World, cost: str, other: str) -> None:
    world.charges.clear()
    world.charge("2025-09-01T00:00:00", cost, x_UsageType="Requests-Tier1", EffectiveCost="8")
    world.charge(
        "2025-09-01T00:00:00",
        other,
        x_UsageType="Requests-Tier1",
        SubAccountId=OTHER,
        BillingAccountId=OTHER,
    )


def test_every_change_stands_with_its_old_and_its_new_total(marts: Marts) -> None:
    rows = marts.rows("SELECT * FROM restatements ORDER BY pulled_at, account")
    names = ("month", "account", "old_billed", "new_billed", "billed_change", "effective_change")
    assert [tuple(row[name] for name in names) for row in rows] == [
        ("2025-09", "999900000001", D("10.25"), D("9.125"), D("-1.125"), D(0)),
        ("2025-09", "999900000001", D("9.125"), D("9.5"), D("0.375"), D(0)),
        ("2025-09", OTHER, D(4), D(7), D(3), D(3)),
    ]
    assert {(row["source"], row["settled"], row["counted"]) for row in rows} == {
        ("focus", True, True)
    }


def test_the_changes_add_up_to_the_difference_of_first_and_last_bill(marts: Marts) -> None:
    files = sorted((marts.settings.data / "raw" / "focus").rglob("*.parquet"))
    first, *_, last = sorted(files, key=lambda file: file.parent.name)
    sums = "SELECT sum(BilledCost::DECIMAL(38, 9)) FROM read_parquet(?) WHERE {}"
    september = sums.format("ChargePeriodStart < '2025-10'")
    totals = [duckdb.execute(september, [str(file)]).fetchall()[0][0] for file in (first, last)]
    changed = marts.row("SELECT sum(billed_change) AS change FROM restatements")["change"]
    assert changed == totals[1] - totals[0] == D("2.25")


def test_freshness_sums_what_settled_months_changed_on_the_basis(marts: Marts) -> None:
    rows = marts.rows("SELECT source, account, restated_cost FROM freshness ORDER BY ALL")
    assert [tuple(row.values()) for row in rows] == [
        ("focus", "999900000001", D(0)),
        ("focus", OTHER, D(3)),
        ("prices", None, None),
        ("progress_file", None, None),
    ]


def test_a_reader_is_told_the_months_their_sum_and_since_when(marts: Marts) -> None:
    """September moved by 0, 0 and 3 effective dollars; October was not settled."""
    (row,) = marts.rows("SELECT * FROM late_changes")
    success = marts.row("SELECT max(last_success) AS at FROM freshness WHERE source = 'focus'")
    assert (row["month"], row["change"], row["total"]) == ("2025-09", D(3), D(3))
    assert row["since"] == success["at"] - timedelta(days=35)
    newest = marts.row("SELECT max(pulled_at) AS at FROM restatements")
    assert row["changed_at"] == newest["at"]


def test_one_unknown_change_makes_the_month_and_the_sum_unknown() -> None:
    """A report that did not tell what is effective, and one that did."""
    when = datetime(2026, 9, 20, 6)  # noqa: DTZ001 - as a table has it
    told = {"source": "focus", "settled": True, "counted": True, "pulled_at": when}
    changes = [(f"2026-0{n}", change, D(1)) for n, change in ((6, D(2)), (7, None), (7, D(5)))]
    rows = [told | {"month": m, "effective_change": e, "billed_change": b} for m, e, b in changes]
    old = {**rows[0], "month": "2026-05", "pulled_at": when - timedelta(days=40)}
    columns = ibis.schema({name: schema.MARTS["restatements"][name] for name in rows[0]})
    changed = pa.Table.from_pylist([*rows, old], schema=columns.to_pyarrow())
    restatements = ibis.memtable(changed)
    fresh = pa.table({"source": ["focus"], "last_success": [when]})
    found = {
        basis: late_changes(
            restatements,
            ibis.memtable(fresh),
            validated_settings({"cost": {"basis": basis}}, home=Path()),
        ).order_by("month").to_pyarrow().to_pylist()
        for basis in ("effective", "billed")
    }  # fmt: skip
    assert [(row["month"], row["change"], row["total"]) for row in found["effective"]] == [
        ("2026-06", D(2), None), ("2026-07", None, None),
    ]  # fmt: skip
    assert [(row["month"], row["change"], row["total"]) for row in found["billed"]] == [
        ("2026-06", D(1), D(3)), ("2026-07", D(2), D(3)),
    ]  # fmt: skip


def test_only_late_changes_of_settled_months_that_count_are_told() -> None:
    """August came back to what it was; May changed 35 days before the newest success."""
    when = datetime(2026, 9, 20, 6)  # noqa: DTZ001 - as a table has it
    told: list[tuple[str, int, int, dict[str, object]]] = [
        ("2026-07", -1, 0, {}),
        ("2026-06", 2, 1, {}),
        ("2026-06", 3, 2, {}),
        ("2026-08", 4, 1, {}),
        ("2026-08", -4, 2, {}),
        ("2026-05", 9, 35, {}),
        ("2026-04", 9, 1, {"settled": False}),
        ("2026-03", 9, 1, {"counted": False}),
        ("2026-02", 9, 1, {"source": "cur2"}),
    ]
    usual = {"source": "focus", "settled": True, "counted": True}
    changes = [
        {"month": month, "effective_change": change, "pulled_at": when - timedelta(days=days)}
        for month, change, days, _ in told
    ]
    lines = [usual | change | said for change, (*_, said) in zip(changes, told, strict=True)]
    feeds = {"source": "string", "last_success": "timestamp"}
    answers = ({"source": "focus", "last_success": when - timedelta(days=n)} for n in (10, 0))
    found = late_changes(
        table(schema.MARTS["restatements"], *lines),
        table(feeds, *answers),
        validated_settings({}, home=Path()),
    )
    since = when - timedelta(days=35)
    assert rows(found, "month", "change", "total", "changed_at", "since") == [
        ("2026-06", 5, 4, when - timedelta(days=1), since),
        ("2026-07", -1, 4, when, since),
    ]


def test_the_history_survives_a_deleted_warehouse(marts: Marts) -> None:
    """No snapshot was ever published of it either: the raw zone knows."""
    assert not (marts.settings.data / "snapshots").exists()
    history = "SELECT * FROM restatements ORDER BY ALL"
    marts.settings.warehouse_file.unlink()
    assert some_marts(marts.settings, "restatements").rows(history) == marts.rows(history) != []


def test_a_feed_that_never_answered_has_a_row_that_says_why(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.charge("2025-09-01T00:00:00", 1, x_UsageType="Requests-Tier1")
    world.config["as_of"] = None
    world.pulled()
    failing = {"kind": "progress_file", "location": "nowhere.csv"}
    settings = world.settings(sources=[{"kind": "focus", "location": "bill.csv"}, failing])
    pull(settings)
    rows = some_marts(settings, "freshness").rows("SELECT * FROM freshness ORDER BY source")
    told = {row["source"]: (row["stale"], (row["why"] or "").partition(": /")[0]) for row in rows}
    assert told == {
        "focus": (False, ""),
        "prices": (False, ""),
        "progress_file": (True, "progress_file: no progress file found"),
    }
    assert rows[2]["last_success"] is None
    assert rows[2]["last_attempt"] is not None


def lay(world: World) -> None:
    """The bill in a folder a month, and the logs, as they are now; what is gone is gone."""
    shutil.rmtree(world.folder / "bill", ignore_errors=True)
    for name in {charge["ChargePeriodStart"][:7] for charge in world.charges}:
        month = world.folder / "bill" / f"BILLING_PERIOD={name}"
        month.mkdir(parents=True)
        billed = [line for line in world.charges if line["ChargePeriodStart"].startswith(name)]
        write(month / "bill.csv", billed)
    world.config["sources"] = [
        {"kind": "focus", "location": "bill"},
        {"kind": "progress_file", "location": "progress.csv"},
    ]


def told(world: World) -> Marts:
    """What is published of them."""
    lay(world)
    return world.build()


def found(world: World) -> Marts:
    """What is known of them, published or not."""
    lay(world)
    return some_marts(world.pulled(), "runs", "break_even")


def spent(marts: Marts) -> dict[str, tuple[Decimal | None, Decimal]]:
    """Cost and accelerator-hours of each Trainium run."""
    rows = marts.rows(
        "SELECT run, cost, accelerator_hours AS hours FROM runs WHERE run NOT LIKE 'g%'"
    )
    return {row["run"]: (row["cost"], row["hours"]) for row in rows}


def test_what_a_corrected_month_no_longer_tells_is_in_no_mart(tmp_path: Path) -> None:
    """A day of t3 and all of t4, x1 and the box of $300: first not billed, then not logged.

    METHOD §8 A: an epoch costs $175.875 on GPU; of t1 and t2 303.50 and 359.375 are saved, t3 makes
    6 epochs. An hour is $16 and 16 accelerator-hours.
    """
    others = D("303.50") + D("359.375")
    world = migrated(World(tmp_path / "corrected"))
    logs = [*world.samples]
    bill = [charge for charge in world.charges if charge["ChargePeriodStart"][:10] != "2025-09-16"]
    world.run("t4", "trn1.32xlarge", "2025-09-20T00:00:00", 10, 16, 2)
    world.run("x1", "trn1.32xlarge", "2025-09-20T00:00:00", 10, 16, 2, workload="ghost")
    world.hours("2025-09-22T00:00:00", 20, "trn1.32xlarge", 15, {"workload": "atlas-7b"})
    before = found(world)
    assert spent(before) == {
        "t1": (400, 400), "t2": (520, 520), "t3": (580, 580), "t4": (160, 160), "x1": (160, 160),
    }  # fmt: skip
    standing = before.standing()
    gross = others + D("475.25") + 2 * D("175.875") - 160
    assert standing["cumulative_gross_saving"] == gross
    assert standing["cumulative_net_saving"] == gross - 300

    world.charges = bill
    unbilled = found(world)
    assert spent(unbilled) == {
        "t1": (400, 400), "t2": (520, 520), "t3": (384, 384), "t4": (None, 0), "x1": (None, 0),
    }  # fmt: skip
    standing = unbilled.standing()
    gross = others + 6 * D("175.875") - 384
    for name in ("cumulative_gross_saving", "cumulative_net_saving"):
        assert standing[name] == gross
    assert standing["left_out"] == {"no_accelerator_hours": None}

    world.samples = logs
    after = told(world)
    assert spent(after) == {"t1": (400, 400), "t2": (520, 520), "t3": (384, 384)}
    assert after.standing()["cumulative_net_saving"] == gross
    alone = migrated(World(tmp_path / "alone"))
    alone.charges = bill
    same = "SELECT snapshot_id FROM snapshot"
    assert after.row(same) == told(alone).row(same)
