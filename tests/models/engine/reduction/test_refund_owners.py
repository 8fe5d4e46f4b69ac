"""Refunds without a tag take back the charge of the resource that they name (METHOD §2.2)."""

from __future__ import annotations

import shutil
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from models.config.settings import Settings
from models.engine.reduction import refund_owners
from tests.support.refunded_bills import (
    FORMS,
    OTHER,
    TRN1,
    Line,
    behind,
    built,
    configured,
    deliver,
    hours,
    owner,
    refund,
    spent,
)
from tests.support.world import Marts

STORY = [
    hours("2025-09-02T00:00", 10, "i-1", tags=owner("t1", team="blue")),
    refund("2025-09-02T03:00", 2, "i-1"),
    hours("2025-09-03T00:00", 5, "i-2", tags=owner("t2")),
    refund("2025-09-03T00:00", 1, "i-2", billed="2025-10"),
    refund("2025-09-03T00:00", 1, "i-2", billed="2025-10", account=OTHER),
    # two runs in a day: of an hour one is known, of the day their workload
    hours("2025-09-04T00:00", 5, "i-3", tags=owner("t3")),
    hours("2025-09-04T05:00", 4, "i-3", tags=owner("t4")),
    refund("2025-09-04T00:00", 1, "i-3"),
    refund("2025-09-04T00:00", 3, "i-3", lasts=24),
    # two workloads': nobody knows whose
    hours("2025-09-06T00:00", 4, "i-6", tags=owner("t6")),
    hours("2025-09-06T04:00", 4, "i-6", tags=owner("b6", "borea")),
    refund("2025-09-06T00:00", 1, "i-6", lasts=24),
    # the same run's, whose team changed; what another SKU's charges say does not matter
    hours("2025-09-07T00:00", 4, "i-7", tags=owner("t7", team="blue")),
    hours("2025-09-07T04:00", 4, "i-7", tags=owner("t7", team="red")),
    {**hours("2025-09-07T00:00", 2, "i-7"), "type": "m5.large"},
    refund("2025-09-07T00:00", 3, "i-7", lasts=24),
    # nobody's, and nobody knows which
    hours("2025-09-05T00:00", 3, "i-4"),
    refund("2025-09-05T00:00", 1, "i-4"),
    refund("2025-09-05T00:00", 1, "i-9"),
    # of the whole month, for an hour of its tenth day
    hours("2025-09-10T07:00", 3, "i-5", tags=owner("t5")),
    refund("2025-09-01T00:00", 1, "i-5", lasts=30 * 24),
    # what a refund says itself stands, and is not contradicted
    refund("2025-09-10T07:00", 1, "i-5", tags={"workload": "atlas-7b"}),
    refund("2025-09-10T07:00", 1, "i-5", tags=owner("t2")),
    refund("2025-09-10T07:00", 1, "i-5", tags={"workload": "borea"}),
    {**hours("2025-10-30T00:00", 1, "i-8"), "hours": 0},
]  # fmt: skip
LEFT = [
    ("2025-09", "direct", "2025-09-02", "t1", 10 - 2),
    ("2025-09", "direct", "2025-09-03", "t2", 5),
    ("2025-09", "direct", "2025-09-04", "t3", 5 - 1),
    ("2025-09", "direct", "2025-09-04", "t4", 4),
    ("2025-09", "direct", "2025-09-06", "b6", 4),
    ("2025-09", "direct", "2025-09-06", "t6", 4),
    ("2025-09", "direct", "2025-09-07", "t7", 4 + 4 - 3),
    ("2025-09", "direct", "2025-09-10", "t2", -1),
    ("2025-09", "direct", "2025-09-10", "t5", 3 - 1 - 1),
    ("2025-09", "other", "2025-09-07", None, 2),
    ("2025-09", "overhead", "2025-09-10", None, -1),
    ("2025-09", "shared", "2025-09-04", "t3", Decimal("-1.5")),
    ("2025-09", "shared", "2025-09-04", "t4", Decimal("-1.5")),
    ("2025-09", "untagged", "2025-09-05", None, 3 - 1 - 1),
    ("2025-09", "untagged", "2025-09-06", None, -1),
    ("2025-10", "direct", "2025-09-03", "t2", -1),
    ("2025-10", "untagged", "2025-09-03", None, -1),
]
"""Hours by billing month, bucket, day and run; each is $16."""


@pytest.fixture(scope="module", params=FORMS)
def settings(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    found = deliver(tmp_path_factory.mktemp(request.param), STORY, request.param)
    built(found)
    return found


def test_a_refund_goes_to_the_run_whose_resource_it_names(settings: Settings) -> None:
    assert spent(settings) == LEFT


def test_its_tags_are_those_of_the_charge(settings: Settings) -> None:
    rows = Marts(settings).rows(
        "SELECT tag_team AS team, sum(instance_hours) AS hours FROM spend_daily WHERE run = 't1' "
        "GROUP BY team"
    )
    assert rows == [{"team": "blue", "hours": 8}]


def test_the_buckets_are_the_bill(settings: Settings) -> None:
    """Of 48 hours 16 came back in September, and two in October: one of t2, one of no one."""
    rows = Marts(settings).rows(
        "SELECT month, sum(direct) AS direct, sum(overhead) AS overhead, "
        "sum(shared) AS shared, sum(untagged) AS untagged, sum(other) AS other, "
        "sum(refund) AS refund, sum(bill_total) AS total, "
        "sum(remainder) AS remainder FROM tie_out WHERE basis = 'effective' GROUP BY ALL ORDER BY 1"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("2025-09", 16 * 34, 16 * -1, 16 * -3, 0, 16 * 2, 0, 16 * 32, 0),
        ("2025-10", 16 * -1, 0, 0, 16 * -1, 0, 0, 16 * -2, 0),
    ]


def test_the_lines_behind_a_run_are_its_hours_and_what_took_them_back(settings: Settings) -> None:
    assert behind(settings, "run IN ('t1', 't5')") == {"t1": (2, 16 * 8), "t5": (3, 16)}
    others = behind(settings, "run = 't2' OR attribution = 'untagged'")
    assert others == {"t2": (3, 16 * 3), "untagged": (6, -16)}


def bought(run: str, *rest: Line) -> list[Line]:
    """A run's two hours in September, of which one is paid back in October; and `rest`."""
    return [
        hours("2025-09-02T00:00", 2, "i-1", tags=owner(run)),
        refund("2025-09-02T00:00", 1, "i-1", billed="2025-10"),
        *rest,
    ]


def of_runs(settings: Settings) -> dict[str, Decimal]:
    query = "SELECT coalesce(run, attribution) AS run, sum(effective_cost) AS cost "
    rows = Marts(settings).rows(f"{query} FROM spend_daily GROUP BY ALL ORDER BY 1")
    return {row["run"]: row["cost"] for row in rows}


def test_an_instance_of_a_run_is_no_more_its_pods_than_it_was(tmp_path: Path) -> None:
    """Pods divide what is paid back of an instance that they divide, and nothing of a run's own."""
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
    built(settings)
    assert of_runs(settings) == {"t1": 8 * 16, "t3": 8 * 16}


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a bill that was built."""
    folder = tmp_path_factory.mktemp("once")
    built(deliver(folder, bought("t1")))
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
    settings = begun
    assert of_runs(settings) == {"t1": 16}
    deliver(tmp_path, bought("t2"))
    assert built(settings).reduced == 1
    assert of_runs(settings) == {"t2": 16}
    two = hours("2025-09-02T00:30", 1, "i-1", tags=owner("t3", "borea"))
    deliver(tmp_path, bought("t2", two))
    assert built(settings).reduced == 1
    assert of_runs(settings) == {"t2": 32, "t3": 16, "untagged": -16}
    deliver(
        tmp_path, [*bought("t2", two)[::2], refund("2025-09-02T01:30", 1, "i-1", billed="2025-10")]
    )
    assert built(settings).reduced == 1
    assert of_runs(settings) == {"t2": 16, "t3": 16}


def test_it_follows_a_correction_of_the_tags(begun: Settings, tmp_path: Path) -> None:
    first = Marts(begun).row("SELECT snapshot_id FROM snapshot")["snapshot_id"]
    again = built(begun)
    assert (again.snapshot_id, again.published, again.reduced) == (first, None, 0)
    rule = {"match": {"run": "t1"}, "run": "renamed"}
    settings = deliver(tmp_path, bought("t1"), tag_rules=[rule])
    built(settings)
    assert of_runs(settings) == {"renamed": 16}


def test_however_many_they_are_the_answer_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refund_owners, "MOST", 0)
    other = hours("2025-09-02T00:00", 1, "i-2", tags=owner("t2"))
    settings = deliver(tmp_path, bought("t1", other))
    built(settings)
    assert of_runs(settings) == {"t1": 16, "t2": 16}


def test_a_warehouse_of_an_earlier_version_is_made_anew(begun: Settings) -> None:
    settings = begun
    with duckdb.connect(str(settings.warehouse_file)) as earlier:
        earlier.execute("DROP VIEW counted_lines; DROP TABLE reduced_refunds")
        earlier.execute("ALTER TABLE reduced_lines DROP COLUMN corrects")
    assert built(settings).reduced == 2
    assert of_runs(settings) == {"t1": 16}


def test_a_bill_without_such_refunds_asks_nothing(tmp_path: Path) -> None:
    """What a tag says, a lump sum, idle hours or a block's fee needs no charge to be found."""
    tagged = refund("2025-09-02T00:00", 1, "i-1", tags=owner("t1"))
    lump, fee = (
        refund("2025-09-02T00:00", 1, None, kind=kind) for kind in ("", f"CapacityBlockFee:{TRN1}")
    )
    idle = refund("2025-09-02T00:00", 1, None, held="Unused")
    settings = deliver(tmp_path, [bought("t1")[0], tagged, lump, fee, idle])
    built(settings)
    with duckdb.connect(str(settings.warehouse_file), read_only=True) as kept:
        asked = kept.execute("SELECT count(corrects), count(*) FROM reduced_lines").fetchall()
        view = kept.execute("SELECT sql FROM duckdb_views() WHERE view_name = 'counted_lines'")
        assert asked == [(0, 5)]
        assert "reduced_refunds" not in str(view.fetchall())
