"""METHOD §2.10: a machine that jobs share, divided to the cent."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from models.engine import contract_tables
from models.engine.allocations import held_intervals
from models.engine.warehouse import connection
from tests.support.divided_machines import Machines, at, held, line

D = Decimal
RATE = "21.50"


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    with connection.in_memory() as backend:
        yield Machines(backend, tmp_path_factory.mktemp("machines"))


def test_accelerators_held_divide_an_hour_and_the_rest_is_idle(machines: Machines) -> None:
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", accelerators=8)
    jobs += held(at("01 10:00"), at("01 10:30"), run="b", accelerators=8)
    machines.divide([line(at("01 10:00"), 1, RATE)], jobs)
    assert machines.costs() == {"a": D("10.75"), "b": D("5.375"), "idle": D("5.375")}


def test_each_line_of_a_period_is_divided_in_one_proportion(machines: Machines) -> None:
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", accelerators=8)
    jobs += held(at("01 10:00"), at("01 10:30"), run="b", accelerators=8)
    paid = line(at("01 10:00"), "0.5", "10.75")
    planned = line(at("01 10:00"), "0.5", "7.00", commitment="sp", commitment_status="Used")
    free = line(at("01 10:00"), 0, "-1.00", category="Adjustment", sku="BoxUsage:trn1.32xlarge")
    machines.divide([paid, planned, free], jobs)
    assert machines.costs("coalesce(run, holding)", "coalesce(commitment, category)") == {
        ("a", "Usage"): D("5.375"),
        ("b", "Usage"): D("2.6875"),
        ("idle", "Usage"): D("2.6875"),
        ("a", "sp"): D("3.5"),
        ("b", "sp"): D("1.75"),
        ("idle", "sp"): D("1.75"),
        ("a", "Adjustment"): D("-0.5"),
        ("b", "Adjustment"): D("-0.25"),
        ("idle", "Adjustment"): D("-0.25"),
    }


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


def test_a_correction_of_a_machine_takes_back_from_those_who_held_it(machines: Machines) -> None:
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", accelerators=12)
    back = line(at("01 10:00"), 0, "-4.00", corrects="i-1", used_from=at("01 10:00"))
    back |= {"class": "Correction", "named": True}
    machines.divide([line(at("01 10:00"), 1, "40.00"), back], jobs)
    assert machines.costs("coalesce(run, holding)", "class", "corrects") == {
        ("a", None, None): D(30),
        ("idle", None, None): D(10),
        ("a", "Correction", None): D(-3),
        ("idle", "Correction", None): D(-1),
    }


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


def test_only_a_correction_of_what_jobs_held_is_done_with(machines: Machines) -> None:
    """That of a machine of nobody is still looked for, and a line of hours keeps its hour."""
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", accelerators=16)
    hour = {"used_from": at("01 10:00"), "used_to": at("01 11:00")}
    back = {"class": "Correction", "named": True, **hour}
    mine = line(at("01 10:00"), 0, "-4.00", corrects="i-1", **back)
    other = line(at("01 10:00"), 0, "-8.00", machine="i-2", corrects="i-2", **back)
    machines.divide([line(at("01 10:00"), 1, "40.00", **hour), mine, other], jobs)
    found = machines.costs("run", "effective_cost", "corrects", "used_from", "used_to")
    assert {key[1]: key[2:] for key in found} == {
        40: (None, *hour.values()),
        -4: (None, None, None),
        -8: ("i-2", *hour.values()),
    }


def test_booting_and_the_minutes_after_a_job_are_the_jobs_own(machines: Machines) -> None:
    started = line(at("01 10:00"), "0.333333333", "7.166666667")
    stands = line(at("01 10:00"), 1, RATE, machine="i-2")
    jobs = held(at("01 10:45"), at("01 11:00"), run="a", accelerators=16)
    jobs += held(at("01 09:00"), at("01 10:30"), run="b", accelerators=16, resource="i-2")
    machines.divide([started, stands], jobs)
    assert machines.costs() == {"a": D("7.166666667"), "b": D("16.125"), "idle": D("5.375")}


def test_a_gap_ends_where_the_next_job_begins_and_is_shared_by_jobs_that_end_together(
    machines: Machines,
) -> None:
    jobs = held(at("01 10:00"), at("01 10:20"), run="a", accelerators=12)
    jobs += held(at("01 09:00"), at("01 10:20"), run="b", accelerators=4)
    jobs += held(at("01 10:30"), at("01 11:00"), run="c", accelerators=16)
    machines.divide([line(at("01 10:00"), 1, "60")], jobs)
    assert machines.costs() == {"a": D("22.5"), "b": D("7.5"), "c": D(30)}


def test_of_jobs_that_end_together_one_of_no_accelerators_takes_nothing_of_the_gap(
    machines: Machines,
) -> None:
    jobs = held(at("01 10:00"), at("01 10:30"), run="a", accelerators=8)
    jobs += held(at("01 10:00"), at("01 10:30"), run="b")
    machines.divide([line(at("01 10:00"), 1, RATE)], jobs)
    assert machines.costs() == {"a": D("10.75"), "idle": D("10.75")}


@pytest.mark.parametrize("account", ["1", "2", None])
def test_a_machine_is_known_by_its_id_whatever_account_a_job_names(
    machines: Machines, account: str | None
) -> None:
    """No two accounts have an instance id; the bill's account is 1."""
    one = held(at("01 10:00"), at("01 11:00"), run="r", account=account)
    machines.divide([line(at("01 10:00"), 1, 100)], one)
    assert machines.costs() == {"r": 100}


def test_a_gap_over_midnight_belongs_to_both_days(machines: Machines) -> None:
    jobs = held(at("01 22:00"), at("01 23:55"), run="a", accelerators=16)
    lines = [line(at("01 23:00"), 1, "60"), line(at("02 00:00"), 1, "60")]
    machines.divide(lines, jobs)
    assert machines.costs("date", "coalesce(run, holding)") == {
        (at("01 00:00").date(), "a"): D(60),
        (at("02 00:00").date(), "a"): D(10),
        (at("02 00:00").date(), "idle"): D(50),
    }


def test_what_nobody_could_use_is_idle_for_that_reason(machines: Machines) -> None:
    jobs = held(at("01 10:00"), at("01 10:10"), run="a", accelerators=16)
    jobs += held(at("01 10:10"), at("01 10:40"), reason="drained", workload=None)
    machines.divide([line(at("01 10:00"), 1, "60")], jobs)
    assert machines.costs() == {"a": D(10), "drained": D(30), "idle": D(20)}


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


def test_without_counts_a_job_alone_holds_all_and_several_hold_equal_parts(
    machines: Machines,
) -> None:
    jobs = held(at("01 10:00"), at("01 11:00"), run="a")
    jobs += held(at("01 10:30"), at("01 11:00"), run="b")
    jobs += held(at("01 10:00"), at("01 11:00"), run="c", resource="i-2", cpus=32, of_cpus=128)
    jobs += held(at("01 10:00"), at("01 11:00"), run="d", resource="i-2", cpus=64, of_cpus=128)
    jobs += held(at("01 10:00"), at("01 11:00"), run="e", resource="i-3", share=D("0.25"))
    lines = [line(at("01 10:00"), 1, "60", machine=f"i-{n}") for n in (1, 2, 3)]
    machines.divide(lines, jobs)
    assert machines.costs() == {
        "a": D(45),
        "b": D(15),
        "c": D(15),
        "d": D(30),
        "e": D(15),
        "idle": D(60),
    }


def test_a_machine_whose_type_no_scheduler_knows_has_that_of_the_bill(machines: Machines) -> None:
    """Slurm knows the instance of a node and not its type: its counts are of the bill's type."""
    unknown = {"instance_type": None, "cpus": 32, "of_cpus": 128}
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", accelerators=4, **unknown)
    jobs += held(at("01 10:30"), at("01 11:00"), run="b", accelerators=8, **unknown)
    machines.divide([line(at("01 10:00"), 1, "64")], jobs)
    assert machines.costs() == {"a": D(16), "b": D(16), "idle": D(32)}


def test_while_one_holds_accelerators_a_job_of_none_bears_nothing(machines: Machines) -> None:
    jobs = held(at("01 10:00"), at("01 10:30"), run="a", accelerators=16)
    jobs += held(at("01 10:00"), at("01 11:00"), run="cpu", accelerators=0)
    jobs += held(at("01 10:00"), at("01 11:00"), run="uncounted")
    machines.divide([line(at("01 10:00"), 1, "60")], jobs)
    assert machines.costs() == {"a": D(30), "uncounted": D(30)}


def test_a_day_of_no_accelerators_alone_says_that_its_machines_stood_idle(
    machines: Machines,
) -> None:
    """A file of one's own takes back what it stated of a day by such a line."""
    nobody = held(at("01 00:00"), at("01 01:00"), run=None, accelerators=0, resource=None)
    machines.divide([line(at("01 10:00"), 1, "60", machine_cluster="hpc")], nobody)
    assert machines.costs("cluster", "holding") == {("hpc", "idle"): D(60)}


def test_a_bill_by_day_is_divided_by_the_day_and_says_so(machines: Machines) -> None:
    """Six hours, and a quarter of an hour on either side."""
    day = line(at("01 00:00"), 10, "600", until=at("02 00:00"))
    jobs = held(at("01 10:00"), at("01 16:00"), run="a", accelerators=16)
    machines.divide([day], jobs)
    assert machines.costs("coalesce(run, holding)", "allocation_flags") == {
        ("a", "daily_allocation"): D(390),
        ("idle", "daily_allocation"): D(210),
    }


@pytest.mark.parametrize("instance_type", ["ml.trn1.32xlarge", "trn1.32xlarge"])
def test_a_pool_of_hyperpod_is_held_whichever_way_its_type_is_written(
    machines: Machines, instance_type: str
) -> None:
    about = {"resource": None, "node": "n1", "instance_type": instance_type}
    billed = {"machine": "", "machine_cluster": "hpc", "sku": "USE1-Cluster:ml.trn1.32xlarge"}
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", accelerators=16, **about)
    machines.divide([line(at("01 10:00"), 2, "50.00", **billed)], jobs)
    assert machines.costs() == {"a": D(25), "idle": D(25)}


def test_jobs_known_by_pool_share_the_machines_of_the_clusters_tag(machines: Machines) -> None:
    loose = {"resource": None, "node": "n1"}
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", accelerators=16, **loose)
    jobs += held(at("01 10:00"), at("01 10:30"), run="b", accelerators=16, resource=None, node="n2")
    mine = {"machine_cluster": "hpc"}
    lines = [line(at("01 10:00"), 1, "60", machine=f"i-{n}", **mine) for n in range(4)]
    lines.append(line(at("01 10:00"), 1, "7", machine="i-9", machine_cluster="other"))
    machines.divide(lines, jobs)
    assert machines.costs() == {"a": D(60), "b": D(30), "idle": D(150), None: D(7)}


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


def test_a_pool_of_an_account_has_its_machines_though_others_are_known_elsewhere(
    machines: Machines,
) -> None:
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", account="1", accelerators=16)
    loose = {"resource": None, "accelerators": 8, "node": "n1", "account": "2"}
    jobs += held(at("02 10:00"), at("02 11:00"), run="b", **loose)
    lines = [
        line(at("01 10:00"), 1, "60"),
        line(at("02 10:00"), 1, "90", machine="i-2", account="2", machine_cluster="hpc"),
    ]
    machines.divide(lines, jobs)
    assert machines.costs() == {"a": D(60), "b": D(45), "idle": D(45)}


def test_where_the_bill_names_no_machine_jobs_on_machines_share_the_pool(
    machines: Machines,
) -> None:
    """A job of two machines, one of which the bill names; and of a day on which it names both."""
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", accelerators=16, resource="i-1")
    jobs += held(at("01 10:00"), at("01 11:00"), run="a", accelerators=8, resource="i-2")
    jobs += held(
        at("01 10:00"), at("01 10:30"), run="b", resource="i-3", instance_type="ml.trn1.32xlarge"
    )
    jobs += held(at("02 10:00"), at("02 11:00"), run="c", accelerators=16, resource="i-2")
    ran = {"machine_cluster": "hpc", "machine": ""}
    lines = [
        line(at("01 10:00"), 1, "50"),
        line(at("01 10:00"), 2, "120", **ran),
        line(at("01 10:00"), 1, "7", machine="", machine_cluster="other"),
        line(at("02 10:00"), 1, "60", machine="i-2"),
    ]
    machines.divide(lines, jobs)
    expected = {"a": D(80), "b": D(30), "c": D(60), "idle": D(60), None: D(7)}
    assert machines.costs() == expected


def test_a_bill_without_regions_has_the_pool_of_the_only_region_that_jobs_name(
    machines: Machines,
) -> None:
    loose = {"resource": None, "accelerators": 16, "node": "n1", "region": "us-east-1"}
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", **loose)
    machines.divide([line(at("01 10:00"), 1, "60", machine_cluster="hpc", region=None)], jobs)
    assert machines.costs() == {"a": D(60)}


def test_a_tagged_machine_that_no_job_ever_held_is_idle_of_its_cluster(machines: Machines) -> None:
    jobs = held(at("03 10:00"), at("03 11:00"), run="a", accelerators=16)
    lines = [
        line(at("01 10:00"), 1, "60"),
        line(at("01 10:00"), 1, "60", machine="i-2", machine_cluster="hpc"),
        line(at("01 10:00"), 1, "60", machine="i-3", workload="other"),
    ]
    machines.divide(lines, jobs)
    assert machines.costs("cluster", "holding", "workload") == {
        ("hpc", "idle", None): D(120),
        (None, None, "other"): D(60),
    }


def test_the_line_of_a_sagemaker_job_is_that_jobs_whole(machines: Machines) -> None:
    arn = "arn:aws:sagemaker:us-east-1:1:training-job/j1"
    jobs = held(at("01 10:00"), at("01 10:20"), run="a", share=D(1), resource=arn)
    billed = line(at("01 10:00"), 1, "60", machine=arn, sku="Train:ml.trn1.32xlarge")
    late = line(at("02 10:00"), 1, "60", machine=arn, sku="Train:ml.trn1.32xlarge")
    machines.divide([billed, late], jobs)
    assert machines.costs("run", "date") == {
        ("a", at("01 00:00").date()): D(60),
        ("a", at("02 00:00").date()): D(60),
    }


@pytest.mark.parametrize("names", [("ca", "cb"), ("cb", "ca")])
@pytest.mark.parametrize("tagged", [True, False])
def test_a_machine_is_each_days_own_clusters(
    machines: Machines, names: tuple[str, str], tagged: bool
) -> None:
    """A job of one holds half of it on the first day, one of the other on the third."""
    first, last = names
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", cluster=first, accelerators=8)
    jobs += held(at("03 10:00"), at("03 11:00"), run="b", cluster=last, accelerators=8)
    tags = (first, first, last) if tagged else (None, None, None)
    lines = [
        line(at(f"0{n} 10:00"), 1, "60", machine_cluster=tag) for n, tag in enumerate(tags, start=1)
    ]
    machines.divide(lines, jobs)
    assert machines.costs("date", "cluster", "coalesce(run, holding)") == {
        (date(2025, 9, 1), first, "a"): D(30), (date(2025, 9, 1), first, "idle"): D(30),
        (date(2025, 9, 2), first, "idle"): D(60),
        (date(2025, 9, 3), last, "b"): D(30), (date(2025, 9, 3), last, "idle"): D(30),
    }  # fmt: skip


def test_a_day_is_divided_anew_once_jobs_of_the_day_beside_name_its_machine(
    machines: Machines,
) -> None:
    """i-2 is of the pool, until it is known that a job held it by name on the next day."""
    loose = {"resource": None, "accelerators": 16, "node": "n1"}
    jobs = held(at("05 10:00"), at("05 11:00"), run="a", **loose)
    jobs += held(at("01 10:00"), at("01 11:00"), run="c", resource="i-2", accelerators=16)
    lines = [
        line(at("05 10:00"), 1, cost, machine=name, machine_cluster="hpc")
        for name, cost in (("i-1", "60"), ("i-2", "90"))
    ]
    machines.divide(lines, jobs)
    assert machines.costs() == {"a": D(75), "idle": D(75)}
    jobs += held(at("06 10:00"), at("06 11:00"), run="b", resource="i-2", accelerators=16)
    assert machines.divide(lines, jobs) == 1
    assert machines.costs() == {"a": D(60), "idle": D(90)}


@pytest.mark.parametrize(
    ("beside", "costs"),
    [
        ({}, {"a": D(15), "b": D(30), "idle": D(15)}),
        ({"cpus": 16, "of_cpus": 64}, {"a": D(15), "b": D(15), "idle": D(30)}),
        (
            {"cpus": 16, "instance_type": "trn1.32xlarge"},  # has 128
            {"a": D(15), "b": D("7.5"), "idle": D("37.5")},
        ),
        (
            {"cpus": 16, "instance_type": "p6e-gb200.36xlarge"},  # of which no source says it
            {"a": D(15), "b": D(30), "idle": D(15)},
        ),
    ],
)
def test_a_job_that_nobody_counted_holds_its_part_beside_one_of_a_known_share(
    machines: Machines, beside: dict[str, int | str], costs: dict[str, Decimal]
) -> None:
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", share=D("0.25"))
    jobs += held(at("01 10:00"), at("01 11:00"), run="b", **beside)
    machines.divide([line(at("01 10:00"), 1, "60")], jobs)
    assert machines.costs() == costs


def test_what_an_unknown_job_held_is_nobodys_and_not_idle(machines: Machines) -> None:
    jobs = held(at("01 10:00"), at("01 11:00"), accelerators=16, workload=None)
    machines.divide([line(at("01 10:00"), 1, "60", workload="tagged")], jobs)
    assert machines.costs("holding", "workload", "run") == {("unknown", None, None): D(60)}


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


@pytest.mark.parametrize(
    ("since", "until", "taken"),
    [
        ("01 11:00", "01 13:00", {"b": "-12"}),
        ("01 09:00", "01 12:00", {"a": "-6", "b": "-6"}),
        ("01 10:00", "02 11:00", {"a": "-3", "b": "-6", "c": "-3"}),
        ("01 14:00", "01 16:00", {"a": "-4", "b": "-8"}),  # no hour of the bill lies in it
    ],
)
def test_a_correction_of_some_hours_is_divided_by_those_hours(
    machines: Machines, since: str, until: str, taken: dict[str, str]
) -> None:
    """Run a holds the machine from 10:00 to 11:00, b the next two hours; c on the day after."""
    times = ("01 10:00", "01 11:00", "01 12:00", "02 10:00")
    jobs = held(at("01 10:00"), at("01 11:00"), run="a", accelerators=16)
    jobs += held(at("01 11:00"), at("01 13:00"), run="b", accelerators=16)
    jobs += held(at("02 10:00"), at("02 11:00"), run="c", accelerators=16)
    back = line(at(since), 0, "-12", until=at(until), quantity=None, **{"class": "Correction"})
    machines.divide([*(line(at(time), 1, "60") for time in times), back], jobs)
    query = "FROM divided_lines SELECT run, sum(effective_cost) AS cost WHERE effective_cost < 0"
    found = {row["run"]: row["cost"] for row in machines.rows(f"{query} GROUP BY ALL")}
    assert found == {run: D(cost) for run, cost in taken.items()}


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
