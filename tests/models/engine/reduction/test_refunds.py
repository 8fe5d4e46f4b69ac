"""Refunds without a tag take back the charge that they name (METHOD §2.2).

They name a resource, a reservation, a commitment or only a usage type. One bill tells it all.
"""

from __future__ import annotations

import shutil
from decimal import Decimal
from functools import partial
from pathlib import Path

import pytest

from models.config.settings import Settings
from tests.support.bills.refund_stories import (
    BY_NAME,
    BY_RESOURCE,
    PURCHASED,
    STORY,
    held,
    plan,
    used,
)
from tests.support.bills.refunded_bills import (
    FORMS,
    TRN1,
    behind,
    built,
    configured,
    deliver,
    spent,
)
from tests.support.some_marts import SomeMarts, published, some_marts
from tests.support.world import Marts, World

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


NAMED_LEFT = {
    "r11": 5 - 2, "b11": 3, "r12": 4, "b12": 4, "r14": 5 + 2 - 2, "c15": 3 - 1, "c51": 6 - 2,
    "r16": 5, "b16": 1, "r17": 4, "r18": 4, "r19": 4, "r20": 4, "r22": 4, "r23": 4 - 1, "r24": 4,
    "b24": 4, "r25": 4 - 1, "r26": 4 - 1, "r27": 4 - 1, "b27": 4, "r28": 4 - 2 + 1, "r29": 4,
    "r30": 4 - 1, "b30": 1, "r38": 4 - 1, "r39": 4 - 1,
    "d61": 6 - 3, "d62": 2 - 1, "d63": 3 - Decimal("1.5"), "d64": 1 - Decimal("0.5"),
}  # fmt: skip
"""Hours by run."""
UNTAGGED = {
    ("2025-09", "2025-09-04"): 2 + 2,
    ("2025-10", "2025-09-04"): -1 - 1 - 1 - 1 - 1 - 1 - 1 - 1,
    ("2025-10", "2025-09-05"): -1,
}
"""Of cr-12, two workloads', beside nobody's, another region, account, resource, payer; and day."""


@pytest.fixture(scope="module", params=FORMS)
def settings(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The marts that are asked, in one form all of them: its copy is built once more."""
    found = deliver(tmp_path_factory.mktemp(request.param), STORY, request.param)
    if request.param == "focus-1-2":
        built(found)
    else:
        published(found, "runs", "spend_daily", "tie_out")
    return found


@pytest.fixture(scope="module")
def lines(settings: Settings) -> dict[str, tuple[int, Decimal]]:
    """How many lines stand behind runs and buckets, and their dollars."""
    return behind(
        settings,
        f"run IN ('t1', 't2', 't5') OR attribution = 'untagged' AND {BY_RESOURCE} "
        "OR run = 'r11' OR run = 'r14' AND instance_type LIKE '%32xlarge' "
        "OR attribution = 'untagged' AND account = '999900000117' "
        "OR run IN ('r31', 'r35', 'r38', 'd62')",
    )


def test_a_refund_goes_to_the_run_whose_resource_it_names(settings: Settings) -> None:
    assert spent(Marts(settings), BY_RESOURCE) == LEFT


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
        "sum(remainder) AS remainder FROM tie_out WHERE basis = 'effective' "
        f"AND {BY_RESOURCE} GROUP BY ALL ORDER BY 1"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("2025-09", 16 * 34, 16 * -1, 16 * -3, 0, 16 * 2, 0, 16 * 32, 0),
        ("2025-10", 16 * -1, 0, 0, 16 * -1, 0, 0, 16 * -2, 0),
    ]


def test_the_lines_behind_a_run_are_its_hours_and_what_took_them_back(
    lines: dict[str, tuple[int, Decimal]],
) -> None:
    assert {run: lines[run] for run in ("t1", "t5")} == {"t1": (2, 16 * 8), "t5": (3, 16)}
    others = {name: lines[name] for name in ("t2", "untagged 201", "untagged 002")}
    assert others == {"t2": (3, 16 * 3), "untagged 201": (5, 0), "untagged 002": (1, -16)}


def test_it_goes_to_the_run_whose_charges_alone_it_can_mean(settings: Settings) -> None:
    rows = [row for row in spent(Marts(settings), BY_NAME) if row[3]]
    assert {run: sum(row[4] for row in rows if row[3] == run) for *_, run, _ in rows} == NAMED_LEFT
    taken = {(bucket, day, run): number for _, bucket, day, run, number in rows if number < 0}
    assert taken == {
        ("direct", "2025-09-04", "r11"): -2,
        ("direct", "2025-09-04", "r14"): -2,
        ("shared", "2025-09-04", "c15"): -1,
        ("shared", "2025-09-04", "c51"): -2,
        ("direct", "2025-09-04", "r23"): -1,
        ("direct", "2025-09-04", "r25"): -1,
        ("direct", "2025-09-05", "r26"): -1,
        ("direct", "2025-09-04", "r30"): -1,
        ("direct", "2025-09-04", "r27"): -1,
        ("direct", "2025-09-04", "r38"): -1,
        ("direct", "2025-09-04", "r39"): -1,
        ("shared", "2025-09-04", "d61"): -3,
        ("shared", "2025-09-05", "d62"): -1,
        ("shared", "2025-09-06", "d63"): Decimal("-1.5"),
        ("shared", "2025-09-07", "d64"): Decimal("-0.5"),
    }


def test_it_stays_untagged_where_it_may_be_another_s(settings: Settings) -> None:
    rows = [row for row in spent(Marts(settings), BY_NAME) if not row[3]]
    assert {bucket for _, bucket, *_ in rows} == {"untagged"}
    assert {(month, day): number for month, _, day, _, number in rows} == UNTAGGED


def test_the_lines_behind_a_run_tell_what_was_taken_back(
    lines: dict[str, tuple[int, Decimal]],
) -> None:
    found = {name: lines[name] for name in ("r11", "r14", "r38", "untagged 117")}
    told = {"r11": (2, 16 * 3), "r14": (2, 16 * 3), "r38": (2, 16 * 3), "untagged 117": (2, 16)}
    assert found == told
    assert (lines["d62"], lines["shared 140"]) == ((1, 16 * 2), (1, -16))


def test_a_commitment_s_fee_is_no_run_s_and_what_it_covered_is(settings: Settings) -> None:
    """Dollars by bucket, run and account: effective, and as billed."""
    rows = Marts(settings).rows(
        "SELECT attribution, coalesce(run, account[-2:]) AS whose, sum(effective_cost) / 16 AS e, "
        f"sum(billed_cost) / 16 AS b FROM spend_daily WHERE {PURCHASED} "
        "GROUP BY ALL HAVING e != 0 OR b != 0"
    )
    assert {(row["attribution"], row["whose"]): (row["e"], row["b"]) for row in rows} == {
        ("direct", "r31"): (10 - 2, -2),
        ("direct", "b31"): (5, 5),
        ("direct", "r32"): (4 - 1, -1),
        ("direct", "b32"): (5, 5),
        ("tax", "31"): (1, 1),
        ("purchase", "31"): (-3, 50 - 3),
        ("idle_commitment", "33"): (40 - 4, -4),
        ("direct", "r34"): (4, 0),
        ("other", "34"): (-1, -1),
        ("direct", "r35"): (4 - 1, 4 - 1),
        ("direct", "r36"): (4, 4),
        ("idle_commitment", "36"): (2, 2),
        ("other", "36"): (-1, -1),
        ("direct", "r37"): (4 - 1, 4 - 1),
        ("idle_commitment", "37"): (2, 2),
    }
    rest = Marts(settings).rows("SELECT DISTINCT remainder FROM tie_out")
    assert rest == [{"remainder": 0}]


def test_the_lines_of_a_report_with_all_of_it_are_found(
    lines: dict[str, tuple[int, Decimal]],
) -> None:
    """What was given back by name, and what plans and reservations covered, in one bill."""
    found = {run: lines[run] for run in ("r31", "r35")}
    assert found == {"r31": (2, 16 * 8), "r35": (2, 16 * 3)}
    assert len(lines) == 13


GPU, PLAN = "p4d.24xlarge", plan("co")["plan"]
NAMES = {
    "a reservation": {"CapacityReservationId": held("re")["reserved"]},
    "a plan": {"CommitmentDiscountId": PLAN, "CommitmentDiscountStatus": "Used"},
    "a usage type": {"SubAccountId": "999900000177"},
}
"""What g1 alone bears, and the refund of $100."""


@pytest.fixture(scope="module")
def refunded_gpu(tmp_path_factory: pytest.TempPathFactory) -> SomeMarts:
    """METHOD §8 A for each of `NAMES`."""
    world = World(tmp_path_factory.mktemp("gpu"))
    for name, bears in NAMES.items():
        run = partial(world.run, workload=name)
        before = len(world.charges)
        run("g1", GPU, "2025-05-01", 100, 25, 10)
        for line in world.charges[before:]:
            line.update(bears)
        box = {"x_UsageType": f"BoxUsage:{GPU}", "ChargeClass": "Correction", "ListCost": 0}
        world.charge("2025-05-02", -100, **box | bears)
        run("g2", GPU, "2025-05-10", 110, 25, 10)
        run("t1", TRN1, "2025-09-01", 25, 16, 4)
        run("t2", TRN1, "2025-09-05", "32.5", 16, 5)
        run("t3", TRN1, "2025-09-10", "36.25", 16, 6)
    world.charge("2025-10-30", 1)
    return some_marts(world.pulled(), "break_even")


@pytest.mark.parametrize("name", NAMES)
def test_what_was_paid_back_of_a_gpu_run_is_no_saving(refunded_gpu: SomeMarts, name: str) -> None:
    """METHOD §8 A at (5,250 - 100) / 6,882.246 of the list price: 1,087.875; it was 1,138.125."""
    asked = "SELECT cumulative_gross_saving FROM break_even WHERE workload = ?"
    assert refunded_gpu.row(asked, name) == {"cumulative_gross_saving": Decimal("1087.875")}


@pytest.mark.parametrize("settings", ["focus-1-2"], indirect=True)
def test_it_is_the_same_in_one_delivery_and_follows_a_restatement(
    settings: Settings, tmp_path: Path
) -> None:
    whole = deliver(tmp_path, [line | {"folder": ""} for line in STORY])
    one = some_marts(whole, "spend_daily")
    assert spent(one, f"NOT {PURCHASED}") == spent(Marts(settings), f"NOT {PURCHASED}")
    shutil.copytree(settings.home, tmp_path / "copy")
    parts = configured(tmp_path / "copy")
    first = Marts(settings).row("SELECT snapshot_id FROM snapshot")["snapshot_id"]
    again = built(parts)
    assert (again.snapshot_id, again.published, again.reduced) == (first, None, 0)
    other = used("b14", 1)
    deliver(tmp_path / "copy", [*STORY, other])
    restated = some_marts(parts, "spend_daily")
    assert restated.reduced == 1
    taken = [row for row in spent(restated, BY_NAME) if row[4] < 0 and row[3] == "r14"]
    assert taken == []
