"""METHOD §2.10: what days and bills have to do with each other when machines are divided."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from models.engine import contract_tables
from models.engine.allocations import division, held_intervals
from models.engine.warehouse import connection
from tests.support.divided_machines import Machines, at, held, line
from tests.support.ingest.cut_off import cut_off

D = Decimal
RATE = "21.50"


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    with connection.in_memory() as backend:
        yield Machines(backend, tmp_path_factory.mktemp("machines"))


@pytest.mark.parametrize(("pods_in", "said"), [("1", None), ("2", "2")])
def test_pods_settle_days_of_the_clusters_of_their_account_alone(
    machines: Machines, pods_in: str, said: str | None
) -> None:
    machines.divide([line(at("01 10:00"), 1, RATE)], held(at("01 10:00"), at("01 11:00")))
    pod = line(at("02 10:00"), 1, 0, machine="i-9", machine_cluster="hpc", account=pods_in)
    machines.fill_pods([pod])
    told = [{"cluster": "hpc", "day": at("01 00:00").date(), "complete": True}]
    contract_tables.fill(machines.context.backend, "allocation_days", told)
    held_intervals.add_days_of_pods(machines.context)
    found = machines.rows("SELECT account, day FROM allocation_days")
    assert {(row["account"], row["day"].day) for row in found} == {(None, 1), (said, 2)}
    machines.fill_pods([])
    contract_tables.fill(machines.context.backend, "allocation_days", [])


def test_cut_off_between_its_statements_a_day_is_divided_by_the_next_build(
    machines: Machines,
) -> None:
    """Of 16 accelerators jobs held 24 for an hour: half of the time of 16 too much."""
    jobs = [
        job
        for run in ("a", "b")
        for job in held(at("01 10:00"), at("01 11:00"), run=run, job=run, accelerators=12)
    ]
    machines.fill([line(at("01 10:00"), 1, "40.00")], jobs)
    divide = partial(division.divide_due_days, machines.context)
    cut_off(machines.context.backend, divide, f"INSERT INTO {division.OVER}")
    assert divide() == 1
    assert machines.costs() == {"a": D(20), "b": D(20)}
    assert [row["over_seconds"] for row in machines.rows("FROM over_allocations")] == [1800]


def late(cost: str, bill: str = "october") -> dict[str, object]:
    """A correction of i-1 at ten o'clock of 1 September that the bill of October has."""
    back = line(at("01 10:00"), 0, cost, corrects="i-1", used_from=at("01 10:00"), delivery=bill)
    october = at("01 10:00").date().replace(month=10)
    return back | {"class": "Correction", "named": True, "billing_period": october}


def test_a_correction_of_a_later_bill_is_divided_by_the_hours_of_its_day(
    machines: Machines,
) -> None:
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", accelerators=12)
    used = line(at("01 10:00"), 1, "40.00", delivery="september")
    machines.divide([used, late("-4.00")], jobs)
    assert machines.costs("coalesce(run, holding)", "class", "corrects") == {
        ("a", None, None): D(30),
        ("idle", None, None): D(10),
        ("a", "Correction", None): D(-3),
        ("idle", "Correction", None): D(-1),
    }
    assert machines.divide([used, late("-4.00")], jobs) == 0
    restated = used | {"delivery": "september, restated"}
    assert machines.divide([restated, late("-4.00")], jobs) == 2


def test_a_later_bill_that_is_not_of_the_month_lends_no_hours(machines: Machines) -> None:
    """Else December's bill would change what November's took back."""
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", accelerators=8)
    used = line(at("01 10:00"), "0.5", "40.00", delivery="september")
    november, december = (late("-4.00", bill) for bill in ("november", "december"))
    for bill, month in ((november, 11), (december, 12)):
        bill["billing_period"] = used["billing_period"].replace(month=month)
    december |= {"class": None, "quantity": D("0.5")}
    machines.divide([used, november], jobs)
    assert machines.costs("run", "month(billing_period)")["a", 11] == D(-4)
    assert machines.divide([used, november, december], jobs) == 1
    assert machines.costs("run", "month(billing_period)")["a", 11] == D(-4)


def test_a_period_that_a_later_bill_corrects_is_over_allocated_once(machines: Machines) -> None:
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", accelerators=12)
    jobs += held(at("01 10:00"), at("01 11:00"), run="b", accelerators=12)
    machines.divide([line(at("01 10:00"), 1, "40.00", delivery="september"), late("-4.00")], jobs)
    assert machines.costs() == {"a": D(18), "b": D(18)}
    assert [row["over_seconds"] for row in machines.rows("FROM over_allocations")] == [D(1800)]


def test_bills_of_one_month_lend_each_other_nothing(machines: Machines) -> None:
    """Members of an organisation each deliver a bill of their own; a cluster is in one of them."""
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", accelerators=12)
    used = line(at("01 10:00"), 1, "40.00", delivery="member")
    back = late("-4.00", "other member") | {"billing_period": used["billing_period"]}
    machines.divide([used, back], jobs)
    assert machines.costs("coalesce(run, holding)", "class") == {
        ("a", None): D(30),
        ("idle", None): D(10),
        (None, "Correction"): D(-4),
    }


def test_jobs_that_hold_more_than_there_is_are_scaled_and_flagged(machines: Machines) -> None:
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", accelerators=16)
    jobs += held(at("01 10:00"), at("01 11:00"), run="b", accelerators=8)
    machines.divide([line(at("01 10:00"), 1, "60")], jobs)
    assert machines.costs("run", "allocation_flags") == {
        ("a", "over_allocated"): D(40),
        ("b", "over_allocated"): D(20),
    }
    assert machines.rows("FROM over_allocations") == [
        {
            "date": at("01 00:00").date(), "cluster": "hpc", "machine": "i-1",
            "period_from": at("01 10:00"), "period_to": at("01 11:00"),
            "capacity_seconds": 3600, "over_seconds": 1800,
        }
    ]  # fmt: skip
    machines.divide([line(at("01 10:00"), 1, "60")], jobs[:1])
    assert machines.rows("FROM over_allocations") == []


def test_each_over_allocated_hour_of_a_span_is_told_from_its_beginning_to_its_end(
    machines: Machines,
) -> None:
    jobs = held(at("01 10:00"), at("01 12:00"), run="a", accelerators=16)
    jobs += held(at("01 10:00"), at("01 12:00"), run="b", accelerators=8)
    machines.divide([line(at("01 10:00"), 1, "60"), line(at("01 11:00"), 1, "60")], jobs)
    told = machines.rows("SELECT period_from, period_to FROM over_allocations ORDER BY ALL")
    assert [tuple(row.values()) for row in told] == [
        (at("01 10:00"), at("01 11:00")),
        (at("01 11:00"), at("01 12:00")),
    ]


APART = {("1", "a"): D(60), ("2", "b"): D(45), ("2", "idle"): D(45)}
BY_NAME = {
    ("1", "a"): D(20),
    ("1", "b"): D(10),
    ("1", "idle"): D(30),
    ("2", "a"): D(30),
    ("2", "b"): D(15),
    ("2", "idle"): D(45),
    ("3", "a"): D(10),
    ("3", "b"): D(5),
    ("3", "idle"): D(15),
}


@pytest.mark.parametrize(
    ("jobs_in", "told_in", "costs"),
    [
        (("1", "2"), ("1", "2"), APART | {("3", None): D(30)}),
        (("1", "2"), (None,), APART | {("3", "idle"): D(30)}),
        (("1", None), (None,), BY_NAME),
        ((None, None), (None,), BY_NAME),
    ],
)
@pytest.mark.parametrize("place", ["account", "region"])
def test_pools_of_one_name_are_apart_where_their_jobs_name_the_account_or_region(
    machines: Machines,
    place: str,
    jobs_in: tuple[str | None, ...],
    told_in: tuple[str | None, ...],
    costs: dict[Any, Decimal],
) -> None:
    """A third account is not the cluster's where each account tells for itself."""
    loose = {"resource": None, "accelerators": 16, "node": "n1", "account": None, "region": None}
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", **loose | {place: jobs_in[0]})
    jobs += held(at("01 10:00"), at("01 10:30"), run="b", **loose | {place: jobs_in[1]})
    ran = {"machine_cluster": "hpc"}
    lines = [
        line(at("01 10:00"), 1, cost, machine=f"i-{where}", **{place: where}, **ran)
        for where, cost in (("1", "60"), ("2", "90"), ("3", "30"))
    ]
    day = {"cluster": "hpc", "day": at("01 00:00").date(), "complete": True}
    told = [day | {"account": where if place == "account" else None} for where in told_in]
    contract_tables.fill(machines.context.backend, "allocation_days", told)
    machines.divide(lines, jobs)
    contract_tables.fill(machines.context.backend, "allocation_days", [])
    if place == "region" and jobs_in[1]:
        costs = APART | {("3", "idle"): D(30)}
    assert machines.costs(place, "coalesce(run, holding)") == costs


def test_a_bill_without_regions_has_the_pool_of_the_only_region_that_jobs_name(
    machines: Machines,
) -> None:
    loose = {"resource": None, "accelerators": 16, "node": "n1", "region": "us-east-1"}
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", **loose)
    machines.divide([line(at("01 10:00"), 1, "60", machine_cluster="hpc", region=None)], jobs)
    assert machines.costs() == {"a": D(60)}


def test_a_day_is_divided_anew_once_jobs_of_the_day_beside_name_its_machine(
    machines: Machines,
) -> None:
    """i-2 is of the pool, until it is known that another cluster's job held it on the next day."""
    loose = {"resource": None, "accelerators": 16, "node": "n1"}
    jobs = held(at("05 10:00"), at("05 11:00"), run="a", **loose)
    jobs += held(at("01 10:00"), at("01 11:00"), run="c", resource="i-2", accelerators=16)
    lines = [
        line(at("05 10:00"), 1, cost, machine=name, machine_cluster=tag)
        for name, cost, tag in (("i-1", "60", "hpc"), ("i-2", "90", None))
    ]
    machines.divide(lines, jobs)
    assert machines.costs() == {"a": D(75), "idle": D(75)}
    other = {"resource": "i-2", "cluster": "other", "accelerators": 16}
    jobs += held(at("06 10:00"), at("06 11:00"), run="b", **other)
    assert machines.divide(lines, jobs) == 1
    assert machines.costs() == {"a": D(60), "idle": D(90)}


def test_a_late_day_divides_itself_and_the_day_whose_gap_it_reaches(machines: Machines) -> None:
    days = [at("01 00:00") + timedelta(days=n) for n in range(6)]
    lines = [line(day + timedelta(hours=12), 1, "60") for day in days]
    jobs = [held(d, d + timedelta(hours=23, minutes=50), run="a", accelerators=16) for d in days]
    others = [row for n, rows in enumerate(jobs) if n != 2 for row in rows]
    assert machines.divide(lines, others) == 6
    before = machines.rows()
    assert machines.divide(lines, [row for rows in jobs for row in rows]) == 2
    assert machines.divide(lines, [row for rows in reversed(jobs) for row in rows]) == 0
    assert machines.costs() == {"a": D(360)}
    assert machines.divide(lines, others) == 2
    assert machines.rows() == before


def test_a_correction_of_several_days_is_divided_by_the_hours_of_all_of_them(
    machines: Machines,
) -> None:
    """The first of its days is run a's, the next two are b's, the fourth stands idle for half."""
    lines = [line(at(f"0{day} 10:00"), 1, "60", delivery="own") for day in (1, 2, 3, 4)]
    jobs = [
        *held(at("01 10:00"), at("01 11:00"), run="a", accelerators=16),
        *held(at("02 10:00"), at("02 11:00"), run="b", accelerators=16),
        *held(at("03 10:00"), at("03 11:00"), run="b", accelerators=16),
        *held(at("04 10:00"), at("04 11:00"), run="b", accelerators=8),
    ]
    taken = {"class": "Correction", "quantity": None, "delivery": "own"}
    back = line(at("01 00:00"), 0, "-32", until=at("30 00:00"), **taken)
    machines.divide([*lines, back], jobs)
    taken_back = "SELECT run, holding, sum(effective_cost) AS cost FROM divided_lines"
    found = machines.rows(f"{taken_back} WHERE effective_cost < 0 GROUP BY ALL")
    assert {(row["run"], row["holding"]): row["cost"] for row in found} == {
        ("a", "held"): D("-8"),
        ("b", "held"): D("-20"),
        (None, "idle"): D("-4"),
    }
    before = machines.rows()
    assert machines.divide([*lines, back], jobs) == 0
    assert machines.divide([*lines, back], jobs[:3]) == 2  # the fourth day, and the correction
    machines.divide([*lines, back], jobs)
    assert machines.rows() == before


def test_the_hours_of_several_days_are_lent_by_the_bill_of_their_month(machines: Machines) -> None:
    lines = [line(at(f"0{day} 10:00"), 1, "60", delivery="own") for day in (3, 4)]
    jobs = [
        *held(at("03 10:00"), at("03 11:00"), run="a", accelerators=16),
        *held(at("04 10:00"), at("04 11:00"), run="b", accelerators=16),
    ]
    october = {"billing_period": date(2025, 10, 1), "delivery": "late", "class": "Correction"}
    back = line(at("01 00:00"), 0, "-10", until=at("30 00:00"), quantity=None, **october)
    machines.divide([*lines, back], jobs)
    assert machines.costs("run", "billing_period") == {
        ("a", date(2025, 9, 1)): D(60), ("b", date(2025, 9, 1)): D(60),
        ("a", date(2025, 10, 1)): D(-5), ("b", date(2025, 10, 1)): D(-5),
    }  # fmt: skip
