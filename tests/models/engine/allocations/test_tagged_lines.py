"""Hours of a shared machine with a run's tag count where what bears no tag is divided."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import NoReturn

import pytest

from models.config.settings import Settings
from models.engine.allocations import tagged_lines
from models.engine.source_lines.bill_lines import bill_lines
from models.engine.source_lines.first_lines import Row
from tests.support.delivered_allocations import deliver, held
from tests.support.some_marts import published_lines, some_marts
from tests.support.world import Marts, World, pull_once, write

TRN1 = "trn1.32xlarge"
ARN = "arn:aws:ec2:us-east-1:999900000001:instance/i-5"
LAB = {"aws:eks:cluster-name": "lab"}
TAGGED = {"workload": "atlas-7b", "run": "t"}
LATE = {"BillingPeriodStart": "2025-10-01"}
HOURS: dict[tuple[str, str], list[Iterable[int]]] = {
    ("i-1", "01"): [range(6), range(6, 24)],
    ("i-2", "01"): [[], range(2)],
    ("i-2", "02"): [range(2), []],
    (ARN, "01"): [[10], [11]],
    ("i-8", "01"): [[11], [10]],
    ("i-9", "01"): [range(2), []],
}
"""Of machines by day of September, the hours with the run's tag and those without one."""
WHOLE = {
    "t": {
        "hours": 20 * 12 + 120, "i-1 day": -6, "i-1 02:00": -5, "i-1 05:00": -2, "i-1 late": "-0.6",
        "i-1 each": -1, "i-1 volume": 6, "i-1 traffic": "0.6", "i-2 late": -4, "i-2 volume": 3,
        "i-4 day": -6, "i-5 day": -1, "i-8 volume": 1, "i-9 volume": 7,
    },
    "a": {
        "hours": 20 * 13 + 240, "i-1 day": -9, "i-1 05:00": -2, "i-1 late": "-0.9", "i-1 each": -2,
        "i-1 volume": 9, "i-1 traffic": "0.9", "i-2 late": -4, "i-4 day": -12,
        "i-5 day": -1, "i-8 volume": 1,
    },
    "b": {
        "hours": 20 * 6, "i-1 day": -6, "i-1 late": "-0.6", "i-1 volume": 6, "i-1 traffic": "0.6",
    },
    "cluster_idle": {
        "hours": 20 * 3 + 120, "i-1 day": -3, "i-1 late": "-0.3", "i-4 day": -6,
    },
}  # fmt: skip
"""By hand. Of i-1 on the first, `t` has 6 hours by its tag, `a` held 9, `b` 6, nobody 3; of i-2 `a`
held 2 hours on the first, `t` has 2 by its tag on the second; of i-4, which the bill has by the
day, `t` has 6 of 24, `a` held 12; of i-5, and of the pool's i-8, each has one. A job
of `a` names i-9, too, all of whose hours of the month bear the tag of `t`. `each` are adjustments
of a dollar an hour: of one hour of `t` and two of `a`."""


def bill() -> Iterable[tuple[int, World]]:
    """September, and what October takes back of it."""
    month, later = World(Path()), World(Path())
    for (machine, day), (tagged, others) in HOURS.items():
        for hours, tags in ((tagged, TAGGED), (others, LAB if machine == "i-8" else {})):
            for hour in hours:
                at = f"2025-09-{day}T{hour:02}:00:00"
                month.hours(at, 1, TRN1, 20, tags, ResourceId=machine)
    by_day = {"ResourceId": "i-4", "ChargePeriodEnd": "2025-09-02T00:00:00"}
    month.hours("2025-09-01T00:00:00", 6, TRN1, 20, TAGGED, **by_day)
    month.hours("2025-09-01T00:00:00", 18, TRN1, 20, {}, **by_day)
    for machine, since, until, cost, about in (
        ("i-1", "01T00", "02T00", -24, "day"),
        ("i-1", "01T02", "01T03", -5, "02:00"),
        ("i-1", "01T05", "01T07", -4, "05:00"),
        ("i-4", "01T00", "02T00", -24, "day"),
        (ARN, "01T00", "02T00", -2, "day"),
        ("i-1", "01T00", "02T00", "-2.4", "late"),
        ("i-2", "01T00", "03T00", -8, "late"),
    ):
        back = {"ChargeClass": "Correction", "ResourceId": machine, "ConsumedQuantity": None}
        back |= {"ChargePeriodEnd": f"2025-09-{until}:00:00"} | (LATE if about == "late" else {})
        back |= {"x_UsageType": f"{about} BoxUsage:{TRN1}"}
        (later if about == "late" else month).charge(f"2025-09-{since}:00:00", cost, **back)
    for machine, day, cost, kind, tags in (
        ("i-1", "01", 21, "volume EBS:VolumeUsage.gp3", {}),
        ("i-1", "01", "2.1", "traffic DataTransfer-Out-Bytes", {}),
        ("i-2", "02", 3, "volume EBS:VolumeUsage.gp3", {}),
        ("i-8", "01", 2, "volume EBS:VolumeUsage.gp3", LAB),
        ("i-9", "01", 7, "volume EBS:VolumeUsage.gp3", {}),
    ):
        beside = {"ResourceId": machine, "x_UsageType": kind}
        month.charge(f"2025-09-{day}T00:00:00", cost, tags=tags, **beside)
    for hour in (2, 10, 12):
        each = {"ChargeCategory": "Adjustment", "ResourceId": "i-1", "ConsumedQuantity": 0}
        month.charge(f"2025-09-01T{hour:02}:00:00", -1, x_UsageType=f"each BoxUsage:{TRN1}", **each)
    later.charge("2025-10-30T00:00:00", 1, **LATE)
    return (9, month), (10, later)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Jobs hold what bears no tag, without gaps. Of all but one of them a second build knows."""
    world = World(tmp_path_factory.mktemp("tagged"))
    for number, each in bill():
        folder = world.folder / "bill" / f"BILLING_PERIOD=2025-{number:02}"
        folder.mkdir(parents=True)
        write(folder / "bill.csv", each.charges)
    settings = world.settings(
        sources=[{"kind": "focus", "location": "bill"}], clusters={"gap_minutes": 0}
    )
    pull_once(settings)
    pool = {"cluster": "lab", "resource": None, "pool": TRN1, "node": "n1"}
    jobs = [
        held(f"2025-09-{since}:00:00", f"2025-09-{until}:00:00", run=run, job=number, **where)
        for number, (run, since, until, where) in enumerate(
            (
                ("a", "01T06", "01T15", {}),
                ("b", "01T15", "01T21", {}),
                ("a", "01T00", "01T02", {"resource": "i-2"}),
                ("a", "01T00", "01T12", {"resource": "i-4"}),
                ("a", "01T11", "01T12", {"resource": "i-5"}),
                ("a", "01T00", "01T02", {"resource": "i-9"}),
                ("a", "01T10", "01T11", pool),
            )
        )
    ]
    about = {"workload": "atlas-7b", "accelerators": 16}
    for told, empty in ((jobs[:1], []), (jobs, [("hpc", "2025-09-02")])):
        deliver(settings.data, [job | about for job in told], empty=empty)
        published_lines(settings)
    return settings


def named(row: Row) -> str:
    """What a line is about: hours, or a correction, volume or traffic of a machine."""
    about, _, kind = row["usage"].partition(" ")
    return f"{row['resource'].rpartition('/')[2]} {about}" if kind else "hours"


@pytest.mark.parametrize(
    ("where", "owners"),
    [
        ("run = 't'", ("t",)),
        ("run IN ('a', 'b') OR attribution = 'cluster_idle'", ("a", "b", "cluster_idle")),
    ],
)
def test_each_owner_has_its_part_of_each_line_and_they_are_the_number(
    settings: Settings, where: str, owners: tuple[str, ...]
) -> None:
    with bill_lines(settings, where, {}, "effective") as lines:
        found = lines.first()
    parts: defaultdict[str, defaultdict[str, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
    for row in found.rows:
        parts[row["run"] or row["attribution"]][named(row)] += row["effective_cost"]
    assert parts == {
        owner: {about: Decimal(cost) for about, cost in WHOLE[owner].items()} for owner in owners
    }
    assert (found.spread, found.elsewhere, found.lines) == (0, 0, found.number)
    query = f"SELECT sum(effective_cost) AS cost FROM spend_daily WHERE {where}"
    assert Marts(settings).row(query) == {"cost": found.number}


def stopped(read: Callable[..., None], *given: object) -> NoReturn:
    """Stores a month's hours, and then the process ends."""
    read(*given)
    raise KeyboardInterrupt


@pytest.mark.parametrize("killed", [False, True])
def test_hours_of_a_file_of_two_months_count_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, killed: bool
) -> None:
    """On one day of each month two hours bear the tag of `t`, and a job holds two."""
    world, jobs = World(tmp_path), []
    for month in ("09", "10"):
        day = f"2025-{month}-01"
        for hour in range(4):
            tags = TAGGED if hour < 2 else {}
            world.hours(f"{day}T{hour:02}:00:00", 1, TRN1, 20, tags, ResourceId="i-1")
        volume = {"ResourceId": "i-1", "x_UsageType": "EBS:VolumeUsage.gp3"}
        world.charge(f"{day}T00:00:00", 4, **volume)
        about = {"workload": "atlas-7b", "run": "a", "accelerators": 16}
        jobs.append(held(f"{day}T02:00:00", f"{day}T04:00:00", job=month, **about))
    settings = world.pulled()
    deliver(settings.data, jobs)
    if killed:
        monkeypatch.setattr(tagged_lines, "_read", partial(stopped, tagged_lines._read))
        with pytest.raises(KeyboardInterrupt):
            some_marts(settings, "spend_daily")
        monkeypatch.undo()
    found = some_marts(settings, "spend_daily").rows(
        "SELECT run, effective_cost FROM spend_daily WHERE component = 'storage'"
    )
    assert sorted((row["run"], row["effective_cost"]) for row in found) == [
        *[("a", 2)] * 2,
        *[("t", 2)] * 2,
    ]
