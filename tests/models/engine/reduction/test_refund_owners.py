"""Owners of refunds follow the bill, its tags and its instances (METHOD §2.2)."""

from __future__ import annotations

import shutil
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from models.config.settings import Settings
from models.engine.reduction import charges_of_resources
from tests.support import shared_worlds
from tests.support.bills.refunded_bills import (
    TRN1,
    Line,
    configured,
    deliver,
    hours,
    owner,
    refund,
)
from tests.support.some_marts import SomeMarts, some_marts


def bought(run: str, *rest: Line) -> list[Line]:
    """A run's two hours in September, of which one is paid back in October; and `rest`."""
    return [
        hours("2025-09-02T00:00", 2, "i-1", tags=owner(run)),
        refund("2025-09-02T00:00", 1, "i-1", billed="2025-10"),
        *rest,
    ]


def of_runs(marts: SomeMarts) -> dict[str, Decimal]:
    query = "SELECT coalesce(run, attribution) AS run, sum(effective_cost) AS cost "
    rows = marts.rows(f"{query} FROM spend_daily GROUP BY ALL ORDER BY 1")
    return {row["run"]: row["cost"] for row in rows}


def spend(settings: Settings) -> SomeMarts:
    return some_marts(settings, "spend_daily")


def test_an_instance_of_a_run_is_no_more_its_pods_than_it_was(tmp_path: Path) -> None:
    """Pods divide what is paid back of an instance that they divide, and nothing of a run's own.

    The pod of t3 holds one accelerator of sixteen; the other fifteen stood idle.
    """
    story = [
        hours("2025-09-02T00:00", 10, "i-1", tags=owner("t1")),
        refund("2025-09-02T00:00", 2, "i-1"),
        hours("2025-09-02T00:00", 10, "i-2"),
        refund("2025-09-02T00:00", 2, "i-2"),
    ]
    pods = [
        hours("2025-09-02T00:00", 10, f"pod-{n}", host=host, tags=owner(run))
        for n, host, run in ((1, "i-1", "t2"), (2, "i-2", "t3"))
    ]
    settings = deliver(tmp_path, [*story, *pods])
    assert of_runs(spend(settings)) == {"t1": 8 * 16, "t3": 8, "cluster_idle": 8 * 15}


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a bill that was built."""
    folder = tmp_path_factory.mktemp("once")
    spend(deliver(folder, bought("t1")))
    return folder


@pytest.fixture
def begun(once: Path, tmp_path: Path) -> Settings:
    """Of a copy of it."""
    shutil.copytree(once, tmp_path, dirs_exist_ok=True)
    return configured(tmp_path)


def test_it_follows_a_restatement_of_the_charge_and_of_the_refund(
    begun: Settings, tmp_path: Path
) -> None:
    """The bill of the other month is not read again to be reduced."""

    def restated(*bill: Line) -> dict[str, Decimal]:
        marts = spend(deliver(tmp_path, [*bill]))
        assert marts.reduced == 1
        return of_runs(marts)

    assert restated(*bought("t2")) == {"t2": 16}
    two = hours("2025-09-02T00:30", 1, "i-1", tags=owner("t3", "borea"))
    assert restated(*bought("t2", two)) == {"t2": 32, "t3": 16, "untagged": -16}
    later = refund("2025-09-02T01:30", 1, "i-1", billed="2025-10")
    assert restated(*bought("t2", two)[::2], later) == {"t2": 16, "t3": 16}


def test_it_follows_a_correction_of_the_tags(begun: Settings, tmp_path: Path) -> None:
    again = spend(begun)
    assert (of_runs(again), again.reduced) == ({"t1": 16}, 0)
    rule = {"match": {"run": "t1"}, "run": "renamed"}
    settings = deliver(tmp_path, bought("t1"), tag_rules=[rule])
    assert of_runs(spend(settings)) == {"renamed": 16}


def test_however_many_they_are_the_answer_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(charges_of_resources, "MOST", 0)
    other = hours("2025-09-02T00:00", 1, "i-2", tags=owner("t2"))
    settings = deliver(tmp_path, bought("t1", other))
    with shared_worlds.computed_anew():
        assert of_runs(spend(settings)) == {"t1": 16, "t2": 16}


@pytest.mark.parametrize("typed", [False, True], ids=["text", "timestamps"])
def test_charges_of_the_refund_s_time_count_however_long_they_last(
    tmp_path: Path, *, typed: bool
) -> None:
    """Where times are typed, only lines near the refunds are read: a day's line is one."""
    story = bought(
        "t1",
        hours("2025-09-19T06:00", 24, "i-3", tags=owner("t3")),
        refund("2025-09-20T05:00", 1, "i-3", billed="2025-10"),
        hours("2025-09-25T00:00", 1, "i-1", tags=owner("t9")),
        hours("2025-09-28T00:00", 1, "i-3", tags=owner("t8")),
    )
    marts = spend(deliver(tmp_path, story, typed=typed))
    assert of_runs(marts) == {"t1": 16, "t3": 23 * 16, "t8": 16, "t9": 16}


def test_a_warehouse_of_an_earlier_version_is_made_anew(begun: Settings) -> None:
    with duckdb.connect(str(begun.warehouse_file)) as earlier:
        earlier.execute("DROP VIEW counted_lines; DROP TABLE reduced_refunds")
        earlier.execute("ALTER TABLE reduced_lines DROP COLUMN corrects")
    marts = spend(begun)
    assert marts.reduced == 2
    assert of_runs(marts) == {"t1": 16}


def test_a_bill_without_such_refunds_asks_nothing(tmp_path: Path) -> None:
    """What a tag says, a lump sum, idle hours or a block's fee needs no charge to be found."""
    tagged = refund("2025-09-02T00:00", 1, "i-1", tags=owner("t1"))
    lump, fee = (
        refund("2025-09-02T00:00", 1, None, kind=kind) for kind in ("", f"CapacityBlockFee:{TRN1}")
    )
    idle = refund("2025-09-02T00:00", 1, None, held="Unused")
    settings = deliver(tmp_path, [bought("t1")[0], tagged, lump, fee, idle])
    assert some_marts(settings, "spend_reduced").reduced == 1
    with duckdb.connect(str(settings.warehouse_file), read_only=True) as kept:
        asked = kept.execute("SELECT count(corrects), count(*) FROM reduced_lines").fetchall()
        view = kept.execute("SELECT sql FROM duckdb_views() WHERE view_name = 'counted_lines'")
        assert asked == [(0, 5)]
        assert "reduced_refunds" not in str(view.fetchall())
