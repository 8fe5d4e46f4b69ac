"""Refunds that name a reservation, a commitment or only a usage type (METHOD §2.2)."""

from __future__ import annotations

import shutil
from decimal import Decimal
from functools import partial
from pathlib import Path

import pytest

from models.config.settings import Settings
from tests.support.refunded_bills import (
    ACCOUNT,
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
from tests.support.world import Marts, World

DAY, NEXT = "2025-09-04T00:00", "2025-09-05T00:00"
WORKLOADS = {"r": "atlas-7b", "b": "borea", "c": "cedar"}
FEE = "ComputeSP:1yrNoUpfront"


def account(number: int) -> dict[str, str]:
    return {"account": f"9999000001{number:02}"}


def held(name: str) -> dict[str, str]:
    return {"reserved": f"arn:aws:ec2:us-west-2:{ACCOUNT}:capacity-reservation/cr-{name}"}


def plan(name: str) -> dict[str, str]:
    return {"plan": f"arn:aws:savingsplans::{ACCOUNT}:savingsplan/{name}"}


def instances(name: str) -> dict[str, str]:
    return {"instances": f"arn:aws:ec2:us-west-2:{ACCOUNT}:reserved-instances/{name}"}


def used(run: str, count: int, at: int | None = None, start: str = DAY, **said: object) -> Line:
    """Hours of a run, which is its workload's by its first letter, in an account of its own."""
    whose = owner(run, WORKLOADS[run[0]]) if run else {}
    place = account(at or int(run[1:]))
    return hours(start, count, None, **{"tags": whose, **place, **said})


def back(count: int, at: int, start: str = DAY, **said: object) -> Line:
    """A refund of hours, billed a month later; it lasts a day."""
    told = {"lasts": 24, "billed": "2025-10", **account(at)}
    return refund(start, count, None, **{**told, **said})


STORY = [
    # a reservation's are the run's that it held, whatever else ran
    used("r11", 5, **held("11")),
    used("b11", 3, 11),
    back(2, 11, **held("11")),
    # two workloads' under one reservation
    used("r12", 4, **held("12")),
    used("b12", 4, **held("12")),
    back(1, 12, **held("12")),
    # only one run used this type then, in this account
    used("r14", 5),
    used("r14", 2, 14, start="2025-09-08T00:00", type="trn1.2xlarge"),
    used("", 0, 14),
    back(2, 14),
    # a workload's two runs; two workloads'; a run's and nobody's
    used("c15", 3),
    used("c51", 6, 15),
    back(3, 15),
    used("r16", 5),
    used("b16", 1),
    back(1, 16),
    used("r17", 4),
    used("", 2, 17),
    back(1, 17),
    # another region, another day, another account, another resource
    used("r18", 4),
    back(1, 18, region="us-east-2"),
    used("r19", 4),
    back(1, 19, start=NEXT),
    used("r20", 4),
    back(1, 21),
    used("r22", 4, on="i-22"),
    back(1, 22, on="i-99"),
    # on the payer's own account: of any that it pays for
    used("r23", 4, type="trn1.2xlarge"),
    back(1, 0, account=ACCOUNT, type="trn1.2xlarge"),
    used("r24", 4, type="trn1n.32xlarge"),
    used("b24", 4, type="trn1n.32xlarge"),
    back(1, 0, account=ACCOUNT, type="trn1n.32xlarge"),
    used("r25", 4, on="i-25"),
    back(1, 0, account=ACCOUNT, on="i-25"),
    used("r29", 4, type="trn2.48xlarge"),
    back(1, 0, account=OTHER, payer=OTHER, type="trn2.48xlarge"),
    # what another month's bill tells of that day
    used("r30", 4),
    used("b30", 1, billed="2025-10"),
    back(1, 30),
    # charged back again
    used("r28", 4),
    back(2, 28, billed="2025-09"),
    back(-1, 28, billed="2025-09", lasts=1, corrects=True),
    # tags that came a day late
    used("", 2, 26, on="i-26"),
    used("r26", 4, start=NEXT, on="i-26"),
    back(1, 26, on="i-26", lasts=48),
    # a month's, of the workload that it names
    used("r27", 4),
    used("b27", 4),
    back(1, 27, start="2025-09-01T00:00", lasts=30 * 24, tags={"workload": "atlas-7b"}),
    {**hours("2025-10-30T00:00", 1, None), "hours": 0},
]  # fmt: skip
LEFT = {
    "r11": 5 - 2, "b11": 3, "r12": 4, "b12": 4, "r14": 5 + 2 - 2, "c15": 3 - 1, "c51": 6 - 2,
    "r16": 5, "b16": 1, "r17": 4, "r18": 4, "r19": 4, "r20": 4, "r22": 4, "r23": 4 - 1, "r24": 4,
    "b24": 4, "r25": 4 - 1, "r26": 4 - 1, "r27": 4 - 1, "b27": 4, "r28": 4 - 2 + 1, "r29": 4,
    "r30": 4 - 1, "b30": 1,
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
    found = deliver(tmp_path_factory.mktemp(request.param), STORY, request.param)
    built(found)
    return found


def test_it_goes_to_the_run_whose_charges_alone_it_can_mean(settings: Settings) -> None:
    rows = [row for row in spent(settings) if row[3]]
    assert {run: sum(row[4] for row in rows if row[3] == run) for *_, run, _ in rows} == LEFT
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
    }


def test_it_stays_untagged_where_it_may_be_another_s(settings: Settings) -> None:
    rows = [row for row in spent(settings) if not row[3]]
    assert {bucket for _, bucket, *_ in rows} == {"untagged"}
    assert {(month, day): number for month, _, day, _, number in rows} == UNTAGGED


def test_the_lines_behind_a_run_tell_what_was_taken_back(settings: Settings) -> None:
    lines = behind(
        settings,
        "run = 'r11' OR run = 'r14' AND instance_type LIKE '%32xlarge' "
        "OR attribution = 'untagged' AND account = '999900000117'",
    )
    assert lines == {"r11": (2, 16 * 3), "r14": (2, 16 * 3), "untagged": (2, 16)}


BOUGHT = [
    # hours that a plan covered, beside others of their kind
    used("r31", 10, role="covered", **plan("31")),
    used("b31", 5, 31),
    used("", 1, 31, role="tax", **plan("31")),
    back(2, 31, **plan("31")),
    used("r32", 4, role="covered", **instances("32")),
    used("b32", 5, 32),
    back(1, 32, **instances("32")),
    # a fee; what was unused; what may be a fee
    used("", 50, 31, role="fee", kind=FEE, **plan("31")),
    back(3, 31, kind=FEE, **plan("31")),
    used("", 40, 33, role="unused", kind=FEE, **plan("33")),
    back(4, 33, kind=FEE, **plan("33")),
    used("r34", 4, role="covered", **plan("34")),
    back(1, 34, kind="", **plan("34")),
    # a reservation's used hours; of no type: all of it one run's, or some of it nobody's
    used("r35", 4, **held("35")),
    back(1, 35, kind="", **held("35")),
    used("r36", 4, held="Used", **held("36")),
    used("", 2, 36, held="Unused", kind="UnusedBox:trn1.32xlarge", **held("36")),
    back(1, 36, kind="", **held("36")),
    used("r37", 4, held="Used", **held("37")),
    used("", 2, 37, held="Unused", kind="UnusedBox:trn1.32xlarge", **held("37")),
    back(1, 37, **held("37")),
    {**hours("2025-10-30T00:00", 1, None), "hours": 0},
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_commitment_s_fee_is_no_run_s_and_what_it_covered_is(tmp_path: Path, form: str) -> None:
    """Dollars by bucket, run and account: effective, and as billed."""
    settings = deliver(tmp_path, BOUGHT, form)
    built(settings)
    rows = Marts(settings).rows(
        "SELECT attribution, coalesce(run, account[-2:]) AS whose, sum(effective_cost) / 16 AS e, "
        "sum(billed_cost) / 16 AS b FROM spend_daily GROUP BY ALL HAVING e != 0 OR b != 0"
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


def test_the_lines_of_a_report_with_all_of_it_are_found(tmp_path: Path) -> None:
    """What was given back by name, and what plans and reservations covered, in one bill."""
    settings = deliver(tmp_path, [*STORY, *BOUGHT], "cur2")
    built(settings)
    assert behind(settings, "run = 'r31' OR run = 'r35'") == {
        "r31": (2, 16 * 8),
        "r35": (2, 16 * 3),
    }


GPU, PLAN = "p4d.24xlarge", plan("co")["plan"]
NAMES = {
    "a reservation": {"CapacityReservationId": held("re")["reserved"]},
    "a plan": {"CommitmentDiscountId": PLAN, "CommitmentDiscountStatus": "Used"},
    "a usage type": {"SubAccountId": "999900000177"},
}
"""What g1 alone bears, and the refund of $100."""


@pytest.fixture(scope="module")
def refunded_gpu(tmp_path_factory: pytest.TempPathFactory) -> Marts:
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
    return world.build()


@pytest.mark.parametrize("name", NAMES)
def test_what_was_paid_back_of_a_gpu_run_is_no_saving(refunded_gpu: Marts, name: str) -> None:
    """METHOD §8 A at (5,250 - 100) / 6,882.246 of the list price: 1,087.875; it was 1,138.125."""
    saved = refunded_gpu.standing(name)["cumulative_gross_saving"]
    assert saved == Decimal("1087.875")


@pytest.mark.parametrize("settings", ["focus-1-2"], indirect=True)
def test_it_is_the_same_in_one_delivery_and_follows_a_restatement(
    settings: Settings, tmp_path: Path
) -> None:
    whole = deliver(tmp_path, [line | {"folder": ""} for line in STORY])
    built(whole)
    assert spent(whole) == spent(settings)
    shutil.copytree(settings.home, tmp_path / "copy")
    parts = configured(tmp_path / "copy")
    first = Marts(settings).row("SELECT snapshot_id FROM snapshot")["snapshot_id"]
    again = built(parts)
    assert (again.snapshot_id, again.published, again.reduced) == (first, None, 0)
    other = used("b14", 1)
    deliver(tmp_path / "copy", [*STORY, other])
    assert built(parts).reduced == 1
    taken = [row for row in spent(parts) if row[4] < 0 and row[3] == "r14"]
    assert taken == []
